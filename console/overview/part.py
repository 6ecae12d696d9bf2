"""What every card of the overview has: content, problems, their fixes and snoozes, the topics that refresh it; and a
deadline for several calls at once.

A problem shows its cause and the fix that this user can apply, as the object's own page does. A card doesn't wait for
them: its rows have what is cached, and the page asks for the others after it was painted (`?part=causes`). A user can
snooze a problem for an hour, a day, or until it changes: a mark of this user on this cluster.

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

from cachetools import TTLCache
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
#: A cause needs the object, its tree and its Events: rows of a card after these have the object's reason only.
MAX_CAUSES = 40
#: Of one request.
MAX_ASKED_CAUSES = 8
CAUSE_SECONDS = 3.0
#: A cached cause is shown for so long while the row's reason is the same, and read again after _FRESH_SECONDS.
_CACHE_SECONDS, _FRESH_SECONDS = 600.0, 30.0
_CACHED_CAUSES = 5000

_workers = Workers(8, thread_name_prefix="overview")
_running_calls: dict[Hashable, "Future[object]"] = {}
_lock = Lock()
_causes: TTLCache[Hashable, tuple[float, ShownCause | None]] = TTLCache(_CACHED_CAUSES, _CACHE_SECONDS)
_causes_lock = Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class CardProblem:
    """A problem that needs attention.

    `level`: ERROR or WARNING, also the icon's name; `reason`: what the object says; `url` and `act`: the link to act on
    it. `cause`: its cause in a sentence, shown instead of the reason; `fix`: the fix, at `fix_url`; '' if unknown.
    `asks`: whether the page has to ask for the cause.
    """

    level: str
    title: str
    reason: str
    url: str
    act: str = ""
    cause: str = ""
    fix: str = ""
    fix_url: str = ""
    asks: bool = False

    @property
    def cause_id(self) -> str:
        """By which the page asks for the cause: what it is of, with another reason another one."""
        return f"{self.state}:{self.url}"

    @property
    def explanation(self) -> str:
        return self.cause or self.reason

    @property
    def key(self) -> str:
        """What it is about, whatever its reason: the same for each person and language."""
        return _digest(self.url)

    @property
    def state(self) -> str:
        """Another one when its reason is another. Its cause doesn't count: it is known later."""
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
    """The problems with their cached causes; asks nothing. `places`: their objects by `url`."""
    left, found = MAX_CAUSES, []
    for trouble in troubles:
        if trouble.url in places and left:
            left -= 1
            read_at, shown = _cached_cause(client, trouble.cause_id)
            trouble = replace(with_cause(trouble, shown), asks=time.monotonic() - read_at > _FRESH_SECONDS)
        found.append(trouble)
    return tuple(found)


def find_causes(client: ClusterClient, places: Mapping[str, Place], seconds: float) -> dict[str, ShownCause | None]:
    """Causes of objects by their problems' cause_id. What is late is left out; the next call has it."""
    found: dict[str, ShownCause | None] = {}
    questions = {}
    for cause_id, place in places.items():
        read_at, shown = _cached_cause(client, cause_id)
        if time.monotonic() - read_at <= _FRESH_SECONDS:
            found[cause_id] = shown
        else:
            questions[cause_id] = partial(_cause, client, place, _cause_key(client, cause_id))
    answered, _late = run_within(client, "cause", questions, seconds)
    return found | answered


def _cause_key(client: ClusterClient, cause_id: str) -> Hashable:
    return (client.config, client.who, translation.get_language() or "", cause_id)


def _cached_cause(client: ClusterClient, cause_id: str) -> tuple[float, ShownCause | None]:
    """When it was read (time.monotonic()), and what was found."""
    with _causes_lock:
        return _causes.get(_cause_key(client, cause_id), (float("-inf"), None))


def _cause(client: ClusterClient, place: Place, key: Hashable) -> ShownCause | None:
    try:
        obj = client.get(place.type, place.name, place.namespace)
        causes = read_causes(client, place, obj, state_of(client, place, obj))
        shown = next(iter(shown_causes(client, place, causes[:1])), None)
    except KubeError:
        shown = None
    with _causes_lock:
        _causes[key] = (time.monotonic(), shown)
    return shown


def with_cause(trouble: CardProblem, shown: ShownCause | None) -> CardProblem:
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
