"""JSON is checked before it is decoded: text nested deeper than pages, checks and copies can recurse is refused as
unreadable.

Decoders stop at the interpreter's recursion limit with RecursionError, which isn't a ValueError and so becomes a 500;
a value a little less deep overflows the code after the decoder in the same way.
"""

import json
import re
from itertools import accumulate
from typing import Any, TypeVar

import msgspec

#: Levels of lists and mappings, as of YAML: kube.limits.YAML_LEVELS.
LEVELS = 200

T = TypeVar("T")

_ALL = bytes(range(256))
_OUTLINE = b'[]{}"'
# What stands after a backslash stays beside it until both are gone.
_OUTLINE_AND_ESCAPES = _OUTLINE + b"\\nrtbfu/"
_ESCAPE = re.compile(rb"\\.", re.DOTALL)
_STRING = re.compile(rb'"[^"]*"')
# Brackets as signed bytes: a level more, a level less.
_STEPS = bytes.maketrans(b"[]{}", b"\x01\xff\x01\xff")


class TooDeep(msgspec.DecodeError):
    """A ValueError, as all problems of JSON are."""

    def __init__(self, levels: int = LEVELS) -> None:
        super().__init__(f"JSON is too deep: more than {levels} levels")


def load(text: str | bytes, levels: int = LEVELS) -> Any:
    """The value of the text. Raises msgspec.DecodeError, a ValueError, also where it is too deep."""
    check(text, levels)
    try:
        return msgspec.json.decode(text)
    except RecursionError as error:
        raise TooDeep(levels) from error


def loads(text: str | bytes, **options: Any) -> Any:
    """The same by the standard library, with its options and numbers of any size. Raises ValueError."""
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text))
    check(text)
    try:
        return json.loads(text, **options)
    except RecursionError as error:
        raise TooDeep from error


def load_as(text: str | bytes, kind: type[T]) -> T:
    """The same as a msgspec.Struct, which knows its own depth."""
    try:
        return msgspec.json.decode(text, type=kind)
    except RecursionError as error:
        raise TooDeep from error


def check(text: str | bytes, levels: int = LEVELS) -> None:
    """Raises TooDeep. Exact where the text is JSON in UTF-8; other text may pass, and its decoder refuses it.

    Everything but brackets and quotation marks is dropped, then the strings, and the brackets are summed up: all by
    bytes' own methods, some milliseconds a megabyte. Walking the decoded value took as long as decoding it.
    """
    if len(text) <= 2 * levels:
        return
    data = text.encode(errors="surrogatepass") if isinstance(text, str) else text
    if b"\\" in data:
        data = _ESCAPE.sub(b"", _only(_OUTLINE_AND_ESCAPES, data))
    brackets = _STRING.sub(b"", _only(_OUTLINE, data).replace(b'""', b""))
    steps = memoryview(brackets.translate(_STEPS)).cast("b")
    if max(accumulate(steps), default=0) > levels:
        raise TooDeep(levels)


def _only(wanted: bytes, data: bytes) -> bytes:
    return data.translate(None, _ALL.translate(None, wanted))
