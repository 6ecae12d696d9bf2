"""A ring of shares, as SVG that the server draws.

What it says stands beside it as a table: it is a picture of that, no more.
"""

from collections.abc import Iterable
from dataclasses import dataclass

#: The ring's length in the drawing; nothing is narrower than _LEAST, so that one of a thousand is seen.
LENGTH, _LEAST, _GAP = 100.0, 2.0, 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Arc:
    """`length` of LENGTH, beginning `offset` behind twelve o'clock. `colour`: of the state, as labels have it."""

    colour: str
    label: str
    number: int
    length: float
    offset: float

    @property
    def dash(self) -> str:
        """For stroke-dasharray: the arc, and the rest of the ring."""
        return f"{self.length:.2f} {LENGTH - self.length:.2f}"

    @property
    def begin(self) -> str:
        """For stroke-dashoffset, which counts backwards."""
        return f"{-self.offset:.2f}"


@dataclass(frozen=True, slots=True)
class Donut:
    """In the order of the shares; no arcs where there is nothing."""

    arcs: tuple[Arc, ...] = ()

    @property
    def words(self) -> str:
        return ", ".join(f"{arc.label} {arc.number:,}" for arc in self.arcs)


def donut(shares: Iterable[tuple[str, int, str]]) -> Donut:
    """`shares`: (colour, number, label)."""
    given = [share for share in shares if share[1] > 0]
    total = sum(number for _colour, number, _label in given)
    gap = _GAP if len(given) > 1 else 0.0
    room = LENGTH - gap * len(given)
    wide = [max(_LEAST, room * number / total) for _colour, number, _label in given]
    arcs, offset = [], 0.0
    for (colour, number, label), width in zip(given, wide, strict=True):
        length = width * room / sum(wide)
        arcs.append(Arc(colour=colour, label=label, number=number, length=length, offset=offset))
        offset += length + gap
    return Donut(tuple(arcs))
