"""Which values of an object are nobody's business: by the names that they stand under. Pure."""

import re
from collections.abc import Callable, Mapping
from typing import Any

MASKED = "••••••"
NAMES = re.compile(
    r"(pass(word|wd|phrase)?|pwd|token|(secret|access|api|private|encryption)[-_]?key|client[-_]?secret)$", re.I
)


def masked(value: Any, dots: Callable[[str], str]) -> Any:
    """A new value in which `dots` stand for every text under a name like `password`."""
    if isinstance(value, list):
        return [masked(part, dots) for part in value]
    if not isinstance(value, Mapping):
        return value
    # An environment variable: its name says what its value is.
    named = isinstance(value.get("name"), str) and bool(NAMES.search(value["name"]))
    return {
        key: dots(part)
        if isinstance(part, str) and part and (NAMES.search(str(key)) or (named and key == "value"))
        else masked(part, dots)
        for key, part in value.items()
    }
