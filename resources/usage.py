"""What Pods and nodes use: now, and in the last hour as a small drawing.

PodMetrics and NodeMetrics (metrics.k8s.io), as metrics-server and others in its place serve them:
https://kubernetes.io/docs/tasks/debug/debug-cluster/resource-metrics-pipeline/

They are read as the reader, in threads of their own: no page waits for a slow metrics server. An answer is kept for
seconds, for its reader alone. A refusal evicts it at once. Each answer also writes its minute of the history
(resources/changes/usage_samples.py), so that there is one where the worker itself has no permission to read.

The history needs no permission of its own: callers ask only for objects that are in the reader's own list of
measurements.
"""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Forbidden, KubeError
from kube.objects import KubeObject, name_of, namespace_of
from resources.changes import RedisError, usage_samples
from resources.changes.usage_samples import Sample
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
#: Of the drawing's own coordinates (its viewBox).
WIDTH, HEIGHT = 120, 28
_EDGE = 2
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
        key = (client.config, client.who, client.name, plural, namespace)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Sparkline:
    """A row of numbers as a small drawing.

    `lines`, `areas`: SVG paths, one for each stretch without a gap; `end`: the newest point, None if missing.
    """

    lines: tuple[str, ...]
    areas: tuple[str, ...]
    end: tuple[float, float] | None
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """One number with its hour. `of`: the capacity, '' where it isn't known; `words`: the drawing in words.

    `parts`: (name, number) of the containers of one Pod that has several.
    """

    label: str
    text: str
    of: str = ""
    line: Sparkline | None = None
    words: str = ""
    parts: tuple[tuple[str, str], ...] = ()


def tiles(client: ClusterClient, plural: str, found: Usages, room: Usage | None = None) -> tuple[Tile, ...]:
    """The sum of CPU and of memory in `found`. `plural`: PODS or NODES, '' for no history; `room`: the capacity."""
    now = sum(found.values(), Usage())
    samples = _hour(client, plural, [f"{namespace}/{name}" for namespace, name in found])
    room = room or Usage()
    cpu = _tile(_("CPU"), now.cores, room.cores, [sample and sample[0] for sample in samples], cpu_text)
    memory = _tile(_("Memory"), now.memory, room.memory, [sample and sample[1] for sample in samples], memory_text)
    containers = next(iter(found.values())).containers if len(found) == 1 else ()
    if len(containers) > 1:
        cpu = replace(cpu, parts=tuple((name, used.cpu_text) for name, used in containers))
        memory = replace(memory, parts=tuple((name, used.memory_text) for name, used in containers))
    return cpu, memory


def _tile(label: str, now: float, room: float, points: Sequence[float | None], words: Callable[[float], str]) -> Tile:
    line, known = sparkline(points), [point for point in points if point is not None]
    description = ""
    if line:
        least, most = words(min(known)), words(max(known))
        description = _("%(label)s in the last hour: %(least)s to %(most)s, now %(now)s") % {
            "label": label,
            "least": least,
            "most": most,
            "now": words(now),
        }
    return Tile(label=label, text=words(now), of=words(room) if room else "", line=line, words=description)


def _hour(client: ClusterClient, plural: str, names: Sequence[str]) -> list[Sample | None]:
    """The sum of each minute, None where nothing was measured; the newest minute may still be to come."""
    if not plural or len(names) > limits.USAGE_PODS.value:
        return []
    try:
        minutes = [_sum(row) for row in usage_samples.read(client.name, plural, names)]
    except RedisError:
        return []
    return minutes[:-1] if minutes and minutes[-1] is None else minutes


def _sum(row: Iterable[Sample | None]) -> Sample | None:
    known = [sample for sample in row if sample is not None]
    return (sum(sample[0] for sample in known), sum(sample[1] for sample in known)) if known else None


def sparkline(points: Sequence[float | None]) -> Sparkline | None:
    """The drawing, from zero to the highest. None where there is no line to be drawn: fewer than two points."""
    known = [point for point in points if point is not None]
    if len(known) < 2:
        return None
    highest = max(known) or 1.0
    step = (WIDTH - 2 * _EDGE) / (len(points) - 1)
    places = [
        None
        if point is None
        else (round(_EDGE + index * step, 1), round(HEIGHT - _EDGE - point / highest * (HEIGHT - 2 * _EDGE), 1))
        for index, point in enumerate(points)
    ]
    pieces = _pieces(places)
    lines = tuple("M" + "L".join(f"{x} {y}" for x, y in piece) for piece in pieces)
    areas = tuple(
        f"{line}V{HEIGHT}H{piece[0][0]}Z" for line, piece in zip(lines, pieces, strict=True) if len(piece) > 1
    )
    return Sparkline(lines=lines, areas=areas, end=places[-1])


def _pieces(places: Sequence[tuple[float, float] | None]) -> list[list[tuple[float, float]]]:
    pieces: list[list[tuple[float, float]]] = [[]]
    for place in places:
        if place is not None:
            pieces[-1].append(place)
        elif pieces[-1]:
            pieces.append([])
    return [piece for piece in pieces if piece]
