"""What a pass sees of a database, as plain values: the parts of the operator fill them in, status.py puts them into
words.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from examples.operators.pod_problems import StatusProblem

from .database import Object


class Fact(NamedTuple):
    """A condition; ``true``: None while unknown."""

    type: str
    true: bool | None
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Work:
    """A Job: ``outcome`` is Complete, Failed or '' while it runs; ``words`` are the last ones of its newest failed
    Pod.
    """

    outcome: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class Release:
    """``deployed`` is the release to run; ``refused`` is why the one that is asked for is not taken."""

    deployed: str
    upgrade: Work = Work()
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Restore:
    """``outcome`` is '' where nothing is to be restored, Running, Complete or Failed; ``name`` is the file that was
    taken.
    """

    outcome: str = ""
    name: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """Everything of one pass.

    ``running`` is the version that the engine reports of itself, ``backup`` a new backup's record.
    """

    release: Release
    stateful_set: Object | None = None
    init: Work = Work()
    running: str = ""
    restore: Restore = Restore()
    problem: StatusProblem | None = None
    #: What the API server, or the owner of a name, does not let the operator do.
    refused: StatusProblem | None = None
    facts: tuple[Fact, ...] = ()
    backup: Object | None = None

    @property
    def numbers(self) -> Object:
        return dict((self.stateful_set or {}).get("status") or {})

    @property
    def ready(self) -> int:
        return int(self.numbers.get("readyReplicas", 0))

    @property
    def is_current(self) -> bool:
        """Whether the StatefulSet's controller has seen its newest spec and every Pod runs it."""
        if not self.stateful_set:
            return False
        seen = self.numbers.get("observedGeneration", 0) >= self.stateful_set["metadata"].get("generation", 0)
        revision = self.numbers.get("updateRevision")
        return seen and (not revision or self.numbers.get("currentRevision", revision) == revision)
