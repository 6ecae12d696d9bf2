"""Matches expressions in linear time, whatever the text: for those that Python's backtracking could take an age over.

All ways through the expression are walked at once (https://swtch.com/~rsc/regexp/regexp1.html), as RE2 does.
"""

from __future__ import annotations

import functools

from .regex import Anchor, Chars, Either, Malformed, Repeat, Sequence, Tree, parse

#: Beyond these, nothing is said about a match.
MOST_STATES = 6000
MOST_STEPS = 3_000_000


class TooLarge(ValueError):
    """The expression, written out, is too long to walk."""


class _Program:
    """``steps``: what each state takes, and where it goes; a state that takes nothing goes to all of its ways."""

    def __init__(self, tree: Tree) -> None:
        self.steps: list[tuple[Chars | Anchor | None, tuple[int, ...]]] = [(None, ())]
        self.start = self._add(tree, 0)

    def _state(self, takes: Chars | Anchor | None, *ways: int) -> int:
        if len(self.steps) >= MOST_STATES:
            raise TooLarge
        self.steps.append((takes, ways))
        return len(self.steps) - 1

    def _add(self, tree: Tree, after: int) -> int:
        """The state that begins ``tree``, which leads to ``after``."""
        match tree:
            case Chars() | Anchor():
                return self._state(tree, after)
            case Sequence(parts):
                for part in reversed(parts):
                    after = self._add(part, after)
                return after
            case Either(parts):
                return self._state(None, *[self._add(part, after) for part in parts])
            case Repeat(part, least, most):
                return self._repeat(part, least, most, after)

    def _repeat(self, part: Tree, least: int, most: int | None, after: int) -> int:
        if most is None:
            loop = self._state(None)
            self.steps[loop] = (None, (self._add(part, loop), after))
            first = loop
        else:
            first = after
            for _ in range(most - least):
                first = self._state(None, self._add(part, first), after)
        for _ in range(least):
            first = self._add(part, first)
        return first


def search(pattern: str, text: str) -> bool | None:
    """Whether the expression is found in the text; None for one that is malformed or too large to tell."""
    program = _program(pattern)
    if program is None or len(program.steps) * len(text) > MOST_STEPS:
        return None
    steps, states = program.steps, set[int]()
    for at in range(len(text) + 1):
        reached = _closure(steps, (*states, program.start), text, at)
        if 0 in reached:
            return True
        char = text[at : at + 1]
        states = {steps[state][1][0] for state in reached if char and _takes(steps[state][0], char)}
    return False


def _takes(chars: Chars | Anchor | None, char: str) -> bool:
    return isinstance(chars, Chars) and char in chars


@functools.lru_cache(maxsize=512)
def _program(pattern: str) -> _Program | None:
    try:
        return _Program(parse(pattern))
    except (Malformed, TooLarge, RecursionError):
        return None


def _closure(
    steps: list[tuple[Chars | Anchor | None, tuple[int, ...]]], states: tuple[int, ...], text: str, at: int
) -> set[int]:
    """The states that are reached without taking a character."""
    reached: set[int] = set()
    open_ = list(states)
    while open_:
        state = open_.pop()
        if state in reached:
            continue
        reached.add(state)
        takes, ways = steps[state]
        if takes is None or (isinstance(takes, Anchor) and _holds(takes.kind, text, at)):
            open_ += ways
    return reached


def _holds(kind: str, text: str, at: int) -> bool:
    match kind:
        case "start":
            return at == 0
        case "end":
            return at == len(text)
        case "line-start":
            return at == 0 or text[at - 1] == "\n"
        case "line-end":
            return at == len(text) or text[at] == "\n"
    edge = _in_word(text[at - 1 : at] if at else "") != _in_word(text[at : at + 1])
    return edge == (kind == "word")


def _in_word(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")


@functools.lru_cache(maxsize=2048)
def risky(pattern: str) -> bool:
    """Whether a choice stands in a repetition, be it another repetition: only then can going back take exponential time."""
    try:
        return _chooses(parse(pattern), False)
    except (Malformed, RecursionError):
        return True


def _chooses(tree: Tree, repeated: bool) -> bool:
    match tree:
        case Sequence(parts):
            return any(_chooses(part, repeated) for part in parts)
        case Either(parts):
            return repeated or any(_chooses(part, repeated) for part in parts)
        case Repeat(part, least, most):
            return (repeated and least != most) or _chooses(part, repeated or most is None or most > 1)
    return False
