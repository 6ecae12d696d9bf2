"""RE2's regular expressions, parsed: what Go's regexp takes (https://github.com/google/re2/wiki/Syntax), as a small tree.

The tree is walked by an automaton (automaton.py), and written down for browsers by the console's forms.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace

_POSIX = {
    "alnum": "09AZaz", "alpha": "AZaz", "ascii": "\x00\x7f", "blank": "\t\t  ", "cntrl": "\x00\x1f\x7f\x7f", "digit": "09",
    "graph": "!~", "lower": "az", "print": " ~", "punct": "!/:@[`{~", "space": "\t\r  ", "upper": "AZ", "word": "09AZaz__",
    "xdigit": "09AFaf",
}  # fmt: skip
_PERL = {"d": "09", "w": "09AZaz__", "s": "\t\n\f\r  "}
_ESCAPES = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_ANCHORS = {"A": "start", "z": "end", "b": "word", "B": "inside"}
_COUNT = re.compile(r"\{(\d{1,4})(,(\d{0,4}))?\}")
_GROUP = re.compile(r"\(\?(?:P?<(?P<name>[A-Za-z_]\w*)>|(?P<on>[imsU]*)(?:-(?P<off>[imsU]+))?(?P<end>[:)]))")
_NUMBER = re.compile(r"x\{([0-9A-Fa-f]{1,6})\}|x([0-9A-Fa-f]{2})|([0-7]{3}|0[0-7]{0,2})")
_CLASS = re.compile(r"[pP](?:\{(\^?)(\w+)\}|(\w))")
_MOST = 1000


class Malformed(ValueError):
    """No expression of RE2's; the text says where."""


@dataclass(frozen=True, slots=True)
class Chars:
    """One character: of ``ranges`` (both ends in), or of the Unicode ``classes`` (name, whether of the others); all others if ``negated``."""

    ranges: tuple[tuple[str, str], ...] = ()
    classes: tuple[tuple[str, bool], ...] = ()
    negated: bool = False
    fold: bool = False

    def __contains__(self, char: str) -> bool:
        return self._has(char) != self.negated

    def _has(self, char: str) -> bool:
        given = {char, char.lower(), char.upper()} if self.fold else (char,)
        if any(low <= one <= high for one in given for low, high in self.ranges):
            return True
        return any(unicodedata.category(char).startswith(name) != other for name, other in self.classes)


@dataclass(frozen=True, slots=True)
class Anchor:
    """start, end, line-start, line-end, word (a word begins or ends here) or inside (it does not)."""

    kind: str


@dataclass(frozen=True, slots=True)
class Sequence:
    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Either:
    parts: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """``most`` None: no end."""

    part: Tree
    least: int
    most: int | None


Tree = Chars | Anchor | Sequence | Either | Repeat


