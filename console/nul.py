"""Strips NUL characters from texts that are saved or searched.

PostgreSQL can't store NUL in texts (https://www.postgresql.org/docs/current/datatype-character.html) or \\u0000 in
jsonb; objects, catalogs and addresses can contain them. Without this, an untrusted object could break an index or a
page. SQLite stores them.

How psycopg writes texts and JSON that PostgreSQL takes; see nul.py.
https://www.psycopg.org/psycopg3/docs/advanced/adapt.html
"""

import re
from importlib import import_module
from typing import Any

from django.db.backends.signals import connection_created
from django.dispatch import receiver
from psycopg import Connection
from psycopg.types.json import Jsonb, JsonbDumper
from psycopg.types.string import StrDumperUnknown


@receiver(connection_created, dispatch_uid="console-nul")
def _opened(connection: Any, **_more: Any) -> None:
    # Where SQLite is, psycopg is not loaded.
    if connection.vendor == "postgresql":
        import_module("console.nul_dumpers").use(connection.connection)


#: The escape itself: behind an even number of backslashes, since after an odd one its first is text.
_ESCAPED = re.compile(rb"(?<!\\)((?:\\\\)*)(?:\\u0000)+")


class Text(StrDumperUnknown):
    def dump(self, obj: str) -> Any:
        return super().dump(obj.replace("\0", ""))


class Json(JsonbDumper):
    def dump(self, obj: Any) -> Any:
        found = super().dump(obj)
        return found if found is None else _ESCAPED.sub(rb"\1", bytes(found))


def use(opened: Connection[Any]) -> None:
    """By this connection alone."""
    opened.adapters.register_dumper(str, Text)
    opened.adapters.register_dumper(Jsonb, Json)
