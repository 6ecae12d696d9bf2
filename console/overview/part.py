"""What every card of the overview has: content, problems, their fixes and snoozes, the topics that refresh it; and a
deadline for several calls at once.

A problem shows its cause and the fix that this user can apply, as the object's own page does; only the first few rows
have them. A user can snooze a problem for an hour, a day, or until it changes: a mark of this user on this cluster.

A card shows what it still waits for instead of delaying its page. Unfinished calls continue, and the next caller of the
same joins them: a list of 10,000 objects is started once, not once per page view.
"""

import hashlib
import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from threading import Lock
from typing import Any, TypeVar

from django.db import DatabaseError
from django.db.models import QuerySet
from django.utils import timezone, translation

from console.web.front import Workers
from kube.client import ClusterClient
from kube.errors import KubeError
from resources.diagnosis import ShownCause, read_causes, shown_causes, state_of
from resources.models import Mark
from resources.place import Place

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

ERROR, WARNING = "error", "warning"
_RANK = {ERROR: 0, WARNING: 1}
#: A cause needs the object, its tree and its Events: rows after these have only the link to their object.
MAX_CAUSES = 3
_WAIT_SECONDS = 1.0

_workers = Workers(8, thread_name_prefix="overview")
_running_calls: dict[Hashable, "Future[object]"] = {}
_lock = Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class CardProblem:
    """A problem that needs attention.

    `level`: ERROR or WARNING, also the icon's name; `reason`: what the object says; `url` and `act`: the link to act on
    it. `cause`: its cause in a sentence, shown instead of the reason; `fix`: the fix, at `fix_url`; '' if unknown.
    """

    level: str
    title: str
    reason: str
    url: str
    act: str = ""
    cause: str = ""
    fix: str = ""
    fix_url: str = ""

    @property
    def explanation(self) -> str:
        return self.cause or self.reason

    @property
    def key(self) -> str:
        """What it is about, whatever its reason: the same for each person and language."""
        return _digest(self.url)

    @property
    def state(self) -> str:
        """Another one when its reason is another. Its cause doesn't count: only the first rows have one."""
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


def with_causes(
    client: ClusterClient, troubles: Sequence[CardProblem], places: Mapping[str, Place]
) -> tuple[CardProblem, ...]:
    """The problems, the first few with their cause and its fix. `places`: their objects by `url`. What is late is left
    out.
    """
    asked = [trouble.url for trouble in troubles if trouble.url in places][:MAX_CAUSES]
    questions = {url: partial(_cause, client, places[url]) for url in asked}
    found, _late = run_within(client, "cause", questions, _WAIT_SECONDS)
    return tuple(_with_cause(trouble, found.get(trouble.url)) for trouble in troubles)


def _cause(client: ClusterClient, place: Place) -> ShownCause | None:
    try:
        obj = client.get(place.type, place.name, place.namespace)
        causes = read_causes(client, place, obj, state_of(client, place, obj))
        shown = shown_causes(client, place, causes[:1])
    except KubeError:
        return None
    return shown[0] if shown else None


def _with_cause(trouble: CardProblem, shown: ShownCause | None) -> CardProblem:
    if shown is None:
        return trouble
    trouble = replace(trouble, cause=shown.cause.sentence)
    return replace(trouble, fix=shown.fix.label, fix_url=shown.fix.url) if shown.fix else trouble


def run_within(
    client: ClusterClient, what: str, questions: Mapping[K, Callable[[], T]], seconds: float
) -> tuple[dict[K, T], tuple[K, ...]]:
    """Asks several questions at once: (the answers that came in time, the keys of the others).

    A question answers with what can't be read and raises nothing; `what` names the sort of question. Answers have the
    language and the permissions of the user who asks.
    """
    language = translation.get_language() or ""
    who = (client.config, client.who, language, what)
    futures = {key: _ask((*who, key), ask, language) for key, ask in questions.items()}
    end = time.monotonic() + seconds
    wait(futures.values(), timeout=max(0.0, end - time.monotonic()))
    found = {key: future.result() for key, future in futures.items() if future.done()}
    return found, tuple(key for key in futures if key not in found)  # type: ignore[return-value]


def _ask(key: Hashable, ask: Callable[[], T], language: str) -> "Future[object]":
    def work() -> object:
        with translation.override(language or None):
            return ask()

    with _lock:
        if known := _running_calls.get(key):
            return known
        future: Future[object] = _workers.submit(work)
        _running_calls[key] = future
    # Outside of the lock: what is done already calls back at once.
    future.add_done_callback(lambda _future: _forget(key))
    return future


def _forget(key: Hashable) -> None:
    with _lock:
        _running_calls.pop(key, None)


HOUR, DAY, CHANGE = "hour", "day", "change"
#: "Until it changes" has an end too, so that nothing is hidden for good.
SPANS = {HOUR: timedelta(hours=1), DAY: timedelta(days=1), CHANGE: timedelta(days=30)}
MAX_SNOOZED = 50
_SNOOZE_SORT = "snoozed"
_ID_LENGTH = 32


@dataclass(frozen=True, slots=True)
class Snooze:
    """`until` None: until the trouble's reason is no longer `state`."""

    state: str
    until: datetime | None


def snoozes(client: ClusterClient) -> Mapping[str, Snooze]:
    """What this person snoozed, by the trouble's key. A database that doesn't answer hides nothing."""
    try:
        marks = list(_snooze_marks(client).filter(at__gt=timezone.now())[:MAX_SNOOZED])
    except DatabaseError:
        return {}
    return {mark.plural: Snooze(mark.name, None if mark.version == CHANGE else mark.at) for mark in marks}


def is_snoozed(found: Mapping[str, Snooze], trouble: CardProblem) -> bool:
    """False once a trouble that is snoozed until it changes has another reason."""
    snooze = found.get(trouble.key)
    return snooze is not None and (snooze.until is not None or snooze.state == trouble.state)


def snooze(client: ClusterClient, trouble_id: str, span: str) -> None:
    """`trouble_id`: a trouble's key and state. What isn't one is ignored. Raises DatabaseError."""
    key, _colon, state = trouble_id.partition(":")
    if len(key) != _ID_LENGTH or len(state) != _ID_LENGTH or span not in SPANS:
        return
    now = timezone.now()
    _snooze_marks(client).filter(at__lte=now).delete()
    if _snooze_marks(client).exclude(plural=key).count() >= MAX_SNOOZED:
        return
    end_snooze(client, key)
    Mark.objects.create(
        cluster=client.name,
        user=client.owner[:512],
        sort=_SNOOZE_SORT,
        plural=key,
        name=state,
        version=span,
        kind="",
        at=now + SPANS[span],
    )


def end_snooze(client: ClusterClient, key: str) -> None:
    """Raises DatabaseError."""
    _snooze_marks(client).filter(plural=key[:_ID_LENGTH]).delete()


def _snooze_marks(client: ClusterClient) -> "QuerySet[Mark]":
    return Mark.objects.filter(cluster=client.name, user=client.owner[:512], sort=_SNOOZE_SORT)
