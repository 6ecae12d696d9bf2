"""Strips NUL characters from texts and JSON that psycopg sends to PostgreSQL.

PostgreSQL can't store NUL in texts (https://www.postgresql.org/docs/current/datatype-character.html) or \\u0000 in
jsonb; objects, catalogs and addresses can contain them. Without this, an untrusted object could break an index or a
page. SQLite stores them, and doesn't load this module (console/apps.py).

https://www.psycopg.org/psycopg3/docs/advanced/adapt.html
"""

import re
from typing import Any

from psycopg import Connection
from psycopg.types.json import Jsonb, JsonbDumper
from psycopg.types.string import StrDumperUnknown

#: The escape itself: behind an even number of backslashes, since after an odd one its first is text.
_ESCAPED = re.compile(rb"(?<!\\)((?:\\\\)*)(?:\\u0000)+")


def strip_nul(opened: Connection[Any]) -> None:
    """In all that this connection sends; other connections aren't affected."""
    opened.adapters.register_dumper(str, _Text)
    opened.adapters.register_dumper(Jsonb, _Json)


class _Text(StrDumperUnknown):
    def dump(self, obj: str) -> Any:
        return super().dump(obj.replace("\0", ""))


class _Json(JsonbDumper):
    def dump(self, obj: Any) -> Any:
        found = super().dump(obj)
        return found if found is None else _ESCAPED.sub(rb"\1", bytes(found))
