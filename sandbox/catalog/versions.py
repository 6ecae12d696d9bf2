"""Semantic versions and the ranges that OLM writes (``>=1.0.0 <2.0.0 || 3.x``), as github.com/blang/semver reads
them.
"""

from __future__ import annotations

import re
from functools import total_ordering

_VERSION = re.compile(r"^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$")
_TERM = re.compile(r"(==|!=|>=|<=|=|!|>|<|~|\^)?\s*(v?[0-9xX*][0-9A-Za-z.*+-]*)")


@total_ordering
class Version:
    """A version; one that can not be read sorts before all others."""

    def __init__(self, text: str):
        self.text = text
        found = _VERSION.match(text.strip())
        self.numbers = tuple(int(part or 0) for part in found.groups()[:3]) if found else (-1, -1, -1)
        self.unreadable = found is None
        self._before = found[4] if found else None

    def _key(self) -> tuple[tuple[int, ...], bool, list[tuple[bool, int, str]]]:
        parts = (self._before or "").split(".") if self._before else []
        ranks = [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in parts]
        return self.numbers, self._before is None, ranks

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self._key() == other._key()

    def __lt__(self, other: Version) -> bool:
        return self._key() < other._key()

    def __hash__(self) -> int:
        return hash(self.numbers)


def within(version: str, wanted: str) -> bool:
    """Whether a version is in a range; empty and invalid ranges contain no version."""
    subject = Version(version)
    return any(_all(subject, alternative) for alternative in wanted.split("||") if alternative.strip())


def _all(subject: Version, terms: str) -> bool:
    found = _TERM.findall(terms)
    return bool(found) and all(_holds(subject, operator, text) for operator, text in found)


def _holds(subject: Version, operator: str, text: str) -> bool:
    if re.search(r"[xX*]", text):
        known = [int(part) for part in re.split(r"\.", text.lstrip("v")) if part.isdigit()]
        inside = list(subject.numbers[: len(known)]) == known
        if operator in ("", "=", "=="):
            return inside
        lowest = Version(".".join(str(n) for n in [*known, 0, 0, 0][:3]))
        return {">=": subject >= lowest, "<": subject < lowest, "!=": not inside, "!": not inside}.get(operator, inside)
    limit = Version(text)
    if operator in ("~", "^"):
        fixed_parts = 2 if operator == "~" or limit.numbers[0] == 0 else 1
        return subject >= limit and subject.numbers[:fixed_parts] == limit.numbers[:fixed_parts]
    return {
        ">=": subject >= limit,
        "<=": subject <= limit,
        ">": subject > limit,
        "<": subject < limit,
        "!=": subject != limit,
        "!": subject != limit,
    }.get(operator, subject == limit)
