"""What Pods and nodes use now, read as the reader, in threads of its own: no page waits for a slow metrics server.

PodMetrics and NodeMetrics (metrics.k8s.io), as metrics-server and others in its place serve them:
https://kubernetes.io/docs/tasks/debug/debug-cluster/resource-metrics-pipeline/

An answer is kept for seconds, for its reader alone. A refusal evicts it at once. Each answer also writes its minute of
the history (resources/usage/history.py), so that there is one where the worker itself has no permission to read.
"""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Forbidden, KubeError
from kube.objects import KubeObject, name_of, namespace_of
from resources.changes import RedisError, usage_samples
from resources.quantities import cores, number, size

log = logging.getLogger(__name__)
GROUP = "metrics.k8s.io"
PODS, NODES = "pods", "nodes"
#: What the nodes can give to Pods, by their own status.
ALLOCATABLE = "allocatable"
_PLURALS = {("", "Pod"): PODS, ("", "Node"): NODES}
#: metrics-server itself measures every 15 s.
KEEP_SECONDS = 15.0
#: What nodes can give.
ALLOCATABLE_SECONDS = 300.0
#: While the metrics server doesn't answer, what it said last is shown for so long.
OLDEST_SECONDS = 120.0
#: After a refusal or a failure it is asked again.
FAILED_SECONDS = 60.0
#: A page waits at most so long, and not at all where the last answer took longer.
WAIT_SECONDS = 0.4
READ_SECONDS = 5.0
_THREADS, _QUEUED = 4, 64
# What a reading itself counts as, in objects, so that their number is bounded too.
_WEIGHT = 100
_NEVER = float("-inf")
_Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Usage:
    """`cores` of CPU, over the window of the measurement; `memory`: bytes; `containers`: of a Pod, by name."""

    cores: float = 0.0
    memory: int = 0
    containers: "tuple[tuple[str, Usage], ...]" = ()

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.cores + other.cores, self.memory + other.memory)

    @property
    def cpu_text(self) -> str:
        return cpu_text(self.cores)

    @property
    def memory_text(self) -> str:
        return memory_text(self.memory)


#: (namespace, name) → what it uses; the namespace of a node is ''.
Usages = Mapping[tuple[str, str], Usage]


def _set() -> threading.Event:
    found = threading.Event()
    found.set()
    return found


@dataclass(eq=False, slots=True, kw_only=True)
class Reading:
    """One list of measurements of one reader. `usages` None: not known; `answered`: no request is under way.

    Times are of time.monotonic().
    """

    keep_seconds: float = KEEP_SECONDS
    usages: Usages | None = None
    read_at: float = _NEVER
    failed_at: float = _NEVER
    noted_at: float = _NEVER
    slow: bool = False
    answered: threading.Event = field(default_factory=_set)

    @property
    def due(self) -> bool:
        now = time.monotonic()
        return (
            self.answered.is_set() and now - self.read_at > self.keep_seconds and now - self.failed_at > FAILED_SECONDS
        )


@dataclass(frozen=True, slots=True)
class UsageRequest:
    """A question that was put; `reading` None where the cluster serves no metrics."""

    reading: Reading | None = None
    until: float = field(default_factory=lambda: time.monotonic() + WAIT_SECONDS)

    def now(self) -> Usages | None:
        """What is used; None where that isn't known yet or can't be read."""
        if self.reading is None:
            return None
        if not self.reading.slow:
            self.reading.answered.wait(max(0.0, self.until - time.monotonic()))
        fresh = time.monotonic() - self.reading.read_at < OLDEST_SECONDS + self.reading.keep_seconds
        return self.reading.usages if fresh else None


