"""F2: fields that depend on others: chains, lists, and what is sent of those that are hidden."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from resources.forms import build, parse
from resources.forms.build import Builder
from resources.forms.descriptors import parse as descriptors_of
from resources.forms.fields import FormField, Options
from resources.writing.examples import Offer
from tests.e2e.form_page import BrowserForm
from tests.forms.kinds import Kind
from tests.forms.page import Form

TEXT = {"type": "string"}
ROOM = {"type": "object", "properties": {"kind": TEXT, "size": TEXT, "door": TEXT}}
SPEC = {
    "type": "object",
    "properties": {
        "third": TEXT,
        "first": TEXT,
        "second": TEXT,
        "part": {"type": "object", "properties": {"inner": TEXT}},
        "rooms": {"type": "array", "items": ROOM},
        "round": TEXT,
        "about": TEXT,
    },
}
UI = "urn:alm:descriptor:com.tectonic.ui:fieldDependency:"
DESCRIPTORS = [
    {"path": path, "x-descriptors": [UI + needs]}
    for path, needs in {
        "second": "first:on",
        "third": "second:go",
        "part": "first:on",
        "rooms[0].size": "rooms[0].kind:hall",
        "rooms[0].door": "rooms[0].size:big",
        "round": "about:x",
        "about": "round:x",
    }.items()
]
SCHEMA = {"type": "object", "properties": {"spec": SPEC}}
CRD = {
    "spec": {
        "group": "example.com",
        "names": {"plural": "houses", "kind": "House"},
        "scope": "Namespaced",
        "versions": [{"name": "v1", "schema": {"openAPIV3Schema": SCHEMA}}],
    }
}
FORM = Form.of_kind(Kind(CRD, "v1", ()), Offer(descriptors=descriptors_of(DESCRIPTORS)))


def house(spec: dict[str, Any]) -> dict[str, Any]:
    return FORM.begin({"metadata": {"name": "house"}, "spec": spec})


def unmet(spec: dict[str, Any]) -> set[str]:
    found, todo = set(), list(Builder(FORM.schema, Options(FORM.offer.descriptors)).top(house(spec)))
    while todo:
        field: FormField = todo.pop()
        found |= {field.pointer.removeprefix("/spec/")} if field.unmet else set()
        todo += field.children
    return found


def test_f2_what_depends_on_a_hidden_field_is_hidden() -> None:
    always = {"round", "about"}
    assert unmet({}) - always == {"second", "third", "part"}
    assert unmet({"first": "on"}) - always == {"third"}
    assert unmet({"first": "on", "second": "go"}) - always == set()


def test_f2_a_chain_inside_a_list_means_the_same_item() -> None:
    rooms = [{"kind": "hall"}, {"kind": "hall", "size": "big"}, {}]
    inside = {name for name in unmet({"rooms": rooms}) if name.startswith("rooms")}
    assert inside == {"rooms/@0/door", "rooms/@2/size", "rooms/@2/door"}


def test_f2_a_new_item_depends_on_its_own_controls() -> None:
    made = build.at(FORM.schema, house({}), "/spec/rooms/@n7", Options(FORM.offer.descriptors), 1)
    (size,) = (child for child in made.children if child.path[-1] == "size")
    assert size.depends[0].pointer == "/spec/rooms/@n7/kind"


def test_f2_a_value_without_effect_is_shown_and_said() -> None:
    html = FORM.open(house({"second": "left over"}))
    (box,) = html.index["at=/spec/second"]
    assert "data-unmet" not in box.attributes
    assert any("data-unused" in element.attributes for element in box.walk())
    assert html.submit().object["spec"] == {"second": "left over"}


class TestInABrowser:
    @pytest.fixture
    def shown(self, page: Page) -> BrowserForm:
        spec = {"first": "on", "second": "go", "third": "3", "part": {"inner": "p"}, "rooms": [{"kind": "hall"}]}
        return BrowserForm(page, FORM, house(spec)).open()

    def sent(self, shown: BrowserForm) -> Any:
        return parse.parse(shown.obj, shown.submit()).object["spec"]

    def test_f2_hidden_values_are_not_sent(self, shown: BrowserForm) -> None:
        shown.fill("s:/spec/first", "off")
        for name in ("second", "third", "part"):
            expect(shown.box(f"/spec/{name}")).to_be_hidden()
        assert self.sent(shown) == {"first": "off", "rooms": [{"kind": "hall"}]}

    def test_f2_what_is_shown_again_is_sent_again(self, shown: BrowserForm) -> None:
        before = self.sent(shown)
        shown.fill("s:/spec/first", "off")
        shown.fill("s:/spec/first", "on")
        expect(shown.box("/spec/third")).to_be_visible()
        assert self.sent(shown) == before

    @pytest.mark.journey
    def test_f2_items_that_are_added_follow_their_own_controls(self, shown: BrowserForm) -> None:
        shown.fill("s:/spec/rooms/@0/size", "big")
        expect(shown.box("/spec/rooms/@0/door")).to_be_visible()
        shown.page.locator('[name="~add"][value="/spec/rooms"]').click()
        item = shown.page.locator('[data-pointer^="/spec/rooms/@n"]').first
        pointer = item.get_attribute("data-pointer")
        expect(shown.box(f"{pointer}/size")).to_be_hidden()
        shown.fill(f"s:{pointer}/kind", "hall")
        shown.fill(f"s:{pointer}/size", "big")
        shown.fill(f"s:{pointer}/door", "oak")
        assert self.sent(shown)["rooms"][1] == {"kind": "hall", "size": "big", "door": "oak"}
        shown.fill(f"s:{pointer}/kind", "cell")
        assert self.sent(shown)["rooms"][1] == {"kind": "cell"}
