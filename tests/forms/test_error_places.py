"""Every complaint of the API server stands at its very field on the page, or, where the page has no such field, at the
nearest and in the summary with a link that leads there.

FORMS=all breaks every kind of the catalog in every way; --kubeconfig asks a real cluster. The share is printed: it is
100 %.
"""

import copy
import os
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.template.loader import render_to_string

from console.web.errors import Problem
from kube.errors import BadRequest, StatusCause
from resources.forms import errors
from resources.forms.errors import Placed
from resources.forms.fields import FormField, FormInput
from resources.forms.schema import Schema
from resources.place import Place
from resources.views import form_page
from resources.views.form_page import FormPage
from resources.writing.draft import refusal_causes
from resources.writing.examples import Offer
from tests.api import Answer, Api
from tests.forms import dom, invalid_objects, kinds, served_kind
from tests.forms.kinds import Kind
from tests.forms.page import NAMESPACES, REQUEST

ALL = os.environ.get("FORMS") == "all"
SHARE = 1 if ALL else 150
KINDS = [
    *kinds.own(),
    *(kind for kind in kinds.catalog() if zlib.crc32(kind.id.encode()) % SHARE == 0 and kind.kind != "Namespace"),
]


@pytest.fixture(scope="module")
def api(cluster_kubeconfig: Path) -> Api:
    return Api(cluster_kubeconfig)


@pytest.fixture(scope="module")
def tally(request: pytest.FixtureRequest) -> Iterator[Counter[str]]:
    """How many complaints stood where; printed at the end."""
    found: Counter[str] = Counter()
    yield found
    total = sum(found.values())
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        shares = ", ".join(f"{number} {what}" for what, number in found.most_common())
        sys.stdout.write(
            f"\n{total} complaints placed: {shares}; {100 * (1 - found['nowhere'] / max(1, total)):.2f} %\n"
        )


def objects(kind: Kind) -> Iterator[tuple[str, dict[str, Any]]]:
    for number, example in enumerate(kind.examples[: 2 if ALL else 1] or ({},)):
        obj = kind.object(example)
        yield "as it is", obj
        for broken in invalid_objects.breaks(kind.schema, obj, each=2 if ALL and number == 0 else 1):
            yield f"{broken.constraint} at {broken.path}", broken.object
    if kind.group.endswith("operator-console.dev"):
        yield from odd_metadata(kind)


def odd_metadata(kind: Kind) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, value in (
        ("name", "Not_A_Name"),
        ("labels", {"ok": "a b", "fine": "x"}),
        ("labels", {"not ok": "a", "fine": "a"}),
        ("annotations", {"a/b/c": "x", "fine": "y"}),
        ("annotations", {"number": 1}),
        ("nmae", "x"),
    ):
        odd = copy.deepcopy(kind.object())
        odd["metadata"][name] = value
        yield f"metadata.{name}", odd


def complaints(answer: Answer, schema: Schema, obj: dict[str, Any]) -> tuple[Placed, ...]:
    """As the view has them: the server's, and what the console found besides."""
    status = answer.json
    details = [
        StatusCause(cause["field"], cause["reason"], cause["message"])
        for cause in (status.get("details") or {}).get("causes") or []
    ]
    causes = details or refusal_causes(BadRequest(status["message"]))
    return errors.joined(errors.place_causes(causes, schema, obj), errors.object_problems(schema, obj))


def drawn(found: served_kind.Served, obj: dict[str, Any], placed: tuple[Placed, ...]) -> tuple[FormPage, dom.Element]:
    place = Place(served_kind.type_of(found.kind), "default")
    page = form_page.with_errors(
        placed,
        FormInput(),
        place=place,
        schema=found.schema,
        obj=obj,
        offer=Offer(),
        choice=NAMESPACES,
        problem=Problem(status=422, title="no", advice="", detail=""),
    )
    page = replace(page, errors=form_page.messages(placed, page))
    return page, dom.parse(
        render_to_string("resources/form.html", {"skeleton": "part.html", "form": page, "request": REQUEST})
    )


def where_it_stands(error: Placed, page: FormPage, root: dom.Element) -> str:
    """In words; "nowhere" is a failure."""
    on_page: dict[Any, FormField] = dict(errors.shown((*page.metadata, *page.fields)))
    field = errors.nearest(error.path, on_page)
    summary = next(element for element in root.walk() if element.attributes.get("id") == "form-errors")
    line = next(
        (item for item in summary.walk() if item.tag == "li" and error.message in " ".join(item.words.split())), None
    )
    if line is None and " ".join(error.message.split()) not in " ".join(summary.words.split()):
        return "nowhere"
    if field is None:
        if not error.path:
            return "in the summary: about the whole object"
        led = line is not None and any(item.name == "~switch" for item in line.walk())
        return "in the summary, with a way to the YAML" if led else "nowhere"
    error_elements = [
        item
        for item in root.walk()
        if "console-error" in item.attributes.get("class", "").split() and _says(item, error.message)
    ]
    at = [item for item in error_elements if _is_at(item, field, root)]
    linked = any(item.attributes.get("data-goto") == field.id for item in summary.walk())
    there = any(item.attributes.get("id") == field.id for item in root.walk())
    if not at or not linked or not there:
        return "nowhere"
    if field.path == error.path:
        return "at the key" if error.key else "at the field"
    return "at the nearest field"


def _says(element: dom.Element, message: str) -> bool:
    return " ".join(message.split()) in " ".join(element.words.split())


def _is_at(element: dom.Element, field: FormField, root: dom.Element) -> bool:
    if element.attributes.get("id") in (f"{field.id}-h", f"{field.id}-kh"):
        return True
    box = element.closest("data-pointer")
    return box is not None and box.attributes["data-pointer"] == field.pointer


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.id)
def test_every_complaint_is_at_its_field(kind: Kind, api: Api, tally: Counter[str]) -> None:
    found = served_kind.serve(api, kind)
    lost = []
    try:
        for what, obj in objects(kind):
            answer = found.dry_run(obj)
            if answer.status == 201:
                continue
            placed = complaints(answer, found.schema, obj)
            assert placed, (what, answer.message)
            page, root = drawn(found, obj, placed)
            for error in placed:
                place = where_it_stands(error, page, root)
                tally[place] += 1
                if place == "nowhere":
                    lost.append((what, place, error))
    finally:
        served_kind.remove(found)
    assert not lost, (len(lost), lost[:5])
