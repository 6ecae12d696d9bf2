"""What every card of the overview is made of: what was found, what is not well in it, and what brings the news."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

ERROR, WARNING = "error", "warning"
_RANK = {ERROR: 0, WARNING: 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class CardProblem:
    """A problem that needs attention.

    `level`: ERROR or WARNING, also the icon's name; `reason`: the cause; `url` and `act`: the link to act on it.
    `fix`: the fix, at `fix_url`; '' if unknown.
    """

    level: str
    title: str
    reason: str
    url: str
    act: str = ""
    fix: str = ""
    fix_url: str = ""

    @property
    def key(self) -> str:
        """What it is about, whatever its reason: the same for each person and language."""
        return _digest(self.url)

    @property
    def state(self) -> str:
        """Another one when its reason is another."""
        return _digest(f"{self.level} {self.reason}")

    @property
    def rank(self) -> int:
        return _RANK[self.level]


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardContent:
    """`found`: the subject's own.

    `topics`: what brings news of it; `every`: milliseconds between two looks at least. `pending`: what has not answered
    yet. `gaps`: what could not be read, a sentence each.
    """

    found: Any = None
    troubles: tuple[CardProblem, ...] = ()
    topics: str = ""
    every: int = 3000
    pending: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()


def worst_first(troubles: Iterable[CardProblem]) -> tuple[CardProblem, ...]:
    """Of the same level they stay in their order."""
    return tuple(sorted(troubles, key=lambda trouble: trouble.rank))
