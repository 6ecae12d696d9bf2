"""JSON is judged before it is used: what is nested deeper than any page, check or copy can follow is refused as unreadable.

Decoders stop at the interpreter's recursion limit with RecursionError, which is no ValueError and so becomes an answer of 500; what is a
little less deep ends the code after them in the same way.
"""

import json
from typing import Any, TypeVar

import msgspec

#: Levels of lists and mappings, as of YAML: kube.limits.YAML_LEVELS.
LEVELS = 100

T = TypeVar("T")


class TooDeep(msgspec.DecodeError):
    """A ValueError, as all problems of JSON are."""

    def __init__(self, levels: int = LEVELS) -> None:
        super().__init__(f"JSON is too deep: more than {levels} levels")


def load(text: str | bytes, levels: int = LEVELS) -> Any:
    """The value of the text. Raises msgspec.DecodeError, a ValueError, also where it is too deep."""
    try:
        value = msgspec.json.decode(text)
    except RecursionError as error:
        raise TooDeep(levels) from error
    check(value, levels)
    return value


def loads(text: str | bytes, **options: Any) -> Any:
    """The same by the standard library, with its options and numbers of any size. Raises ValueError."""
    try:
        value = json.loads(text, **options)
    except RecursionError as error:
        raise TooDeep from error
    check(value)
    return value


def load_as(text: str | bytes, kind: type[T]) -> T:
    """The same as a msgspec.Struct, which knows its own depth."""
    try:
        return msgspec.json.decode(text, type=kind)
    except RecursionError as error:
        raise TooDeep from error


def check(value: Any, levels: int = LEVELS) -> None:
    """Raises TooDeep. Walks level by level, so that no depth of a decoded value is too much for it."""
    around = [value]
    for _level in range(levels):
        inside: list[Any] = []
        for item in around:
            if isinstance(item, dict):
                inside += item.values()
            elif isinstance(item, list):
                inside += item
        if not inside:
            return
        around = inside
    if any(isinstance(item, dict | list) for item in around):
        raise TooDeep(levels)
