"""Forms for tests/js/form, as the server draws them: the page, and the parts that its scripts ask for."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from resources.forms import errors
from resources.forms.fields import FormInput
from resources.place import Place
from resources.views import form_page
from resources.writing.examples import Offer
from tests.e2e import test_form_depends as depends
from tests.e2e import test_form_refusals as refusals
from tests.forms.kinds import Kind
from tests.forms.page import Form

ROOT = Path(__file__).resolve().parents[2]
#: Read by tests/js/form/pages.js.
PLACE = ROOT / ".data" / "form-pages"
WIDGETS = yaml.safe_load((ROOT / "tests/forms/schemas/widgets.yaml").read_text(encoding="utf-8"))
GALLERY = Form.of_kind(Kind(WIDGETS, "v1", ()), Offer())
USERS = [{"name": f"user-{number}", "quota": {"gigabytes": number}} for number in range(30)]


def edited(spec: dict[str, Any]) -> dict[str, Any]:
    return GALLERY.begin({"metadata": {"name": "edited"}, "spec": spec})


Pages = dict[str, tuple[Form, dict[str, Any], tuple[str, ...]]]


def pages() -> Pages:
    """By name: the form, the object that it is opened for, and the pointers of its parts; "@n0" is a new item."""
    house = {"first": "on", "second": "go", "third": "3", "part": {"inner": "p"}, "rooms": [{"kind": "hall"}]}
    source = {"name": "abc", "tags": ["a"], "users": [{"name": "ann"}], "source": {"url": "x"}}
    gallery = {"title": "edited", "nested": {"host": "h", "path": "/x"}, "tags": ["one", "two", "three"]}
    lists = (
        "/spec/tags/@n0",
        "/spec/settings/@n0",
        "/spec/users/@n0",
        "/spec/users/@n0/roles/@n0",
        "/spec/nested",
        "/spec/nested/tls",
    )
    return {
        "house": (depends.FORM, depends.house(house), ("/spec/rooms/@n0", "/spec/part")),
        "team": (refusals.FORM, refusals.team(refusals.WRONG), ("/spec/users/@n0", "/spec/tags/@n0")),
        "good-team": (refusals.FORM, refusals.team(source), ("/spec/users/@n0", "/spec/tags/@n0", "/spec/backup")),
        "new-team": (refusals.FORM, refusals.FORM.begin(None), ("/spec/users/@n0", "/spec/tags/@n0", "/spec/source")),
        "gallery": (GALLERY, GALLERY.begin(None), lists),
        "edited-gallery": (GALLERY, edited({**gallery, "users": USERS[:3]}), lists),
        "long-gallery": (
            GALLERY,
            edited({"title": "long", "users": USERS}),
            ("/spec/users/@20", "/spec/users/@20/quota"),
        ),
    }


def problems(form: Form, obj: dict[str, Any]) -> dict[str, str]:
    """What the server says of it, by label: the scripts have to say the same."""
    placed = tuple(
        replace(error, message=form_page.plain_refusal(error.message))
        for error in errors.object_problems(form.schema, obj)
    )
    page = form_page.with_errors(
        placed, FormInput(), place=Place(form.type, "default"), schema=form.schema, obj=obj, offer=form.offer
    )
    return {message.label: message.message for message in form_page.messages(placed, page)}


def write() -> None:
    PLACE.mkdir(parents=True, exist_ok=True)
    for name, (form, obj, pointers) in pages().items():
        parts = {pointer: form.part(obj, pointer, 7) for pointer in pointers}
        made = PLACE / f"{name}.{os.getpid()}"
        page = {"html": form.html(obj), "parts": parts, "problems": problems(form, obj)}
        made.write_text(json.dumps(page), encoding="utf-8")
        made.replace(PLACE / f"{name}.json")  # another run may read it
