"""What some objects used in the last hour, added up and drawn, for a reader who can list what they use now.

Permission: callers pass the objects that are in the reader's own list of measurements (resources/usage/readings.py).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from kube import limits
from kube.client import ClusterClient
from resources.changes import RedisError, usage_samples
from resources.changes.usage_samples import Sample
from resources.usage.readings import Usage, Usages, cpu_text, memory_text

#: Of the drawing's own coordinates (its viewBox).
WIDTH, HEIGHT = 120, 28
_EDGE = 2


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
