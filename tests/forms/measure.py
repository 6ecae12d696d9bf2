"""What a form can do with one kind, measured on its page's HTML: nothing lost, everything reachable, drawn quickly."""

import copy
import json
import statistics
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from resources.forms.paths import is_item, position, span, token, untoken
from tests.forms import dom
from tests.forms.dom import Element
from tests.forms.generate import Generator
from tests.forms.page import Form, Page
from tests.forms.person import Person, Unreachable, leaves

METADATA = ("name", "generateName", "labels", "annotations")
COUNTED = (
    "schemas",
    "examples",
    "leaves",
    "kept",
    "generated",
    "generated_kept",
    "changed",
    "removed",
    "schema_leaves",
    "schema_reached",
)
SERVERS = ("apiVersion", "kind", "metadata")


@dataclass
class Figures:
    """Of one kind, or summed over many. `paints`: (milliseconds, bytes, which form)."""

    schemas: int = 0
    examples: int = 0
    leaves: int = 0
    kept: int = 0
    generated: int = 0
    generated_kept: int = 0
    ways: Counter[str] = field(default_factory=Counter)
    changed: int = 0
    removed: int = 0
    schema_leaves: int = 0
    schema_reached: int = 0
    paints: list[tuple[float, int, str]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    @property
    def reached(self) -> int:
        return sum(self.ways.values())

    def add(self, other: "Figures") -> None:
        for name in COUNTED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.ways += other.ways
        self.paints += other.paints
        self.faults += other.faults


def alike(one: Any, other: Any) -> bool:
    """Equal, type for type: 1 is not 1.0, not true and not "1". The order of an object's fields means nothing, a list's does."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def difference(one: Any, other: Any, path: str = "") -> str:
    """Where two objects differ first, for a message."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in dict.fromkeys((*one, *other)):
            if key not in one or key not in other:
                return f"{path}/{key}: only in the {'first' if key in one else 'second'}"
            if found := difference(one[key], other[key], f"{path}/{key}"):
                return found
        return ""
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return next(
            (
                found
                for n, (a, b) in enumerate(zip(one, other, strict=True))
                if (found := difference(a, b, f"{path}/{n}"))
            ),
            "",
        )
    return "" if alike(one, other) else f"{path}: {one!r:.80} became {other!r:.80}"


def first_paint(form: Form, obj: dict[str, Any], runs: int = 3) -> tuple[float, int]:
    """Median processor time in milliseconds, and bytes, of drawing the form's part of the page."""
    times = []
    for _ in range(runs):
        began = time.process_time()
        html = form.html(obj)
        times.append((time.process_time() - began) * 1000)
    return statistics.median(times), len(html.encode())


def unchanged(form: Form, obj: dict[str, Any]) -> str:
    """Opened and sent as it is: '' when the object comes back equal, else what became of it."""
    parsed = form.open(obj).submit()
    return difference(obj, parsed.object) or ", ".join(map(str, parsed.problems))


def build(form: Form, obj: dict[str, Any], scripted: bool = True) -> tuple[Counter[str], str]:
    """From an empty form, value by value: which ways the values went, and what went wrong."""
    start = form.begin(None)
    carried = {name: value for name, value in obj["metadata"].items() if name not in METADATA}
    start["metadata"] |= carried
    if "generateName" in obj["metadata"]:
        start["metadata"]["generateName"] = ""
    person = Person(form.open(start), scripted)
    try:
        for name, value in obj["metadata"].items():
            if name in METADATA:
                person.put(f"/metadata/{name}", value)
        for name in start:
            if name not in obj:
                leave_out(person.page, f"/{token(name)}")
        person.fill_object("", {name: value for name, value in obj.items() if name not in SERVERS})
    except Unreachable as why:
        return person.ways, f"unreachable: {why}"
    parsed = person.page.submit()
    return person.ways, difference(obj, parsed.object) or ", ".join(map(str, parsed.problems))


def leave_out(page: Page, pointer: str) -> None:
    for element in page.named(f"o:{pointer}"):
        element.checked = False


def written(obj: dict[str, Any]) -> int:
    """The values that a form is there for."""
    metadata = {name: value for name, value in obj["metadata"].items() if name in METADATA}
    rest = {name: value for name, value in obj.items() if name not in SERVERS}
    return (leaves(metadata) if metadata else 0) + (leaves(rest) if rest else 0)


def opened(form: Form, obj: dict[str, Any]) -> Page:
    """The form of an object with all that is in it opened."""
    page = form.open(obj)
    person = Person(page)
    for _ in range(400):
        closed = [element for element in page.index.get("~open", ()) if holds(obj, element.attributes["value"])]
        if not closed:
            return page
        for element in closed:
            person.opened(element.attributes["value"])
    raise AssertionError("there is always something closed")


def holds(obj: Any, pointer: str) -> bool:
    """Whether the object has something there."""
    for part in pointer.split("/")[1:]:
        if span(part):
            return True
        place = position(part) if is_item(part) else None
        if place is not None and isinstance(obj, dict):
            obj = list(obj.values())[place] if place < len(obj) else None
        elif place is not None and isinstance(obj, list):
            obj = obj[place] if place < len(obj) else None
        else:
            obj = obj.get(untoken(part)) if isinstance(obj, dict) else None
    return obj is not None


def own_controls(page: Page, obj: Any, pointer: str = "") -> Iterator[tuple[Any, Any, str, list[Element]]]:
    """(where it is, its key there, its pointer, its controls) of every scalar that has a control of its own."""
    pairs = obj.items() if isinstance(obj, dict) else enumerate(obj)
    is_map = isinstance(obj, dict) and (f"m:{pointer}" in page.index)
    for number, (key, value) in enumerate(pairs):
        place = f"{pointer}/@{number}" if is_map or isinstance(obj, list) else f"{pointer}/{token(key)}"
        if isinstance(value, (dict, list)):
            yield from own_controls(page, value, place)
            continue
        for mark in "sinbqdj":
            if found := page.named(f"{mark}:{place}"):
                yield obj, key, place, found
                break


def change_all(form: Form, obj: dict[str, Any]) -> tuple[int, str]:
    """Every value that has a control of its own becomes another one, at once."""
    wanted = copy.deepcopy(obj)
    page = opened(form, obj)
    count = 0
    for where, key, place, found in list(own_controls(page, wanted)):
        made = another(found, where[key])
        if made is None or "readonly" in found[0].attributes or place == "/metadata/namespace":
            continue
        text, value = made
        if found[0].kind == "radio":
            Person(page).enter(found, text)
        else:
            found[0].value = text
        where[key] = value
        count += 1
    parsed = page.submit()
    return count, difference(wanted, parsed.object) or ", ".join(map(str, parsed.problems))


def another(found: list[Element], value: Any) -> tuple[str, Any] | None:
    """(text, value): something else that the control can say."""
    first = found[0]
    mark = first.name.partition(":")[0]
    if first.tag == "select" or first.kind == "radio":
        texts = (
            [dom.value_of(option) for option in dom.options_of(first)]
            if first.tag == "select"
            else [one.attributes.get("value", "") for one in found]
        )
        text = next((one for one in texts if one and one != said_now(found)), None)
        return (
            None
            if text is None
            else (text, {"b": text == "true", "s": text}.get(mark, text) if mark != "j" else json.loads(text))
        )
    if mark == "s":
        text = f"{first.value or ''}x"
        return text, text.replace("\r\n", "\n")
    if mark == "d":
        return ("QUJD", "QUJD") if value != "QUJD" else ("REVG", "REVG")
    if mark == "j":
        return '"changed"', "changed"
    return ("7", 7) if value != 7 else ("8", 8)


def said_now(found: list[Element]) -> str:
    if found[0].tag == "select":
        return found[0].value or ""
    return next((element.attributes.get("value", "") for element in found if element.checked), "")


def remove_all(form: Form, obj: dict[str, Any]) -> tuple[int, str]:
    """Every value of an object that has a control of its own is cleared, at once, and every first item of a list or map is removed."""
    wanted = copy.deepcopy(obj)
    page = opened(form, obj)
    count = 0
    for where, key, place, found in list(own_controls(page, wanted)):
        if "/@" in f"/{place.rpartition('/')[2]}" or not place.startswith("/spec") or "readonly" in found[0].attributes:
            continue
        for element in found:
            element.value = "" if element.kind != "radio" else element.value
            element.checked = element.kind == "radio" and element.attributes.get("value", "on") == ""
        for element in page.index.get(f"e:{place}", ()):
            element.value, element.checked = "", False
        del where[key]
        count += 1
    count += remove_items(page, wanted.get("spec"), "/spec")
    parsed = page.submit()
    return count, difference(wanted, parsed.object) or ", ".join(map(str, parsed.problems))


def remove_items(page: Page, value: Any, pointer: str) -> int:
    """Of each list and map on the page the first item, as the button with script does it."""
    count = 0
    is_list = isinstance(value, list) and f"a:{pointer}" in page.index
    is_map = isinstance(value, dict) and f"m:{pointer}" in page.index
    if is_list or is_map:
        keys = list(range(len(value))) if is_list else list(value)
        for number, key in enumerate(keys):
            count += remove_items(page, value[key], f"{pointer}/@{number}") if number else 0
        if keys and page.has_button("~remove", f"{pointer}/@0"):
            page.index[f"at={pointer}/@0"][0].remove()
            page.changed()
            del value[keys[0]]
            count += 1
    elif isinstance(value, dict):
        count += sum(remove_items(page, inner, f"{pointer}/{token(key)}") for key, inner in value.items())
    return count


def generated(form: Form, seed: int) -> tuple[dict[str, Any], str]:
    """An object made up for the schema, and what became of it ('' when it came back equal)."""
    obj = Generator(form.schema, Random(seed)).object(form.begin(None))
    return obj, unchanged(form, obj)


def measure(form: Form, name: str, examples: tuple[dict[str, Any], ...], *, seeds: int = 3, runs: int = 3) -> Figures:
    """Everything about one kind."""
    figures = Figures(schemas=1)
    empty = form.begin(None)
    figures.paints.append((*first_paint(form, empty, runs), f"{name} (empty)"))
    for number, example in enumerate(examples):
        obj, where = form.begin(example), f"{name} example {number}"
        figures.examples += 1
        figures.leaves += (count := written(obj))
        figures.paints.append((*first_paint(form, obj, runs), where))
        wrong = unchanged(form, obj)
        figures.kept += 0 if wrong else count
        ways, not_built = build(form, obj)
        figures.ways += Counter() if not_built else ways
        changed, not_changed = change_all(form, obj)
        removed, not_removed = remove_all(form, obj)
        figures.changed, figures.removed = figures.changed + changed, figures.removed + removed
        for what, fault in (
            ("unchanged", wrong),
            ("built", not_built),
            ("changed", not_changed),
            ("removed", not_removed),
        ):
            if fault:
                figures.faults.append(f"{where}, {what}: {fault}")
        if not not_built and sum(ways.values()) != count:
            figures.faults.append(f"{where}: {count} values, {sum(ways.values())} of them built")
    for seed in range(seeds):
        _, wrong = generated(form, seed)
        figures.generated += 1
        figures.generated_kept += not wrong
        if wrong:
            figures.faults.append(f"{name} generated {seed}: {wrong}")
    return figures