def parse(pattern: str) -> Tree:
    """Raises Malformed. Unicode scripts (``\\p{Greek}``) are not known."""
    parser = _Parser(pattern)
    tree = parser.alternatives("")
    if parser.at < len(pattern):
        raise Malformed(f"unexpected ) at {parser.at}")
    return tree


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def alternatives(self, flags: str) -> Tree:
        parts = []
        while True:
            part, flags = self._sequence(flags)
            parts.append(part)
            if not self.text.startswith("|", self.at):
                return parts[0] if len(parts) == 1 else Either(tuple(parts))
            self.at += 1

    def _sequence(self, flags: str) -> tuple[Tree, str]:
        """The parts until the group or the alternative ends; flags set in the middle hold until the group ends."""
        parts: list[Tree] = []
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            if self.text.startswith("\\Q", self.at):
                end = self.text.find("\\E", self.at)
                parts += [_char(char, flags) for char in self.text[self.at + 2 : end if end >= 0 else None]]
                self.at = end + 2 if end >= 0 else len(self.text)
                continue
            group = _GROUP.match(self.text, self.at)
            if group and group["end"] == ")":
                self.at = group.end()
                flags = _flags(flags, group)
                continue
            parts.append(self._repeated(self._atom(flags)))
        return (parts[0] if len(parts) == 1 else Sequence(tuple(parts))), flags

    def _repeated(self, part: Tree) -> Tree:
        least, most = self._count()
        if least < 0:
            return part
        if self._count()[0] >= 0:
            raise Malformed(f"nested repetition at {self.at}")
        return Repeat(part, least, most)

    def _count(self) -> tuple[int, int | None]:
        """(-1, None) where nothing is repeated."""
        char = self.text[self.at : self.at + 1]
        simple: dict[str, tuple[int, int | None]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        least, most = simple.get(char, (-1, None))
        length = 1
        if found := _COUNT.match(self.text, self.at):
            least = int(found[1])
            most = least if found[2] is None else int(found[3]) if found[3] else None
            length = len(found[0])
            if max(least, most or 0) > _MOST or (most is not None and most < least):
                raise Malformed(f"bad repetition {found[0]}")
        if least >= 0:
            self.at += length
            self.at += self.text.startswith("?", self.at)
        return least, most

    def _atom(self, flags: str) -> Tree:
        char = self.text[self.at]
        if char == "(":
            return self._group(flags)
        if char == "[":
            return self._class(flags)
        if char == "\\":
            return self._escape(flags)
        if char in "*+?":
            raise Malformed(f"nothing to repeat at {self.at}")
        self.at += 1
        match char:
            case ".":
                return Chars((), negated=True) if "s" in flags else Chars((("\n", "\n"),), negated=True)
            case "^":
                return Anchor("line-start" if "m" in flags else "start")
            case "$":
                return Anchor("line-end" if "m" in flags else "end")
        return _char(char, flags)

    def _group(self, flags: str) -> Tree:
        group = _GROUP.match(self.text, self.at)
        if group:
            flags = _flags(flags, group)
            self.at = group.end()
        elif self.text.startswith("(?", self.at):
            raise Malformed(f"RE2 has no {self.text[self.at : self.at + 4]}")
        else:
            self.at += 1
        tree = self.alternatives(flags)
        if not self.text.startswith(")", self.at):
            raise Malformed("missing )")
        self.at += 1
        return tree

    def _escape(self, flags: str) -> Tree:
        char = self.text[self.at + 1 : self.at + 2]
        if char in _ANCHORS:
            self.at += 2
            return Anchor(_ANCHORS[char])
        made = self._set()
        return replace(made, fold="i" in flags)

    def _set(self) -> Chars:
        """An escape as characters, in a class or outside."""
        char = self.text[self.at + 1 : self.at + 2]
        self.at += 1
        if number := _NUMBER.match(self.text, self.at):
            self.at = number.end()
            code = int(number[1] or number[2], 16) if number[3] is None else int(number[3], 8)
            return _char(chr(code), "")
        if found := _CLASS.match(self.text, self.at):
            return self._unicode(found)
        self.at += 1
        if char.lower() in _PERL and char:
            return Chars(_pairs(_PERL[char.lower()]), negated=char.isupper())
        if char in _ESCAPES:
            return _char(_ESCAPES[char], "")
        if not char or (char.isalnum() and char.isascii()):
            raise Malformed(f"RE2 has no \\{char}")
        return _char(char, "")

    def _unicode(self, found: re.Match[str]) -> Chars:
        name = found[2] or found[3]
        if len(name) > 2 or name[0] not in "LMNPSZC":
            raise Malformed(f"unknown class {name}")
        self.at = found.end()
        return Chars(classes=((name, (found[0][0] == "P") != bool(found[1])),))

    def _class(self, flags: str) -> Chars:
        start = self.at
        self.at += 1
        negated = self.text.startswith("^", self.at)
        self.at += negated
        first = self.at
        ranges: list[tuple[str, str]] = []
        classes: list[tuple[str, bool]] = []
        while not self.text.startswith("]", self.at) or self.at == first:
            if self.at >= len(self.text):
                raise Malformed(f"missing ] of {start}")
            made = self._posix() or self._range()
            classes += made.classes
            ranges += _others(made.ranges) if made.negated else made.ranges
        self.at += 1
        return Chars(tuple(ranges), tuple(classes), negated, "i" in flags)

    def _posix(self) -> Chars | None:
        found = re.compile(r"\[:(\^?)(\w+):\]").match(self.text, self.at)
        if found is None:
            return None
        if found[2] not in _POSIX:
            raise Malformed(f"unknown class {found[2]}")
        self.at = found.end()
        return Chars(_pairs(_POSIX[found[2]]), negated=bool(found[1]))

    def _range(self) -> Chars:
        low = self._one()
        if not low.ranges or low.ranges[0][0] != low.ranges[0][1] or low.negated or len(low.ranges) > 1:
            return low
        if self.text.startswith("-", self.at) and not self.text.startswith("-]", self.at):
            self.at += 1
            high = self._one()
            if len(high.ranges) != 1 or high.negated or high.ranges[0][1] < low.ranges[0][0]:
                raise Malformed(f"bad range before {self.at}")
            return Chars(((low.ranges[0][0], high.ranges[0][1]),))
        return low

    def _one(self) -> Chars:
        if self.at >= len(self.text):
            raise Malformed("missing ]")
        if self.text[self.at] == "\\":
            return self._set()
        self.at += 1
        return _char(self.text[self.at - 1], "")


def _char(char: str, flags: str) -> Chars:
    return Chars(((char, char),), fold="i" in flags)


def _flags(flags: str, group: re.Match[str]) -> str:
    return "".join(set(flags + (group["on"] or "")) - set(group["off"] or ""))


def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    return tuple(zip(text[::2], text[1::2], strict=True))


def _others(ranges: tuple[tuple[str, str], ...]) -> list[tuple[str, str]]:
    """All characters that are not of the ranges."""
    made, last = [], 0
    for low, high in sorted(ranges):
        if ord(low) > last:
            made.append((chr(last), chr(ord(low) - 1)))
        last = max(last, ord(high) + 1)
    if last <= 0x10FFFF:
        made.append((chr(last), chr(0x10FFFF)))
    return made
