"""Examples of real kinds through their forms: sent untouched, built from nothing, every value changed, every value
removed.

Here our own kinds and every 70th of the catalog's bundles; `make test-forms` takes them all, with more figures.
"""

import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.forms import bundles, measure, reach, value_changes
from tests.forms.kinds import CATALOG, OWN
from tests.forms.page import Form

SHARE = 70
#: Large ones, and those whose examples once were too much.
ALWAYS = ("argocd-operator", "authorino-operator")


def own() -> Iterator[tuple[str, Form]]:
    for folder in OWN:
        for unit in bundles.units(folder):
            yield from bundles.forms(unit)


FORMS = dict(own())
EXAMPLES = [
    pytest.param(form, example.object, id=f"{form.type.kind} {example.name}")
    for form in FORMS.values()
    for example in form.offer.examples
]


@pytest.mark.parametrize(("form", "example"), EXAMPLES)
def test_sent_untouched_it_is_what_it_was(form: Form, example: dict[str, object]) -> None:
    assert measure.unchanged(form, form.begin(example)) == ""


@pytest.mark.parametrize("scripted", [True, False], ids=["script", "no-script"])
@pytest.mark.parametrize(("form", "example"), EXAMPLES)
def test_somebody_can_enter_it_in_an_empty_form(form: Form, example: dict[str, object], scripted: bool) -> None:
    obj = form.begin(example)
    ways, wrong = measure.build(form, obj, scripted)
    assert wrong == ""
    assert sum(ways.values()) == measure.written(obj)


@pytest.mark.parametrize(("form", "example"), EXAMPLES)
def test_every_value_can_become_another(form: Form, example: dict[str, object]) -> None:
    count, wrong = value_changes.change_all(form, form.begin(example))
    assert wrong == ""
    assert count


@pytest.mark.parametrize(("form", "example"), EXAMPLES)
def test_every_value_can_be_removed(form: Form, example: dict[str, object]) -> None:
    _, wrong = value_changes.remove_all(form, form.begin(example))
    assert wrong == ""


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_leaf_of_the_schema_has_a_control(form: Form) -> None:
    count, missed = reach.missed(form)
    assert count
    assert missed == []


def sample(part: int, parts: int) -> list[Path]:
    newest = [
        sorted(package.glob("*/csv.yaml"))[-1].parent for package in sorted(CATALOG.iterdir()) if package.is_dir()
    ]
    chosen = [
        item for item in newest if zlib.crc32(item.parent.name.encode()) % SHARE == 0 or item.parent.name in ALWAYS
    ]
    return chosen[part::parts]


@pytest.mark.parametrize("part", range(4))
def test_the_catalogs_examples(real_catalog: Path, part: int) -> None:
    total = measure.Figures()
    for bundle in sample(part, 4):
        for name, form in bundles.forms(bundle):
            examples = tuple(example.object for example in form.offer.examples)[:2]
            total.add(measure.measure(form, name, examples, made_up=1, runs=1))
    assert total.faults == []
    assert total.schemas
    assert total.preserved == total.reached == total.leaves
