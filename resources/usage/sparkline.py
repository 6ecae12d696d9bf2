"""A row of numbers as a small drawing and as words. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

#: Of the drawing's own coordinates (its viewBox).
WIDTH, HEIGHT = 120, 28
_EDGE = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Sparkline:
    """`lines`, `areas`: SVG paths, one for each stretch without a gap; `end`: the newest point, None if missing."""

    lines: tuple[str, ...]
    areas: tuple[str, ...]
    end: tuple[float, float] | None
    width: int = WIDTH
    height: int = HEIGHT


def sparkline(points: Sequence[float | None]) -> Sparkline | None:
    """From zero to the highest. None where there is no line to be drawn: fewer than two points."""
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
