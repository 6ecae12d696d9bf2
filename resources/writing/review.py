"""What a save would change: the object as it is and as it would be, line by line as YAML, and field by field.

Both sides are walked together, so a line never stands beside one that means another field. What the cluster itself adds
(defaults, webhooks) is distinguished from what was sent.
"""

import json
import re
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from kube.objects import KubeObject
from resources import yamltext
from resources.display_copy import in_order
from resources.writing.diff import MISSING, Path, same
from resources.writing.draft import own, words

#: Unchanged lines that are shown around a change.
_AROUND = 3
#: Objects of more lines than this are compared field by field only.
_LINES = 20_000
_FIELDS = 200
_SHORT = 160
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9/_.-]*")
_WORDS = frozenset(["y", "n", "yes", "no", "true", "false", "on", "off", "null"])


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """One line of both sides; None where a side has none.

    Numbers count from 1. `folded`: that many equal lines are left out here.
    """

    left: str | None = None
    right: str | None = None
    left_number: int = 0
    right_number: int = 0
    by_cluster: bool = False
    folded: int = 0

    @property
    def same(self) -> bool:
        return self.left == self.right and not self.folded


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field. `before` and `after` are YAML, '' where it isn't set; `by_cluster`: set by the cluster, not typed."""

    where: str
    before: str
    after: str
    by_cluster: bool


@dataclass(frozen=True, slots=True)
class Review:
    lines: tuple[DiffLine, ...]
    changes: tuple[FieldChange, ...]
    left_out: int = 0
    too_long: bool = False

    @property
    def mine(self) -> int:
        return sum(not change.by_cluster for change in self.changes)

    @property
    def defaulted(self) -> bool:
        """Whether the cluster adds anything."""
        return any(line.by_cluster for line in self.lines)

    @property
    def clusters(self) -> int:
        return sum(change.by_cluster for change in self.changes)


def review(live: KubeObject | None, sent: KubeObject, result: KubeObject, *, whole: bool = False) -> Review:
    """`live` as it is now, None when it is to be created; `sent`: what is asked for; `result`: what the dry run
    answered; `whole`: with all lines, also unchanged ones.
    """
    return _compared({} if live is None else own(live), own(result), own(sent), whole=whole or live is None)


def compare(old: KubeObject, new: KubeObject) -> Review:
    """Two objects as they are, their status too."""
    return _compared(old, new, new)


def _compared(old: KubeObject, new: KubeObject, sent: KubeObject, whole: bool = False) -> Review:
    walk = _Walk()
    walk.mapping(in_order(old), in_order(new), sent, 0, ())
    long = len(walk.rows) > _LINES
    lines = () if long else tuple(_numbered(walk.rows) if whole else _folded(walk.rows))
    return Review(lines, tuple(walk.changes[:_FIELDS]), max(0, len(walk.changes) - _FIELDS), long)


