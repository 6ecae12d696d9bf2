"""Redacts values whose key suggests a secret, such as `password`. Pure."""

import re
from collections.abc import Callable, Mapping
from typing import Any

MASKED = "••••••"
SENSITIVE_NAMES = re.compile(
    r"(pass(word|wd|phrase)?|pwd|token|(secret|access|api|private|encryption)[-_]?key|client[-_]?secret)$", re.I
)


def redacted(value: Any, mask: Callable[[str], str]) -> Any:
    """A new value in which each text under a name like `password` is replaced by what `mask` returns for it."""
    if isinstance(value, list):
        return [redacted(part, mask) for part in value]
    if not isinstance(value, Mapping):
        return value
    # An environment variable: {name, value}.
    is_named = isinstance(value.get("name"), str) and bool(SENSITIVE_NAMES.search(value["name"]))
    return {
        key: mask(part)
        if isinstance(part, str) and part and (SENSITIVE_NAMES.search(str(key)) or (is_named and key == "value"))
        else redacted(part, mask)
        for key, part in value.items()
    }
