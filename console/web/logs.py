"""Log formatters: plain lines, or one JSON object per line (LOG_FORMAT=json) for programs that collect logs.

Values of `extra` are part of the line: `log.info("…", extra={"topic": str(topic)})`.
"""

import logging
import re
import time
from typing import Any

import msgspec

# Of every record (https://docs.python.org/3/library/logging.html#logrecord-attributes); all else was given as `extra`.
_OWN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


# What a terminal would obey, and what would begin a line of its own (C0 but tab and newline, DEL, C1, and Unicode's
# line ends and overrides of direction).
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def _encodable(value: Any) -> str:
    return str(value)


_encode = msgspec.json.Encoder(enc_hook=_encodable).encode


class LineFormatter(logging.Formatter):
    """LEVEL name: message, the topic where there is one, and the number of the request (console/request_id.py).

    It contains untrusted names and messages: control characters are escaped, and only a record begins at the left edge.
    """

    def __init__(self) -> None:
        super().__init__("%(levelname)s %(name)s: %(message)s")

    def format(self, record: logging.LogRecord) -> str:
        text = _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), super().format(record))
        return text.replace("\n", "\n    ")

    def formatMessage(self, record: logging.LogRecord) -> str:
        topic = getattr(record, "topic", "")
        number = getattr(record, "request_id", "")
        return (
            f"{super().formatMessage(record)}{f' [{topic}]' if topic else ''}{f' (request {number})' if number else ''}"
        )


class JsonLine(logging.Formatter):
    """{"time": RFC 3339 in UTC, "level", "logger", "message", …extras, "exception"}."""

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, Any] = {
            "time": f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03d}Z",
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        fields.update(
            (key, _plain(value)) for key, value in vars(record).items() if key not in _OWN and key not in fields
        )
        if record.exc_info:
            fields["exception"] = self.formatException(record.exc_info)
        if record.stack_info:
            fields["stack"] = record.stack_info
        # Control characters occur only in strings, where the escape is equivalent JSON.
        return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", _encode(fields).decode())


def _plain(value: Any) -> Any:
    """Numbers and texts as they are; a request or whatever else was handed along as its words."""
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