class Readings:
    """Those of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: OrderedDict[_Key, Reading] = OrderedDict()
        self._pool = ThreadPoolExecutor(_THREADS, "usage")

    def ask(self, client: ClusterClient, plural: str, namespace: str = "") -> UsageRequest:
        """Never waits. `plural`: PODS, NODES or ALLOCATABLE; `namespace` '': all of them, or all of this reader's."""
        type_ = metrics_type(client, plural) if plural else None
        if type_ is None:
            return UsageRequest()
        key = (client.host, client.who, id(client.config), client.name, plural, namespace)
        with self._lock:
            reading = self._kept.setdefault(
                key, Reading(keep_seconds=ALLOCATABLE_SECONDS if plural == ALLOCATABLE else KEEP_SECONDS)
            )
            self._kept.move_to_end(key)
            self._let_go()
            queued = sum(not reading.answered.is_set() for reading in self._kept.values())
            if reading.due and queued < _QUEUED:
                reading.answered = threading.Event()
                self._pool.submit(self._read, reading, client, type_, namespace)
        return UsageRequest(reading)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()

    @property
    def objects(self) -> int:
        """How many measurements are kept."""
        return sum(len(reading.usages or ()) for reading in self._kept.values())

    def _let_go(self) -> None:
        while len(self._kept) > 1 and self.objects + _WEIGHT * len(self._kept) > limits.USAGE_OBJECTS.value:
            self._kept.popitem(last=False)

    def _read(self, reading: Reading, client: ClusterClient, type_: ResourceType, namespace: str) -> None:
        began = time.monotonic()
        try:
            reading.usages = usages(client.impatient(READ_SECONDS).list(type_, namespace).items)
            reading.read_at, reading.failed_at = time.monotonic(), _NEVER
        except KubeError as error:
            log.debug("no %s of %s: %s", type_.qualified, client.name, error)
            reading.failed_at = time.monotonic()
            if isinstance(error, Forbidden):
                reading.usages = None
        except Exception:
            log.exception("%s of %s could not be read", type_.qualified, client.name)
            reading.failed_at = time.monotonic()
        finally:
            reading.slow = time.monotonic() - began > WAIT_SECONDS
            # Releases the waiting requests before the history is written.
            reading.answered.set()
        if (
            type_.group == GROUP
            and reading.usages
            and time.monotonic() - reading.noted_at > usage_samples.SECONDS - KEEP_SECONDS
        ):
            reading.noted_at = time.monotonic()
            note(client, type_.plural, reading.usages)


def note(client: ClusterClient, plural: str, found: Usages) -> None:
    """Into the history. Redis may be full, or away: then there is none of this minute."""
    values = {f"{namespace}/{name}": (used.cores, used.memory) for (namespace, name), used in found.items()}
    try:
        usage_samples.write(client.name, plural, values)
    except RedisError as error:
        log.debug("no history of %s of %s: %s", plural, client.name, error)


def plural_of(type_: ResourceType) -> str:
    """What is measured of objects of this type: PODS, NODES or ''."""
    return _PLURALS.get((type_.group, type_.kind), "")


def metrics_type(client: ClusterClient, plural: str) -> ResourceType | None:
    """The type of the measurements, None where the cluster serves none. Asks nothing beyond what pages know already."""
    try:
        types = client.types()
    except KubeError:
        return None
    found = {
        (type_.group, type_.plural): type_ for type_ in types if type_.plural in (PODS, NODES) and "list" in type_.verbs
    }
    if plural == ALLOCATABLE:
        return found.get(("", NODES)) if (GROUP, NODES) in found else None
    return found.get((GROUP, plural))


def usages(items: Iterable[KubeObject]) -> dict[tuple[str, str], Usage]:
    """What can't be read as a measurement is left out."""
    found = ((namespace_of(item), name_of(item), usage(item)) for item in items)
    return {(namespace, name): used for namespace, name, used in found if used is not None}


def usage(item: KubeObject) -> Usage | None:
    """Of one PodMetrics or NodeMetrics; of a Node, what it can give."""
    if item.get("kind") == "Node":
        return allocatable(item)
    containers = item.get("containers")
    if not isinstance(containers, list):
        return _used(item.get("usage"))
    named = [
        (str(container.get("name") or ""), _used(container.get("usage")))
        for container in containers
        if isinstance(container, dict)
    ]
    known = tuple((name, used) for name, used in named if used is not None)
    if len(known) < len(containers):
        return None
    return Usage(sum(used.cores for _name, used in known), sum(used.memory for _name, used in known), known)


def allocatable(node: KubeObject) -> Usage | None:
    """What a Node can give to Pods."""
    status = node.get("status")
    return _used(status.get("allocatable")) if isinstance(status, dict) else None


def _used(value: Any) -> Usage | None:
    if not isinstance(value, dict):
        return None
    cpu, memory = (number(str(value.get(key, ""))) for key in ("cpu", "memory"))
    if cpu is None or memory is None or min(cpu, memory) < 0:
        return None
    return Usage(float(cpu), int(memory))


def cpu_text(value: float) -> str:
    """'12m', '1', '0'; what is more than nothing is never '0'."""
    millicores = round(value * 1000) or int(value > 0)
    return cores(Decimal(millicores) / 1000)


def memory_text(value: float) -> str:
    """'34 MiB'."""
    return size(Decimal(round(value)))


readings = Readings()
