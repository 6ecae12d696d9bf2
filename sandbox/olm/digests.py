"""Digests as OLM puts them into names and labels: SHA-224 of an object as Go writes it, in base 62. Pure functions."""

from __future__ import annotations

import hashlib
import json
import string
from typing import Any

Object = dict[str, Any]

_DIGITS = string.digits + string.ascii_lowercase + string.ascii_uppercase
_ESCAPED = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"}
#: Longest name of a role.
LONGEST = 63


def go_json(value: Any) -> str:
    """JSON without blanks, its angle brackets and ampersands escaped; keys stay in their order."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return "".join(_ESCAPED.get(character, character) for character in text)


def digest(value: Any, end: str = "") -> str:
    """``end`` follows the JSON: an encoder of Go closes with a newline."""
    return base62(hashlib.sha224((go_json(value) + end).encode()).digest())


def base62(data: bytes) -> str:
    """Digits, small letters, capitals."""
    number, digits = int.from_bytes(data, "big"), ""
    while number:
        number, rest = divmod(number, 62)
        digits = _DIGITS[rest] + digits
    return digits or "0"


def fnv(text: str) -> int:
    """FNV-1a, 64 bits."""
    found = 0xCBF29CE484222325
    for byte in text.encode():
        found = ((found ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return found


def name_for(base: str, content: Any) -> str:
    """``base`` and the digest of the content; the base is cut where both are too long together."""
    found = digest(content, "\n")
    if len(base) + len(found) > LONGEST:
        base = base[: LONGEST - len(found) - 1]
    return f"{base}-{found}"


def rule(given: Object) -> Object:
    """A PolicyRule with its fields in Go's order, empty ones left out."""
    keys = ("apiGroups", "resources", "resourceNames", "nonResourceURLs")
    return {"verbs": given.get("verbs"), **{key: given[key] for key in keys if given.get(key)}}
