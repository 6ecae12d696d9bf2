"""F20: errors are in plain words, with labels numbered like the cards, wherever they are found; lists and sections
too.
"""

from dataclasses import replace
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from resources.forms import errors
from resources.forms.fields import FormInput
from resources.place import Place
from resources.views import form_page
from tests.e2e.form_page import BrowserForm
from tests.forms.kinds import Kind
from tests.forms.page import NAMESPACES, Form

TEXT = {"type": "string"}
COUNT = {"type": "integer", "format": "int64", "minimum": 1}
USER = {"type": "object", "required": ["name"], "properties": {"name": TEXT, "count": COUNT}}
SPEC = {
    "type": "object",
    "required": ["name", "tags", "users", "source"],
    "properties": {
        "name": {**TEXT, "minLength": 3, "pattern": "^[a-z]+$"},
        "tags": {"type": "array", "items": TEXT},
        "users": {"type": "array", "items": USER},
        "source": {"type": "object", "required": ["url"], "properties": {"url": TEXT}},
        "backup": {
            "type": "object",
            "required": ["days"],
            "properties": {"days": {"type": "array", "items": TEXT}, "to": TEXT},
        },
    },
}
SCHEMA = {"type": "object", "required": ["spec"], "properties": {"spec": SPEC}}
CRD = {
    "spec": {
        "group": "example.com",
        "names": {"plural": "teams", "kind": "Team"},
        "scope": "Namespaced",
        "versions": [{"name": "v1", "schema": {"openAPIV3Schema": SCHEMA}}],
    }
}
FORM = Form.of_kind(Kind(CRD, "v1", ()))
WRONG = {"name": "A", "tags": ["a"], "users": [{"name": "ann", "count": 0}, {"count": 1}], "source": {"url": "x"}}


def team(spec: dict[str, Any], name: str = "team") -> dict[str, Any]:
    return FORM.begin({"metadata": {"name": name}, "spec": spec})


@pytest.mark.parametrize(
    ("sentence", "limit"),
    [
        (
            'Invalid value: "": Checked value must be of type integer with format int64 in spec.big',
            "9223372036854775807",
        ),
        ("Invalid value: 20000: spec.count in body should be less than or equal to 10000", "10000"),
        ("Invalid value: 3: spec.count in body should be greater than 3", "3"),
        ('Invalid value: "ab": spec.title in body should be at least 3 chars long', "3"),
        ("Invalid value: \"A\": spec.title in body should match '^[a-z]+$'", "^[a-z]+$"),
        ("Too long: may not be more than 63 bytes", "63"),
        ('Invalid value: "string": spec.size in body must be of type integer: "string"', ""),
        ('Unsupported value: "c": supported values: "a", "b"', '"a", "b"'),
        ('unknown field "spec.size"', "spec.size"),
        ('Invalid value: "object": size must be even', "size must be even"),
        ("Required value", ""),
    ],
)
def test_f20_the_api_server_s_sentences_are_reworded(sentence: str, limit: str) -> None:
    words = form_page.plain_refusal(sentence)
    assert words != sentence and limit in words
    assert not any(part in words for part in ("in body", "Invalid value", "Checked value", "Required value"))


def test_f20_an_unknown_sentence_stays() -> None:
    assert form_page.plain_refusal("denied by the webhook of x: no") == "denied by the webhook of x: no"


def test_f20_the_summary_counts_as_the_cards_do_and_names_what_it_means() -> None:
    obj = team(WRONG)
    placed = errors.object_problems(FORM.schema, obj)
    page = form_page.with_errors(
        placed,
        FormInput(),
        place=Place(FORM.type, "default"),
        schema=FORM.schema,
        obj=obj,
        offer=FORM.offer,
        choice=NAMESPACES,
    )
    labels = {message.label for message in form_page.messages(placed, page)}
    assert {"Users › Item 1 › Count", "Users › Item 2 › Name"} <= labels
    (own,) = (field.label for field in page.metadata if field.path[-1] == "name")
    assert own not in labels
    (others,) = (child.label for child in page.fields[0].children if child.path[-1] == "name")
    assert others in labels and others != own


class TestInABrowser:
    def errors(self, shown: BrowserForm) -> dict[str, str]:
        shown.page.get_by_role("button", name="Create", exact=True).click()
        summary = shown.page.locator("#form-errors li")
        expect(summary.first).to_be_visible()
        return dict(line.split(": ", 1) for line in summary.all_inner_texts())

    def test_f20_required_lists_and_objects_are_missed(self, page: Page) -> None:
        shown = BrowserForm(page, FORM, FORM.begin(None)).open()
        shown.fill("s:/metadata/name", "team")
        assert set(self.errors(shown)) == {"Name", "Tags", "Users", "Source"}
        assert not shown.sent
        page.locator('[name="~add"][value="/spec/tags"]').click()
        page.locator('[name^="s:/spec/tags/@n"]').fill("blue")
        shown.fill("s:/spec/source/url", "https://git.example")
        assert set(self.errors(shown)) == {"Name", "Users"}

    def test_f20_what_is_not_asked_for_is_not_missed(self, page: Page) -> None:
        spec = {"name": "abc", "tags": ["a"], "users": [{"name": "ann"}], "source": {"url": "x"}}
        shown = BrowserForm(page, FORM, team(spec)).open()
        assert shown.submit()
        expect(page.locator("#form-errors")).to_have_count(0)

    def test_f20_both_sides_say_the_same(self, page: Page) -> None:
        obj = team(WRONG)
        shown = BrowserForm(page, FORM, obj).open()
        placed = errors.object_problems(FORM.schema, obj)
        plain = tuple(replace(error, message=form_page.plain_refusal(error.message)) for error in placed)
        server = form_page.with_errors(
            plain, FormInput(), place=Place(FORM.type, "default"), schema=FORM.schema, obj=obj, offer=FORM.offer
        )
        on_server = {message.label: message.message for message in form_page.messages(plain, server)}
        assert self.errors(shown) == on_server
        assert errors.by_path(plain)