class _Walk:
    """Collects rows and changes of one pair of objects."""

    def __init__(self) -> None:
        self.rows: list[DiffLine] = []
        self.changes: list[FieldChange] = []

    def mapping(self, old: Any, new: Any, sent: Any, indent: int, path: Path) -> None:
        asked = sent if isinstance(sent, dict) else {}
        for key in dict.fromkeys((*old, *new)):
            self.entry(
                key=key,
                old=old.get(key, MISSING),
                new=new.get(key, MISSING),
                sent=asked.get(key, MISSING),
                indent=indent,
                path=(*path, key),
            )

    def entry(self, key: str, old: Any, new: Any, sent: Any, indent: int, path: Path) -> None:
        head = f"{' ' * indent}{_scalar(key)}:"
        if _both(dict, old, new) or _both(list, old, new):
            self.rows.append(DiffLine(left=head, right=head))
            self.inside(old, new, sent, indent + 2 if isinstance(new, dict) else indent, path)
        elif same(old, new):
            self.rows += [DiffLine(left=line, right=line) for line in _lines(key, old, indent)]
        else:
            self.changed(key=key, old=old, new=new, sent=sent, indent=indent, path=path)

    def inside(self, old: Any, new: Any, sent: Any, indent: int, path: Path) -> None:
        if isinstance(new, dict):
            self.mapping(old, new, sent, indent, path)
        else:
            self.sequence(old, new, sent if isinstance(sent, list) else [], indent, path)

    def changed(self, key: str, old: Any, new: Any, sent: Any, indent: int, path: Path) -> None:
        # Removed by the cluster is what was sent and is not there; its own is what it adds or writes differently.
        nested = isinstance(new, (dict, list)) and bool(new) and sent is not MISSING
        by_cluster = sent is not MISSING if new is MISSING else not same(sent, new) and not nested
        self.changes.append(FieldChange(words(path), _brief(old), _brief(new), by_cluster))
        left = [] if old is MISSING else _lines(key, old, indent)
        right = [] if new is MISSING else self.added(key, new, sent, indent)
        for place in range(max(len(left), len(right))):
            before = left[place] if place < len(left) else None
            after, theirs = right[place] if place < len(right) else (None, False)
            self.rows.append(DiffLine(left=before, right=after, by_cluster=theirs if after is not None else by_cluster))

    def added(self, key: str | None, new: Any, sent: Any, indent: int) -> list[tuple[str, bool]]:
        """New lines, each with whether the cluster added it."""
        if (
            sent is MISSING
            or same(sent, new)
            or not new
            or type(sent) is not type(new)
            or not isinstance(new, (dict, list))
        ):
            theirs = not same(sent, new)
            return [(line, theirs) for line in _lines(key, new, indent)]
        rows = [] if key is None else [(f"{' ' * indent}{_scalar(key)}:", False)]
        if isinstance(new, dict):
            for name, value in new.items():
                rows += self.added(name, value, sent.get(name, MISSING), indent + (0 if key is None else 2))
            return rows
        for place, value in enumerate(new):
            item = self.added(None, value, _counterpart(sent, new, place), indent + 2)
            rows += [
                (f"{line[:indent]}- {line[indent + 2 :]}" if number == 0 else line, theirs)
                for number, (line, theirs) in enumerate(item)
            ]
        return rows

    def sequence(self, old: list[Any], new: list[Any], sent: list[Any], indent: int, path: Path) -> None:
        matcher = SequenceMatcher(None, [_canon(item) for item in old], [_canon(item) for item in new], autojunk=False)
        for tag, low, high, first, last in matcher.get_opcodes():
            for place in range(max(high - low, last - first)):
                before = old[low + place] if low + place < high else MISSING
                after = new[first + place] if first + place < last else MISSING
                asked = _counterpart(sent, new, first + place) if after is not MISSING else MISSING
                number = first + place if after is not MISSING else low + place
                self.item(old=before, new=after, sent=asked, indent=indent, path=(*path, number), equal=tag == "equal")

    def item(self, old: Any, new: Any, sent: Any, indent: int, path: Path, equal: bool) -> None:
        start = len(self.rows)
        if equal:
            self.rows += [DiffLine(left=line, right=line) for line in _lines(None, old, indent + 2)]
        elif _both(dict, old, new) or _both(list, old, new):
            self.inside(old, new, sent, indent + 2, path)
        else:
            self.changes.append(
                FieldChange(words(path), _brief(old), _brief(new), new is not MISSING and sent is MISSING)
            )
            left = [] if old is MISSING else _lines(None, old, indent + 2)
            right = [] if new is MISSING else self.added(None, new, sent, indent + 2)
            for place in range(max(len(left), len(right))):
                before = left[place] if place < len(left) else None
                after, theirs = right[place] if place < len(right) else (None, False)
                self.rows.append(DiffLine(left=before, right=after, by_cluster=theirs))
        self.dash(start, indent)

    def dash(self, start: int, indent: int) -> None:
        """The first line of an item, on either side, begins with its dash."""
        for side in ("left", "right"):
            for place in range(start, len(self.rows)):
                text = getattr(self.rows[place], side)
                if text is not None:
                    dashed = f"{text[:indent]}- {text[indent + 2 :]}"
                    row = self.rows[place]
                    self.rows[place] = replace(row, left=dashed) if side == "left" else replace(row, right=dashed)
                    break


def _both(kind: type, old: Any, new: Any) -> bool:
    return isinstance(old, kind) and isinstance(new, kind) and bool(old) and bool(new) and not same(old, new)


def _counterpart(sent: list[Any], new: list[Any], place: int) -> Any:
    """What was sent for an item of the result."""
    if len(sent) == len(new):
        return sent[place]
    name = new[place].get("name") if isinstance(new[place], dict) else None
    found = (
        item
        for item in sent
        if same(item, new[place]) or (name and isinstance(item, dict) and item.get("name") == name)
    )
    return next(found, MISSING)


def _lines(key: str | None, value: Any, indent: int) -> list[str]:
    """The value as lines, with its key; without one, as the inside of an item."""
    before = " " * indent
    if key is None and isinstance(value, str) and "\n" in value:
        # As an item of a list: where its lines begin (`|2-`) is counted from the dash.
        first, *rest = yamltext.dump([value]).removesuffix("\n").removeprefix("- ").split("\n")
        return [f"{before}{first}", *(f"{before[2:]}{line}" if line else "" for line in rest)]
    if isinstance(value, (dict, list)) or (isinstance(value, str) and "\n" in value):
        text = yamltext.dump(value if key is None else {key: value}).removesuffix("\n")
        return [f"{before}{line}" if line else "" for line in text.split("\n")]
    return [f"{before}{_scalar(value)}" if key is None else f"{before}{_scalar(key)}: {_scalar(value)}"]


def _scalar(value: Any) -> str:
    if isinstance(value, str) and _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return yamltext.dump(value).rstrip("\n")


def _brief(value: Any) -> str:
    text = "" if value is MISSING else yamltext.dump(value).rstrip("\n")
    return text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…"


def _canon(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def _numbered(rows: list[DiffLine]) -> list[DiffLine]:
    left = right = 0
    numbered = []
    for row in rows:
        left += row.left is not None
        right += row.right is not None
        numbered.append(
            replace(
                row, left_number=left if row.left is not None else 0, right_number=right if row.right is not None else 0
            )
        )
    return numbered


def _folded(rows: list[DiffLine]) -> list[DiffLine]:
    """Changes with the lines around them; what lies between is counted."""
    numbered = _numbered(rows)
    near = [False] * len(numbered)
    for place, row in enumerate(numbered):
        if not row.same:
            for other in range(max(0, place - _AROUND), min(len(numbered), place + _AROUND + 1)):
                near[other] = True
    found: list[DiffLine] = []
    for row, shown in zip(numbered, near, strict=True):
        if shown:
            found.append(row)
        elif found and found[-1].folded:
            found[-1] = DiffLine(folded=found[-1].folded + 1)
        else:
            found.append(DiffLine(folded=1))
    return found
