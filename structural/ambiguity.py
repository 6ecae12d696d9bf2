"""Whether going back and trying again, as browsers and Python do, can take exponential time over an expression.

It can where a text has two ways through a repetition and back to where they parted (https://arxiv.org/abs/1405.5599, "EDA"). Positions
of the expression are followed two at a time; what is repeated more than a few times counts as repeated without end.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field

from .automaton import risky
from .regex import Anchor, Chars, Either, Malformed, Repeat, Sequence, Tree, parse

#: Expressions with more characters are taken for the worst.
MOST = 80
_FEW = 4
_SAMPLES = "aZ0 -_.\n\u00e9\u4e00"


@dataclass(slots=True)
class _Walk:
    """Glushkov's automaton: ``follow[p]`` are the positions that may come after p. ``twice``: some may in two ways."""

    chars: list[Chars] = field(default_factory=list)
    follow: list[set[int]] = field(default_factory=list)
    twice: bool = False

    def add(self, tree: Tree) -> tuple[bool, set[int], set[int]]:
        """(whether it may be empty, where it may begin, where it may end)."""
        match tree:
            case Chars():
                self.chars.append(tree)
                self.follow.append(set())
                here = {len(self.chars) - 1}
                return False, here, here
            case Anchor():
                return True, set(), set()
            case Either(parts):
                made = [self.add(part) for part in parts]
                return (
                    any(one[0] for one in made),
                    set().union(*[one[1] for one in made]),
                    set().union(*[one[2] for one in made]),
                )
            case Sequence(parts):
                return self._sequence(parts)
            case Repeat(part, least, most) if most is not None and 1 < most <= _FEW:
                return self.add(_written_out(part, least, most))
            case Repeat(part, least, most):
                empty, first, last = self.add(part)
                if most is None or most > 1:
                    self._link(last, first)
                return empty or least == 0, first, last

    def _sequence(self, parts: tuple[Tree, ...]) -> tuple[bool, set[int], set[int]]:
        empty, first, last = True, set[int](), set[int]()
        for part in parts:
            inner_empty, inner_first, inner_last = self.add(part)
            self._link(last, inner_first)
            first = first | inner_first if empty else first
            last = last | inner_last if inner_empty else inner_last
            empty = empty and inner_empty
        return empty, first, last

    def _link(self, ends: set[int], beginnings: set[int]) -> None:
        for end in ends:
            self.twice = self.twice or bool(self.follow[end] & beginnings)
            self.follow[end] |= beginnings


def _written_out(part: Tree, least: int, most: int) -> Tree:
    """``x{1,3}`` as ``x(x(x)?)?``."""
    tail: tuple[Tree, ...] = ()
    for _ in range(most - least):
        tail = (Repeat(Sequence((part, *tail)), 0, 1),)
    return Sequence((part,) * least + tail)


@functools.lru_cache(maxsize=1024)
def explosive(pattern: str) -> bool:
    """True for what is malformed or too long to tell, too."""
    if not risky(pattern):
        return False
    walk = _Walk()
    try:
        walk.add(parse(pattern))
    except (Malformed, RecursionError):
        return True
    return walk.twice or len(walk.chars) > MOST or _two_ways(walk)


def _two_ways(walk: _Walk) -> bool:
    """Whether two different positions lie on a loop of pairs that begins and ends with one position twice."""
    size = len(walk.chars)
    overlap = [[_overlap(one, other) for other in walk.chars] for one in walk.chars]
    ahead: list[list[int]] = [
        [a * size + b for a in walk.follow[pair // size] for b in walk.follow[pair % size] if overlap[a][b]]
        for pair in range(size * size)
    ]
    behind: list[list[int]] = [[] for _ in ahead]
    for pair, nexts in enumerate(ahead):
        for after in nexts:
            behind[after].append(pair)
    for position in range(size):
        start = position * size + position
        around = _reached(start, ahead) & _reached(start, behind)
        if any(pair // size != pair % size for pair in around):
            return True
    return False


def _reached(start: int, ways: list[list[int]]) -> set[int]:
    found: set[int] = set()
    open_ = [start]
    while open_:
        for after in ways[open_.pop()]:
            if after not in found:
                found.add(after)
                open_.append(after)
    return found


def _overlap(one: Chars, other: Chars) -> bool:
    ends = [char for chars in (one, other) for pair in chars.ranges for char in pair]
    nearby = [chr(min(0x10FFFF, max(0, ord(char) + step))) for char in ends for step in (-1, 0, 1)]
    return any(char in one and char in other for char in (*nearby, *_SAMPLES))
