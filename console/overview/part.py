"""The parts of every card of the overview: its content, its problems, their fixes, and the topics that refresh it.

A problem has a fix if its cause has one that this user can apply, as on the object's own page; only the first few rows
have one.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from console.web import deadline
from kube.client import ClusterClient
from kube.errors import KubeError
from resources.diagnosis.cause_display import ShownFix, shown_causes
from resources.diagnosis.cause_reader import read_causes, state_of
from resources.place import Place

ERROR, WARNING = "error", "warning"
_RANK = {ERROR: 0, WARNING: 1}
#: A fix needs the object, its tree and its Events: rows after these have only the link to their object.
MAX_FIXES = 3
_WAIT_SECONDS = 1.0


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


def with_fixes(
    client: ClusterClient, troubles: Sequence[CardProblem], places: Mapping[str, Place]
) -> tuple[CardProblem, ...]:
    """The problems, the first few with their fix. `places`: their objects by `url`. A fix that is late is left out."""
    asked = [trouble.url for trouble in troubles if trouble.url in places][:MAX_FIXES]
    questions = {url: partial(_fix, client, places[url]) for url in asked}
    found, _late = deadline.within(client, "fix", questions, _WAIT_SECONDS)
    fixes = {url: fix for url, fix in found.items() if fix}
    return tuple(
        replace(trouble, fix=fixes[trouble.url].label, fix_url=fixes[trouble.url].url)
        if trouble.url in fixes
        else trouble
        for trouble in troubles
    )


def _fix(client: ClusterClient, place: Place) -> ShownFix | None:
    try:
        obj = client.get(place.type, place.name, place.namespace)
        causes = read_causes(client, place, obj, state_of(client, place, obj))
        shown = shown_causes(client, place, causes[:1])
    except KubeError:
        return None
    return shown[0].fix if shown else None
