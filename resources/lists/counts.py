"""How many objects of a kind there are, for the price of one: the server says how many it did not send.

Kinds are asked at once, eight at a time, and an answer is good for seconds. What can't be counted says why; no kind
keeps the others from being counted. https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/list-meta/
(remainingItemCount)
"""

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from threading import Lock

from cachetools import TTLCache

from console.web.front import Workers
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Forbidden, KubeError

_FRESH_SECONDS = 10.0
# What a page shows until it has asked again.
_STALE_SECONDS = 300.0
_LIMIT = 8192
_workers = Workers(8, thread_name_prefix="counts")
_lock = Lock()


@dataclass(frozen=True, slots=True)
class Count:
    """`number`: None where `problem` says why; `more`: there are at least that many, the exact number isn't known."""

    number: int | None = None
    more: bool = False
    problem: str = ""
    forbidden: bool = False

    @property
    def text(self) -> str:
        if self.number is None:
            return "–"
        return f"≥ {self.number:,}" if self.more else f"{self.number:,}"


#: When it was counted, and how many there were.
_kept: TTLCache[tuple[str, ...], tuple[float, Count]] = TTLCache(_LIMIT, _STALE_SECONDS)


def count(client: ClusterClient, type_: ResourceType, namespace: str = "") -> Count:
    """In one namespace, '' for all. Never an error. At most ten seconds old."""
    if "list" not in type_.verbs:
        return Count()
    key = _key(client, type_, namespace)
    now = time.monotonic()
    with _lock:
        known = _kept.get(key)
    if known and now - known[0] < _FRESH_SECONDS:
        return known[1]
    found = _ask(client, type_, namespace)
    with _lock:
        _kept[key] = (now, found)
    return found


def counts(client: ClusterClient, types: Iterable[ResourceType], namespace: str = "") -> Mapping[ResourceType, Count]:
    """Of many kinds at once."""
    asked = tuple(types)
    return dict(zip(asked, _workers.map(lambda type_: count(client, type_, namespace), asked), strict=True))


def last(client: ClusterClient, type_: ResourceType, namespace: str = "") -> Count | None:
    """The last answer, without asking: None when there was none for a while."""
    with _lock:
        known = _kept.get(_key(client, type_, namespace))
    return known[1] if known else None


def _key(client: ClusterClient, type_: ResourceType, namespace: str) -> tuple[str, ...]:
    where = namespace if type_.namespaced else ""
    return (client.host, client.who, type_.group, type_.version, type_.plural, where)


def _ask(client: ClusterClient, type_: ResourceType, namespace: str) -> Count:
    try:
        found = client.table(type_, namespace, limit=1, include="None")
    except Forbidden as error:
        return Count(problem=str(error), forbidden=True)
    except KubeError as error:
        return Count(problem=str(error))
    if found.remaining is None:
        return Count(len(found.rows), more=bool(found.continue_))
    return Count(len(found.rows) + found.remaining)
