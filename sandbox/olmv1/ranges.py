"""Versions and ranges as a ClusterExtension writes them (github.com/Masterminds/semver): ``1.2.3``, ``1.2``,
``>=1.2, <2``, ``~1.2``, ``^0.2.3``. Pure.

Skip ranges in catalogs are github.com/blang/semver's: sandbox.catalog.versions.
"""

from __future__ import annotations

import re

from ..catalog.versions import Version

_TERM = re.compile(
    r"(=>|=<|>=|<=|!=|~>|=|>|<|~|\^)?\s*"
    r"v?([0-9xX*]+)(?:\.([0-9xX*]+))?(?:\.([0-9xX*]+))?(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$"
)
_SPLIT = re.compile(r"[,\s]+(?=[^,\s])")
_OPERATOR = re.compile(r"(=>|=<|>=|<=|!=|~>|=|>|<|~|\^)\s+")


class BadRange(ValueError):
    """The text isn't a version range."""


def within(version: str, wanted: str) -> bool:
    """Whether the version is in the range.

    Raises BadRange where it looks at a bad part. A version with a suffix is only in ranges that name one.
    """
    return any(_all(Version(version), part.strip()) for part in wanted.split("||"))


def _all(subject: Version, part: str) -> bool:
    terms = [term for term in _SPLIT.split(_OPERATOR.sub(r"\1", part)) if term]
    if not terms:
        raise BadRange(f"improper constraint: {part}")
    return all(_holds(subject, term) for term in terms)


def _holds(subject: Version, term: str) -> bool:
    found = _TERM.fullmatch(term)
    if found is None:
        raise BadRange(f"improper constraint: {term}")
    operator = {"=>": ">=", "=<": "<=", "~>": "~"}.get(found[1] or "", found[1] or "")
    numbers = [int(part) if part and part.isdigit() else None for part in found.groups()[1:4]]
    if None in numbers:
        numbers = numbers[: numbers.index(None)] + [None] * (3 - numbers.index(None))
    known = [number for number in numbers if number is not None]
    if "-" in subject.text.partition("+")[0] and not found[5]:
        return False
    low = Version(".".join(map(str, [*known, 0, 0, 0][:3])) + (found[5] or ""))
    after = _next(known, operator)
    inside = subject >= low and (after is None or subject < after)
    return {
        "": inside,
        "=": inside,
        "!=": not inside,
        "~": inside,
        "^": inside,
        ">=": subject >= low,
        "<": subject < low,
        ">": subject > low if len(known) == 3 else after is not None and subject >= after,
        "<=": subject <= low if len(known) == 3 else after is None or subject < after,
    }[operator]


def _next(known: list[int], operator: str) -> Version | None:
    """The first version behind what the term means; None: there is none."""
    if not known:
        return None
    if operator == "^":
        place = next((index for index, number in enumerate(known) if number), len(known) - 1)
    elif operator == "~":
        place = min(1, len(known) - 1)
    elif len(known) == 3:
        return Version(f"{known[0]}.{known[1]}.{known[2] + 1}-0")
    else:
        place = len(known) - 1
    raised = [*known[:place], known[place] + 1, 0, 0, 0][:3]
    return Version(".".join(map(str, raised)) + "-0")
