"""The first page of a form is small, however large the schema: what is counted here is what takes the time.

`make test-forms` measures it.
"""

from pathlib import Path

import pytest

from resources.forms.schema import Schema
from tests.forms import bundles
from tests.forms.page import Form, Page
from tests.forms.test_examples import FORMS

CONTROLS = 700
BYTES = 500_000


def small(form: Form, page: Page) -> None:
    assert len([name for name in page.index if name[1:2] == ":"]) < CONTROLS
    assert len(page.html.encode()) < BYTES


@pytest.mark.parametrize("name", FORMS)
def test_our_own(name: str) -> None:
    form = FORMS[name]
    for example in (None, *(example.object for example in form.offer.examples)):
        small(form, form.open(form.begin(example)))


def test_a_schema_of_ten_thousand_fields() -> None:
    fields = {f"field{n}": {"type": "string", "description": "words " * 30} for n in range(100)}
    sections = {f"section{n}": {"type": "object", "properties": fields} for n in range(100)}
    lists = {f"list{n}": {"type": "array", "items": {"type": "object", "properties": fields}} for n in range(20)}
    root = {"type": "object", "properties": {"spec": {"type": "object", "properties": sections | lists}}}
    form = Form(next(iter(FORMS.values())).type, Schema.from_document(root), next(iter(FORMS.values())).offer)
    small(form, form.open(form.begin(None)))
    small(
        form,
        form.open(
            {
                **form.begin(None),
                "spec": {name: {"field0": "x"} for name in sections} | {"list0": [{"field1": "y"}] * 100},
            }
        ),
    )


@pytest.mark.parametrize("kind", ["ArgoCD", "Application", "ApplicationSet"])
def test_the_largest_well_known_kinds(real_catalog: Path, kind: str) -> None:
    bundle = sorted((real_catalog / "argocd-operator").glob("*/csv.yaml"))[-1].parent
    found = [form for name, form in bundles.forms(bundle) if form.type.kind == kind]
    assert found
    for form in found:
        for example in (None, *(example.object for example in form.offer.examples)):
            small(form, form.open(form.begin(example)))
