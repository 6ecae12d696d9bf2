"""Patterns of schemas, matched by RE2 itself: the API server's own syntax, and time that grows with the text and
nothing else.

google-re2 is the library whose syntax Go's `regexp` takes (https://github.com/google/re2/wiki/Syntax). Python's `re`
goes back and tries again: `^a*a*a*a*a*a*b$` takes it years for a line of text.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import re2

#: Of one compiled pattern; RE2 refuses what needs more.
MEMORY_BYTES = 8 * 2**20
#: Go's words where RE2's are others.
_IN_GO = {
    "missing )": "missing closing )",
    "missing ]": "missing closing ]",
    "bad repetition operator": "invalid nested repetition operator",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid repetition size": "invalid repeat count",
    "no argument for repetition operator": "missing argument to repetition operator",
}

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_OPTIONS.max_mem = MEMORY_BYTES


@functools.lru_cache(maxsize=512)
def _compiled(pattern: str) -> Any:
    """The expression, or the re2.error that says why there is none."""
    try:
        return re2.compile(pattern.encode("utf-8", "replace"), _OPTIONS)
    except re2.error as error:
        return error


def compiled(pattern: str) -> Any:
    """Ready to `search` in UTF-8; None for what RE2 refuses."""
    found = _compiled(pattern)
    return None if isinstance(found, re2.error) else found


def matches(pattern: str, text: str) -> bool:
    """Whether the pattern matches somewhere in the text.

    What RE2 refuses matches everything: no API server has such a schema.
    """
    expression = compiled(pattern)
    return expression is None or expression.search(text.encode("utf-8", "replace")) is not None


def find_all(pattern: str, text: str) -> list[str]:
    """Every place where the pattern is found, from the left."""
    expression = compiled(pattern)
    data = text.encode("utf-8", "replace")
    return [] if expression is None else [found.group().decode() for found in expression.finditer(data)]


def fault(pattern: str) -> str:
    """Go's error for an invalid pattern; empty when it compiles."""
    found = _compiled(pattern)
    if not isinstance(found, re2.error):
        return ""
    text = found.args[0] if found.args else b""
    what, _, where = (text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)).partition(": ")
    return re.sub(r": ``$", "", f"error parsing regexp: {_IN_GO.get(what, what)}: `{where}`")
