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
from dataclasses import dataclass
from typing import Any

from kube import limits
from resources.forms import texts
from resources.forms.fields import FormInput
from resources.forms.paths import split
from resources.forms.posted_controls import Posted, Problem, Reading

__all__ = ["ASKED", "Parsed", "Problem", "asked", "parse"]

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
class Parsed:
    """`object` is to be sent only where there are no `problems`.

    `typed` makes the same page again, with nothing lost.
    """

    object: dict[str, Any]
    problems: tuple[Problem, ...]
    typed: FormInput


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
