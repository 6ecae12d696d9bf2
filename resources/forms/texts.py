"""Values as the text of a control, and back, type for type.

The safest way back is the way there: a control whose text is still what it was made with means the very value it was
made from. Only changed text is parsed, so `3.0`, 2**60, "1" and a file with DOS line ends all survive an unedited form.
"""

import base64
import binascii
import json
import math
import re
from typing import Any

from resources import yamltext
from untrusted import json_bounds

#: One letter before a control's pointer says how to read its text.
CODES = {
    "string": "s",
    "integer": "i",
    "number": "n",
    "boolean": "b",
    "int-or-string": "q",
    "bytes": "d",
    "json": "j",
    "any": "y",
}
KINDS = {code: kind for kind, code in CODES.items()}
#: The code of the error where a control of this kind must not be empty and is.
CODE_OF = {"any": "yaml"}

_INTEGER = re.compile(r"[+-]?\d+", re.ASCII)
_WHOLE = re.compile(r"-?(0|[1-9]\d{0,399})", re.ASCII)
_NO_YAML = re.compile(r"(\s|#[^\n]*(\n|$)|---(?=\s|$))*")
# XML 1.0's characters: what a page can't hold is shown as JSON, with escapes.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


class Unreadable(ValueError):
    """The text isn't a value of that kind.

    `code`: integer, number, boolean, json, yaml or key; `detail`: the parser's words.
    """

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail


def printable(text: str) -> bool:
    """Whether an HTML control can hold the text at all."""
    return not _UNPRINTABLE.search(text)


def fits(kind: str, value: Any) -> bool:
    """Whether a control of that kind can show the value without changing what it is."""
    if kind in ("string", "bytes"):
        return isinstance(value, str) and printable(value)
    if kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "number":
        return _number(value)
    if kind == "boolean":
        return isinstance(value, bool)
    if kind == "int-or-string":
        return _number(value) or (isinstance(value, str) and printable(value))
    if kind in ("object", "map"):
        return isinstance(value, dict) and all(printable(key) and "\n" not in key and "\r" not in key for key in value)
    if kind == "array":
        return isinstance(value, list)
    return True


def _number(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return isinstance(value, int) or math.isfinite(value)


def text_of(kind: str, value: Any) -> str:
    """What the control shows for a present value that `fits`."""
    if kind == "boolean":
        return "true" if value else "false"
    if kind == "json":
        return json.dumps(value, ensure_ascii=True)
    if kind == "any":
        return _yaml(value)
    if kind == "int-or-string" and isinstance(value, str) and (_WHOLE.fullmatch(value) or value.startswith('"')):
        return json.dumps(value)
    return value if isinstance(value, str) else repr(value)


def _yaml(value: Any) -> str:
    try:
        dumped = yamltext.dump(value)
    except UnicodeEncodeError:
        dumped = "\x00"
    return dumped if printable(dumped) else json.dumps(value, ensure_ascii=True, indent=2)


def of_others(fields: dict[str, Any]) -> str:
    """Fields that no schema names, as one YAML mapping; '' when there are none."""
    return _yaml(fields) if fields else ""


def shown(text: str) -> str:
    """What a page can show of any text."""
    return _UNPRINTABLE.sub("\ufffd", text)


def leaves(value: Any) -> int:
    """How many values an object holds: texts, numbers, empty lists and the like, however deep they stand."""
    found, stack = 0, [value]
    while stack:
        part = stack.pop()
        if part and isinstance(part, (dict, list)):
            stack += part.values() if isinstance(part, dict) else part
        else:
            found += 1
    return found


def normal(text: str) -> str:
    """As a browser may have changed it: line ends are CRLF on the wire whatever they were."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def says_nothing(text: str) -> bool:
    """Whether a YAML text has no value at all: spaces and comments. `null` and `~` are values."""
    return bool(_NO_YAML.fullmatch(text))


def value_of(kind: str, text: str) -> Any:
    """The value that was typed. Raises Unreadable."""
    text = normal(text)
    if kind == "integer":
        if not _INTEGER.fullmatch(text.strip()) or len(text) > 400:
            raise Unreadable("integer")
        return int(text)
    if kind == "number":
        return _read_number(text.strip())
    if kind == "boolean":
        if text not in ("true", "false"):
            raise Unreadable("boolean")
        return text == "true"
    if kind == "int-or-string":
        return _read_int_or_string(text)
    if kind == "bytes":
        return _read_bytes(text)
    if kind == "json":
        return _read_json(text)
    return _read_yaml(text) if kind == "any" else text


def _read_yaml(text: str) -> Any:
    try:
        return yamltext.load(text)
    except yamltext.YamlProblem as problem:
        place = f"{problem.line}:{problem.column}: " if problem.line else ""
        raise Unreadable("yaml", f"{place}{problem.message}") from problem


def _read_bytes(text: str) -> str:
    """Base64, whose lines are joined: `base64` and `openssl` break them."""
    joined = "".join(text.split())
    try:
        base64.b64decode(joined, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Unreadable("bytes", str(error)) from error
    return joined


def _read_number(text: str) -> int | float:
    if _INTEGER.fullmatch(text) and len(text) < 400:
        return int(text)
    try:
        number = float(text)
    except ValueError as error:
        raise Unreadable("number") from error
    if not math.isfinite(number) or "_" in text:
        raise Unreadable("number")
    return number


def _read_int_or_string(text: str) -> int | str:
    """Digits are a number; in quotes, as JSON has them, they are a text."""
    if text.startswith('"'):
        try:
            quoted = json_bounds.loads(text)
        except ValueError:
            return text
        return quoted if isinstance(quoted, str) else text
    return int(text) if _WHOLE.fullmatch(text) else text


def _read_json(text: str) -> Any:
    try:
        return json_bounds.loads(text, parse_constant=_refuse)
    except ValueError as error:
        raise Unreadable("json", str(error)) from error


def _refuse(word: str) -> None:
    raise ValueError(f"{word} is no JSON")
