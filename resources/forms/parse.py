"""What a browser posted → the object, type for type.

Controls lie over the object that the page was made from (the base): what posted nothing is kept, be it a section that
was never opened or a field that no schema describes. Names say everything (`s:/spec/engine`), so a schema that changed
meanwhile changes nothing here.

| control | means |
|---|---|
| `s: i: n: b: q: d: j: y:` + pointer | a value's text: string, integer, number, boolean, integer or string, Base64,
JSON, YAML |
| `e:` | what it is when its text is empty, or nothing is in it: `empty` (a text of no letters) or `null`; without it,
absent |
| `o: a: m:` | a section, list or map was on the page; with the value `1` it is there even when nothing is in it |
| `k:` | the key of a map's entry |
| `t:` | an item is here, or many (`@50-99`), closed: unchanged |
| `u:` | the branch chosen of a union; `v:` what its branches ask for, and which one was drawn |
| `r:` | the fields that no schema names, as YAML; `w:` which of them were drawn |
| `c:` | this new item is a copy of the one in that place: what the copy does not show is as it was there |
| `z:` | asked for: open this section, show more of this list, or offer another item |
| `x:` | all of it was removed |
| `h: l:` | the item goes one place up, down |
| `p: f: g:` | show it as YAML, as fields, as many lines |
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from kube import limits
from resources.forms import texts
from resources.forms.fields import ABSENT, FormInput
from resources.forms.paths import FIELDS_AT_ONCE, ITEMS_AT_ONCE, Path, arranged, is_item, position, span, split, untoken
from untrusted import json_bounds

# Two entries of a map that were given one key: the second waits under key + this, so that nothing typed is lost.
_SECOND = "\ue000"
#: Buttons that work without script, and the mark that each leaves at the pointer which is its value.
ASKED = {
    "~open": "z",
    "~add": "z",
    "~remove": "x",
    "~move-up": "h",
    "~move-down": "l",
    "~yaml": "p",
    "~fields": "f",
    "~lines": "g",
}
_MARKS = frozenset("eoamkxtzuvrwhlpfgc")


@dataclass(frozen=True, slots=True)
class UnreadControl:
    """A control that could not be read.

    `code`: integer, number, boolean, bytes, json, yaml, mapping (it must be one), twice (a field's name), or key (a
    map's, twice); `detail`: the parser's words, or the name.
    """

    path: Path
    code: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Parsed:
    """`object` is to be sent only where there are no `problems`.

    `typed` makes the same page again, with nothing lost.
    """

    object: dict[str, Any]
    problems: tuple[UnreadControl, ...]
    typed: FormInput


@dataclass(slots=True)
class Posted:
    """The controls of one pointer, and those below it, in the page's order."""

    marks: dict[str, list[str]] = field(default_factory=dict)
    below: dict[str, "Posted"] = field(default_factory=dict)

    def last(self, mark: str) -> str:
        return self.marks.get(mark, [""])[-1]


def asked(posted: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The buttons among what was posted, as marks; none when the form was sent to be saved."""
    return [(f"{ASKED[name]}:{value}", "1") for name, value in posted if name in ASKED]


def parse(base: dict[str, Any], posted: Iterable[tuple[str, str]]) -> Parsed:
    """`posted`: names and values in the page's order; names that aren't a control's are ignored.

    `base` is not changed.
    """
    reading = Reading()
    made = reading.container(_tree(posted), base, (), "o")
    return Parsed(made if isinstance(made, dict) else {}, tuple(reading.problems), reading.typed())


def _tree(posted: Iterable[tuple[str, str]]) -> Posted:
    root = Posted()
    for name, value in posted:
        mark, colon, pointer = name.partition(":")
        if not colon or len(mark) != 1 or (mark not in texts.KINDS and mark not in _MARKS):
            continue
        if (pointer and not pointer.startswith("/")) or pointer.count("/") > limits.JSON_LEVELS.value:
            continue
        node = root
        for part in split(pointer):
            node = node.below.setdefault(part, Posted())
        node.marks.setdefault(mark, []).append(value)
    return root


class Reading:
    """One pass over what was posted, collecting what the same page needs when it is drawn again."""

    def __init__(self) -> None:
        self.problems: list[UnreadControl] = []
        self.texts: dict[Path, tuple[str, str]] = {}
        self.others: dict[Path, str] = {}
        self.keys: dict[Path, str] = {}
        self.opened: set[Path] = set()
        self.asked: set[Path] = set()
        self.yaml: set[Path] = set()
        self.lines: set[Path] = set()
        self.chosen: dict[Path, str] = {}
        self.extra: dict[Path, int] = {}
        self.shown: dict[Path, int] = {}

    def typed(self) -> FormInput:
        return FormInput(
            texts=self.texts,
            others=self.others,
            keys=self.keys,
            opened=frozenset(self.opened),
            asked=frozenset(self.asked),
            yaml=frozenset(self.yaml),
            lines=frozenset(self.lines),
            chosen=self.chosen,
            extra=self.extra,
            shown=self.shown,
        )

    def value(self, node: Posted, base: Any, path: Path, item: bool = False, keyed: bool = False) -> Any:
        """The value of one node, ABSENT when there is none.

        `item`: one that was there, where an empty text is a text; `keyed`: a new entry of a map that has its key
        already.
        """
        marks = node.marks
        if "x" in marks:
            return None if node.last("e") == "null" else ABSENT
        if "z" in marks:
            self.asked.add(path)
            self.extra[path] = 1
        if "p" in marks:
            self.asked.add(path)
            self.yaml.add(path)
        if "f" in marks or "g" in marks:
            self.asked.add(path)
            self.lines |= {path} if "g" in marks else set()
        for mark in "oam":
            if mark in marks:
                return self.container(node, base, path, mark)
        for mark, values in marks.items():
            if mark in texts.KINDS:
                return self.scalar(
                    node=node, kind=texts.KINDS[mark], text=values[-1], base=base, path=path, item=item, keyed=keyed
                )
        return self.container(node, base, path, "o") if node.below else base

    def scalar(self, node: Posted, kind: str, text: str, base: Any, path: Path, item: bool, keyed: bool) -> Any:
        text = texts.normal(text)
        if kind == "any" and "f" not in node.marks:
            self.yaml.add(path)
        if text == "" or (kind == "any" and texts.says_nothing(text)):
            return self.nothing(node, kind, path, item, keyed)
        # A textarea loses nothing but line ends; anything else that is as it was drawn means what it was drawn from.
        drawn = base is not ABSENT and base is not None and texts.fits(kind, base)
        if drawn and texts.normal(texts.text_of(kind, base)) == text:
            return base
        try:
            return texts.value_of(kind, text)
        except texts.Unreadable as unreadable:
            return self.unread(path, kind, text, unreadable.code, unreadable.detail)

    def nothing(self, node: Posted, kind: str, path: Path, item: bool, keyed: bool) -> Any:
        """What an empty control means."""
        state = node.last("e")
        if state == "null":
            return None
        if state == "empty" or ((item or keyed) and kind in ("string", "bytes", "int-or-string")):
            return ""
        return self.unread(path, kind, "", texts.CODE_OF.get(kind, kind)) if keyed else ABSENT

    def unread(self, path: Path, kind: str, text: str, code: str, detail: str = "") -> str:
        self.problems.append(UnreadControl(path, code, detail))
        self.texts[path] = (kind, text)
        return text

    def container(self, node: Posted, base: Any, path: Path, mark: str) -> Any:
        self.opened.add(path)
        make = {"o": self.read_object, "a": self.read_list, "m": self.read_map}[mark]
        made = make(node, base, path)
        if made:
            return made
        if node.last("e") == "null":
            return None
        return made if "1" in node.marks.get(mark, ()) or (mark not in node.marks and base is not ABSENT) else ABSENT

    def read_object(self, node: Posted, base: Any, path: Path) -> dict[str, Any]:
        before = base if isinstance(base, dict) else {}
        made = dict(before)
        added = self.rest(node, made, path)
        left = self.left_out(node, path)
        for key in left:
            made.pop(key, None)
        closed = [(places, "z" in below.marks) for part, below in node.below.items() if (places := span(part))]
        if closed or len(node.below) > FIELDS_AT_ONCE:
            least = min((places.start for places, _ in closed), default=len(node.below))
            self.shown[path] = least + FIELDS_AT_ONCE * any(asked for _, asked in closed)
        for part, below in node.below.items():
            if span(part):
                continue
            if is_item(part):
                self.read_free_key(part, below, made, before, path)
                continue
            key = untoken(part)
            if key in left:
                continue
            value = self.value(below, before.get(key, ABSENT), (*path, key))
            if value is not ABSENT:
                if key in added and made[key] != value:
                    self.unsaid(path, node, "twice", key)
                made[key] = value
            elif key not in added:
                made.pop(key, None)
        return made

    def read_free_key(self, part: str, node: Posted, made: dict[str, Any], before: dict[str, Any], path: Path) -> None:
        """A row of an object whose other keys are free: an entry of a map, beside the fields that have names."""
        place, entries = _place(part, node), list(before.items())
        known = place is not None and place < len(entries)
        old_key, old = entries[place] if known and place is not None else ("", ABSENT)
        key = node.marks.get("k", [old_key])[-1]
        if known and (key != old_key or "x" in node.marks):
            made.pop(old_key, None)
        if "x" in node.marks:
            return
        free = key if key == old_key and known else _free(made, key)
        step = free if key or known else len(made)
        value = self.value(node, old, (*path, step), item=known, keyed=bool(key) and not known)
        if value is not ABSENT and free == old_key and known:
            made[key] = value
        elif value is not ABSENT:
            self.put(made, key, value, path)

    def rest(self, node: Posted, made: dict[str, Any], path: Path) -> frozenset[str]:
        """The fields that no schema names, as they were typed: put into `made` in the place of those that were
        drawn. Returns the new ones.
        """
        if "r" not in node.marks:
            return frozenset()
        text, drawn = texts.normal(node.last("r")), [key for key in _names(node.last("w")) if key in made]
        if text == texts.normal(texts.of_others({key: made[key] for key in drawn})):
            return frozenset()
        try:
            found = {} if texts.says_nothing(text) else texts.value_of("any", text)
            if not isinstance(found, dict):
                raise texts.Unreadable("mapping")
            if twice := [key for key in found if key in made and key not in drawn]:
                raise texts.Unreadable("twice", ", ".join(twice))
        except texts.Unreadable as unreadable:
            self.unsaid(path, node, unreadable.code, unreadable.detail)
            return frozenset()
        for key in drawn:
            if key not in found:
                made.pop(key)
        made.update(found)
        return frozenset(found).difference(drawn)

    def unsaid(self, path: Path, node: Posted, code: str, detail: str) -> None:
        self.problems.append(UnreadControl(path, code, detail))
        self.others[path] = texts.normal(node.last("r"))

    def left_out(self, node: Posted, path: Path) -> frozenset[str]:
        """The fields that belong only to branches of a union other than the one that was just chosen."""
        if "u" not in node.marks:
            return frozenset()
        chosen = self.chosen[path] = node.last("u")
        union = {"only": [], "was": "", **_mapping(node.last("v"))}
        union["only"] = union["only"] if isinstance(union["only"], list) else []
        only = [frozenset(names) for names in union["only"] if isinstance(names, list)]
        if chosen == union.get("was") or not chosen.isdecimal() or int(chosen) >= len(only):
            return frozenset()
        return frozenset().union(*only) - only[int(chosen)]

    def read_list(self, node: Posted, base: Any, path: Path) -> list[Any]:
        before = base if isinstance(base, list) else []
        made: list[Any] = []
        for part, below in self.items(node, path):
            closed = span(part)
            if closed is not None:
                made += before[closed.start : closed.stop]
                continue
            place = _place(part, below)
            old = before[place] if place is not None and place < len(before) else ABSENT
            value = self.value(below, old, (*path, len(made)), item=old is not ABSENT)
            if value is not ABSENT:
                made.append(value)
            elif "g" in below.marks:
                self.extra[path] = 1
        return made

    def items(self, node: Posted, path: Path) -> list[tuple[str, Posted]]:
        """What is on the page of a list or map, in the order that was asked for; remembers how much of a long one
        that is.
        """
        found = [(part, below) for part, below in node.below.items() if is_item(part) or span(part)]
        if any(span(part) for part, _ in found):
            shown = sum(not span(part) for part, _ in found)
            self.shown[path] = shown + ITEMS_AT_ONCE * any(span(part) and "z" in below.marks for part, below in found)
        return arranged(found, lambda below: "h" in below.marks, lambda below: "l" in below.marks, Posted)

    def read_map(self, node: Posted, base: Any, path: Path) -> dict[str, Any]:
        before = list(base.items()) if isinstance(base, dict) else []
        made: dict[str, Any] = {}
        for part, below in self.items(node, path):
            closed = span(part)
            if closed is not None:
                for key, value in before[closed.start : closed.stop]:
                    self.put(made, key, value, path)
                continue
            place = _place(part, below)
            known = place is not None and place < len(before)
            old_key, old = before[place] if known and place is not None else ("", ABSENT)
            key = below.marks.get("k", [old_key])[-1]
            if "x" in below.marks:
                continue
            step = _free(made, key) if key or known else len(made)
            value = self.value(below, old, (*path, step), item=known, keyed=bool(key) and not known)
            if value is not ABSENT:
                self.put(made, key, value, path)
            elif "g" in below.marks:
                self.extra[path] = 1
        return made

    def put(self, made: dict[str, Any], key: str, value: Any, path: Path) -> None:
        """The entry under its key, or, where that is taken, beside it with a word about it."""
        stored = _free(made, key)
        made[stored] = value
        if stored != key:
            self.problems.append(UnreadControl((*path, stored), "key", key))
            self.keys[(*path, stored)] = key


def _place(part: str, node: Posted) -> int | None:
    """Where the item stands in what the page was made from: its own place, or that of the one it is a copy of."""
    place = position(part)
    copied = node.last("c")
    return int(copied) if place is None and copied.isdecimal() and len(copied) < 10 else place


def _free(made: dict[str, Any], key: str) -> str:
    while key in made:
        key += _SECOND
    return key


def _names(text: str) -> list[str]:
    try:
        found = json_bounds.loads(text or "[]")
    except ValueError:
        return []
    return [key for key in found if isinstance(key, str)] if isinstance(found, list) else []


def _mapping(text: str) -> dict[str, Any]:
    try:
        found = json_bounds.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
