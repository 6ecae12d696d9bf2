"""What a form can do with one kind, measured on its page's HTML: nothing lost, everything reachable, drawn quickly."""

import statistics
import time
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resources.forms.paths import token
from tests.forms.differ import difference
from tests.forms.generate import Generator
from tests.forms.page import Form, Page
from tests.forms.person import Person, leaves
from tests.forms.typing_in import Unreachable
from tests.forms.value_changes import change_all, remove_all

METADATA = ("name", "generateName", "labels", "annotations")
COUNTED = (
    "schemas",
    "examples",
    "shipped",
    "offered",
    "leaves",
    "preserved",
    "generated",
    "generated_kept",
    "changed",
    "removed",
    "schema_leaves",
    "schema_reached",
)
SERVERS = ("apiVersion", "kind", "metadata")


@dataclass(kw_only=True)
class Figures:
    """Of one kind, or summed over many. `shipped`: examples of its kinds in a bundle; `offered`: by a page. `paints`:
    (milliseconds, bytes, which form)."""

    schemas: int = 0
    examples: int = 0
    shipped: int = 0
    offered: int = 0
    leaves: int = 0
    preserved: int = 0
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
    person = Person(page=form.open(start), scripted=scripted)
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


def generated(form: Form, number: int) -> list[str]:
    """What became of so many objects that Hypothesis made up for the schema: '' for each that came back equal."""
    found: list[str] = []

    @settings(
        max_examples=number, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None
    )
    @given(rnd=st.randoms(use_true_random=False))
    def one(rnd: Random) -> None:
        found.append(unchanged(form, Generator(form.schema, rnd).object(form.begin(None))))

    one()
    return found


def measure(form: Form, name: str, examples: tuple[dict[str, Any], ...], *, made_up: int = 5, runs: int = 3) -> Figures:
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
        figures.preserved += 0 if wrong else count
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
    for number, wrong in enumerate(generated(form, made_up)):
        figures.generated += 1
        figures.generated_kept += not wrong
        if wrong:
            figures.faults.append(f"{name} made up {number}: {wrong}")
    return figures
