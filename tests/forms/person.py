"""A user who fills in a form: finds the control of a value, opens what is closed, adds what is missing, types.

Knows what the page shows and how its controls are named (their pointers), nothing of the code that drew it. What no
control of its own can hold goes the ways that the page offers for that: "Other fields", and "Edit as YAML"; `ways`
counts which values went which way.
"""

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from resources import yamltext
from resources.forms.paths import token
from tests.forms.dom import Element, options_of, sanitised, value_of
from tests.forms.page import Page
from tests.forms.typing_in import Unreachable, choices, same_yaml, text_to_type, typeable

SCALARS = "sinbqdj"
CONTROLS = SCALARS + "y"
NUMBER, BOX, OTHER, YAML = "own", "box", "other", "yaml"


def leaves(value: Any) -> int:
    """How many values there are: scalars, nulls, and empty lists and maps."""
    if isinstance(value, dict) and value:
        return sum(leaves(item) for item in value.values())
    if isinstance(value, list) and value:
        return sum(leaves(item) for item in value)
    return 1


@dataclass(repr=False, kw_only=True)
class Person:
    """`scripted`: parts of the page are fetched, as with script; else each button sends the whole form."""

    page: Page
    scripted: bool = True
    ways: Counter[str] = field(default_factory=Counter)
    whys: list[str] = field(default_factory=list)
    renamed: dict[str, str] = field(default_factory=dict)

    # Looking

    def control(self, pointer: str, marks: str = CONTROLS) -> tuple[str, list[Element]]:
        """The mark and the controls that hold the value there."""
        for mark in marks:
            if found := self.page.named(f"{mark}:{pointer}"):
                return mark, found
        return "", []

    def opened(self, pointer: str) -> bool:
        """Open it, where it is closed."""
        if not self.page.has_button("~open", pointer):
            return False
        if self.scripted:
            self.page.fetch(pointer)
        else:
            self.press("~open", pointer)
        return True

    def now(self, pointer: str) -> str:
        """Where that stands since the page was last drawn: what was added has a place then."""
        parts = pointer.split("/")
        for end in range(len(parts), 1, -1):
            made = self.renamed.get(old := "/".join(parts[:end]), old)
            if made != old:
                return self.now("/".join((made, *parts[end:])))
        return pointer

    def press(self, button: str, pointer: str) -> str:
        """A button that sends the whole form; where its pointer stands then."""
        places = self.page.places()
        self.page.press(button, pointer)
        drawn = {(new.rpartition("/")[0], place): new for new, place in self.page.places().items()}
        for old in places:
            above, _, part = old.rpartition("/")
            if part.startswith("@n"):
                self.renamed[old] = drawn.get((self.now(above), places[old]), old)
        return self.now(pointer)

    # Writing

    def put(self, pointer: str, value: Any) -> None:
        """Make the value at the pointer this one. Raises Unreachable."""
        pointer = self.now(pointer)
        if isinstance(value, (dict, list)):
            self.put_container(pointer, value)
        else:
            self.put_scalar(pointer, value)

    def put_container(self, pointer: str, value: Any) -> None:
        for _ in range(2):
            marks = "om" if isinstance(value, dict) else "a"
            mark = next((mark for mark in marks if self.page.named(f"{mark}:{pointer}")), "")
            if mark:
                break
            if self.control(pointer, "y")[1]:
                self.put_yaml(pointer, value, BOX)
                return
            if not self.opened(pointer):
                break
        before = Counter(self.ways)
        try:
            if not mark:
                raise Unreachable(f"no section at {pointer}")
            {"o": self.fill_object, "m": self.fill_map, "a": self.fill_list}[mark](pointer, value)
            if not value:
                self.keep(mark, self.now(pointer))
                self.ways[NUMBER] += 1
        except Unreachable as why:
            if not self.page.has_button("~yaml", self.now(pointer)):
                raise
            pointer = self.now(pointer)
            self.whys.append(str(why))
            self.ways = before
            pointer = self.press("~yaml", pointer)
            assert self.control(pointer, "y")[1], f"no YAML box at {pointer}"
            self.put_yaml(pointer, value, YAML)

    def fill_object(self, pointer: str, value: dict[str, Any]) -> None:
        left: dict[str, Any] = {}
        for key, inner in value.items():
            try:
                self.put(f"{pointer}/{token(key)}", inner)
            except Unreachable as why:
                self.whys.append(str(why))
                if isinstance(inner, (dict, list)) and self.known(f"{pointer}/{token(key)}"):
                    raise
                left[key] = inner
        if left and self.page.has_button("~add", self.now(pointer)):
            self.fill_map(self.now(pointer), left)
        elif left:
            self.put_others(self.now(pointer), left)

    def known(self, pointer: str) -> bool:
        """Whether the page has anything for this pointer."""
        ends = tuple(f"{mark}:{pointer}" for mark in "oam" + CONTROLS)
        return any(name in self.page.index for name in ends)

    def put_others(self, pointer: str, values: dict[str, Any]) -> None:
        found = self.page.named(f"r:{pointer}")
        if not found or any(self.known(f"{pointer}/{token(key)}") for key in values):
            raise Unreachable(f"{pointer} takes no fields beside its own: {list(values)}")
        had = yamltext.load(found[0].value or "") or {}
        self.type(found[0], yamltext.dump({**had, **values}))
        self.ways[OTHER] += leaves(values)

    def fill_map(self, pointer: str, value: dict[str, Any]) -> None:
        for key, inner in value.items():
            item = self.add(self.now(pointer))
            (control,) = self.page.named(f"k:{item}")
            self.type(control, key)
            if inner == "":
                # An entry that has a key has a value: the empty text, where texts stand.
                mark, _ = self.control(item)
                if mark not in ("s", "q", "d") or not key:
                    raise Unreachable(f"no empty value under {key!r} in {pointer}")
                self.ways[NUMBER] += 1
            else:
                self.put(item, inner)

    def fill_list(self, pointer: str, value: list[Any]) -> None:
        """What is offered already is filled in first."""
        offered = self.offered(self.now(pointer))
        for inner in value:
            self.put(offered.pop(0) if offered else self.add(self.now(pointer)), inner)

    def offered(self, pointer: str) -> list[str]:
        """The new items that are on the page."""
        begin = f"{pointer}/"
        inside = [name.partition(":")[2] for name in self.page.index if f":{begin}@n" in name]
        return list(dict.fromkeys(begin + name.removeprefix(begin).split("/")[0] for name in inside))

    def add(self, pointer: str) -> str:
        """Add an item; where it is then."""
        if not self.page.has_button("~add", pointer):
            raise Unreachable(f"nothing can be added to {pointer}")
        if self.scripted:
            return self.page.fetch_item(pointer)
        pointer = self.press("~add", pointer)
        inside = [name.partition(":")[2] for name in self.page.index if f":{pointer}/@" in name]
        return pointer + "/" + inside[-1].removeprefix(f"{pointer}/").split("/")[0]

    def keep(self, mark: str, pointer: str) -> None:
        """There, although nothing is in it."""
        found = self.page.named(f"{mark}:{pointer}")
        for element in found:
            if element.kind == "hidden" and element.value == "1":
                return
            if element.kind == "checkbox":
                element.checked = True
                return
        raise Unreachable(f"{pointer} can't be there and empty")

    def put_yaml(self, pointer: str, value: Any, way: str) -> None:
        self.opened(pointer)
        _, (control, *_) = self.control(pointer, "y")
        text = yamltext.dump(value) if value != "" else '""'
        if not same_yaml(text, value):
            text = json.dumps(value)
        self.type(control, text)
        self.ways[way] += leaves(value)

    def put_scalar(self, pointer: str, value: Any) -> None:
        mark, found = self.control(pointer)
        if not mark:
            self.opened(pointer)
            mark, found = self.control(pointer)
        if not mark and self.page.has_button("~yaml", pointer):
            self.put_yaml(self.press("~yaml", pointer), value, YAML)
            return
        if not mark:
            raise Unreachable(f"no control at {pointer}")
        if mark == "y":
            self.put_yaml(pointer, value, BOX)
            return
        text = "" if value is None or value == "" else text_to_type(mark, value)
        if "\n" in text and found[0].kind != "textarea" and self.page.has_button("~lines", pointer):
            pointer = self.press("~lines", pointer)
            mark, found = self.control(pointer)
        if text == "":
            options = [option for option in choices(found) if option == json.dumps(value)] if mark == "j" else []
            text = options[0] if options else ""
            if not options:
                self.state(pointer, "null" if value is None else "empty")
        self.enter(found, text)
        self.ways[NUMBER] += 1

    def state(self, pointer: str, wanted: str) -> None:
        for element in self.page.named(f"e:{pointer}"):
            if element.tag == "select" and wanted in [value_of(option) for option in options_of(element)]:
                element.value = wanted
                return
            if element.kind in ("checkbox", "radio") and element.attributes.get("value") == wanted:
                self.check(element)
                return
        raise Unreachable(f"{pointer} can't be said to be {wanted}")

    # The hand

    def enter(self, found: list[Element], text: str) -> None:
        """One value into a control, or into the radio button of it."""
        first = found[0]
        if first.kind == "radio":
            wanted = [element for element in found if element.attributes.get("value", "on") == text]
            if not wanted:
                raise Unreachable(f"{first.name} has no choice {text!r}")
            self.check(wanted[0])
        else:
            self.type(first, text)

    def type(self, element: Element, text: str) -> None:
        if element.tag == "select":
            if text not in [value_of(option) for option in options_of(element)]:
                raise Unreachable(f"{element.name} has no option {text!r}")
        elif "readonly" in element.attributes:
            raise Unreachable(f"{element.name} is locked")
        elif element.tag == "textarea":
            if "\r" in text or not typeable(text):
                raise Unreachable(f"no keyboard types {text!r}")
        elif sanitised(element, text) != text or not typeable(text):
            raise Unreachable(f"{element.name} does not take {text!r}")
        if len(text) > int(element.attributes.get("maxlength", len(text))):
            raise Unreachable(f"{element.name} takes {element.attributes['maxlength']} letters only")
        element.value = text

    def check(self, element: Element) -> None:
        if element.kind == "radio":
            for other in self.page.index[element.name]:
                other.checked = False
        element.checked = True
