"""How psycopg writes texts and JSON that PostgreSQL takes; see nul.py.
https://www.psycopg.org/psycopg3/docs/advanced/adapt.html
"""

import re
from typing import Any

from psycopg import Connection
from psycopg.types.json import Jsonb, JsonbDumper
from psycopg.types.string import StrDumperUnknown

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
