"""What a browser posted → the object, type for type.

Controls lie over the object that the page was made from (the base): what posted nothing is kept, be it a section that was never opened or
a field that no schema describes. Names say everything (`s:/spec/engine`), so a schema that changed meanwhile changes nothing here.

| control | means |
|---|---|
| `s: i: n: b: q: j: y:` + pointer | a value's text: string, integer, number, boolean, integer or string, JSON, YAML |
| `e:` | what an empty text is: `empty` (a text of no letters) or `null`; without it, absent |
| `o: a: m:` | a section, list or map was on the page; with the value `1` it is there even when nothing is in it |
| `k:` | the key of a map's entry |
| `t:` | an item is here, closed: nothing of it changed |
| `z:` | asked for: open this section, or offer another item |
| `x:` | all of it was removed |
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from resources.forms import texts
from resources.forms.fields import ABSENT, Typed
from resources.forms.paths import Path, is_item, position, split, untoken

# Two entries of a map that were given one key: the second waits under key + this, so that nothing typed is lost.
_SECOND = "\ue000"


@dataclass(frozen=True, slots=True)
class Problem:
    """A control that could not be read. `code`: integer, number, boolean, json, yaml, or key (stands twice); `detail`: the parser's words."""

    path: Path
    code: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """`object` is to be sent only where there are no `problems`. `typed` makes the same page again, with nothing lost."""

    object: dict[str, Any]
    problems: tuple[Problem, ...]
    typed: Typed


@dataclass(slots=True)
class _Posted:
    """The controls of one pointer, and those below it, in the page's order."""

    marks: dict[str, list[str]] = field(default_factory=dict)
    below: dict[str, "_Posted"] = field(default_factory=dict)


def parse(base: dict[str, Any], posted: Iterable[tuple[str, str]]) -> Parsed:
    """`posted`: names and values in the page's order; names that are no control's are passed over. `base` is not changed."""
    reading = _Reading()
    made = reading.container(_tree(posted), base, (), "o")
    return Parsed(made if isinstance(made, dict) else {}, tuple(reading.problems), reading.typed())


def _tree(posted: Iterable[tuple[str, str]]) -> _Posted:
    root = _Posted()
    for name, value in posted:
        mark, colon, pointer = name.partition(":")
        if not colon or len(mark) != 1 or (mark not in texts.KINDS and mark not in "eoamkxtz"):
            continue
        if pointer and not pointer.startswith("/"):
            continue
        node = root
        for part in split(pointer):
            node = node.below.setdefault(part, _Posted())
        node.marks.setdefault(mark, []).append(value)
    return root


class _Reading:
    """One pass over what was posted, gathering what the same page needs when it is drawn again."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.texts: dict[Path, tuple[str, str]] = {}
        self.keys: dict[Path, str] = {}
        self.opened: set[Path] = set()
        self.asked: set[Path] = set()
        self.extra: dict[Path, int] = {}

    def typed(self) -> Typed:
        return Typed(
            texts=self.texts,
            keys=self.keys,
            opened=frozenset(self.opened),
            asked=frozenset(self.asked),
            extra=self.extra,
        )

    def value(self, node: _Posted, base: Any, path: Path, item: bool = False, new: bool = False) -> Any:
        """The value of one node, ABSENT when there is none. `item`: of a list or map, where an empty text is a text."""
        if "x" in node.marks:
            return ABSENT
        if "z" in node.marks:
            self.asked.add(path)
            self.extra[path] = 1
        for mark in "oam":
            if mark in node.marks:
                return self.container(node, base, path, mark)
        for mark, values in node.marks.items():
            if mark in texts.KINDS:
                return self.scalar(node, texts.KINDS[mark], values[-1], base, path, item and not new)
        return self.container(node, base, path, "o") if node.below else base

    def scalar(self, node: _Posted, kind: str, text: str, base: Any, path: Path, item: bool) -> Any:
        state = node.marks.get("e", [""])[-1]
        text = texts.normal(text)
        if text == "":
            if state == "null":
                return None
            return "" if state == "empty" or (item and kind in ("string", "int-or-string")) else ABSENT
        # A textarea loses nothing but line ends; anything else that is as it was drawn means what it was drawn from.
        drawn = base is not ABSENT and base is not None and texts.fits(kind, base)
        if drawn and texts.normal(texts.text_of(kind, base)) == text:
            return base
        try:
            return texts.value_of(kind, text, None if base is ABSENT else base)
        except texts.Unreadable as unreadable:
            self.problems.append(Problem(path, unreadable.code, unreadable.detail))
            self.texts[path] = (kind, text)
            return text

    def container(self, node: _Posted, base: Any, path: Path, mark: str) -> Any:
        self.opened.add(path)
        make = {"o": self.object, "a": self.list, "m": self.map}[mark]
        made = make(node, base, path)
        kept = "1" in node.marks.get(mark, ()) or (mark not in node.marks and base is not ABSENT)
        return made if made or kept else ABSENT

    def object(self, node: _Posted, base: Any, path: Path) -> dict[str, Any]:
        made = dict(base) if isinstance(base, dict) else {}
        for part, below in node.below.items():
            key = untoken(part)
            value = self.value(below, made.get(key, ABSENT), (*path, key))
            if value is ABSENT:
                made.pop(key, None)
            else:
                made[key] = value
        return made

    def list(self, node: _Posted, base: Any, path: Path) -> list[Any]:
        before = base if isinstance(base, list) else []
        made: list[Any] = []
        for part, below in node.below.items():
            if not is_item(part):
                continue
            place = position(part)
            old = before[place] if place is not None and place < len(before) else ABSENT
            value = self.value(below, old, (*path, len(made)), item=True, new=old is ABSENT)
            if value is not ABSENT:
                made.append(value)
        return made

    def map(self, node: _Posted, base: Any, path: Path) -> dict[str, Any]:
        before = list(base.items()) if isinstance(base, dict) else []
        made: dict[str, Any] = {}
        for part, below in node.below.items():
            if not is_item(part):
                continue
            place = position(part)
            known = place is not None and place < len(before)
            old_key, old = before[place] if known and place is not None else ("", ABSENT)
            key = below.marks.get("k", [old_key])[-1]
            if "x" in below.marks:
                continue
            stored = key
            while stored in made:
                stored += _SECOND
            value = self.value(below, old, (*path, stored), item=True, new=not known and not key)
            if value is ABSENT:
                continue
            made[stored] = value
            if stored != key:
                self.problems.append(Problem((*path, stored), "key", key))
                self.keys[(*path, stored)] = key
        return made
