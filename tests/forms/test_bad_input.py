"""Too much, too long, too deep, too late: the form stays quick and loses nothing."""

import json
import time
from typing import Any

import pytest

from resources.forms import build
from resources.forms.fields import FormInput, Options
from resources.forms.parse import parse
from resources.forms.schema import Schema
from tests.forms import dom, measure
from tests.forms.differ import difference
from tests.forms.page import Form, Page
from tests.forms.person import Person
from tests.forms.test_examples import FORMS

STATE = FORMS["oddities/1.0.0 State v1"]
DEEP = FORMS["oddities/1.0.0 Deep v1"]
LEAST = {"mode": "fast", "member": {"name": "m"}}
#: Ten times what the form takes: tests share their machine.
SECONDS = 3.0
BYTES = 400_000


def state(spec: dict[str, Any]) -> dict[str, Any]:
    return {**STATE.begin(None), "spec": LEAST | spec}


def drawn(form: Form, obj: dict[str, Any]) -> Page:
    began = time.process_time()
    page = form.open(obj)
    assert time.process_time() - began < SECONDS
    (base,) = page.index["~base"]
    assert len(page.html) - 2 * len(base.value or "") < BYTES
    return page


LONG: list[dict[str, Any]] = [
    {"list": [f"item {n}" for n in range(10_000)]},
    {"things": [{"name": f"thing {n}", "tags": ["x"], "unknown": n} for n in range(10_000)]},
    {"map": {f"key.{n}/x": f"value {n}" for n in range(10_000)}},
    {"mapOfObjects": {f"k{n}": {"size": n} for n in range(5_000)}},
    {"grid": [[[True, False]] for _ in range(10_000)]},
    {"anything": [{"n": n} for n in range(10_000)], "freeForm": {f"f{n}": n for n in range(10_000)}},
]


@pytest.mark.parametrize("spec", LONG, ids=lambda spec: next(iter(spec)))
def test_ten_thousand_items_are_drawn_in_part_and_kept_whole(spec: dict[str, Any]) -> None:
    obj = state(spec)
    page = drawn(STATE, obj)
    assert difference(obj, page.submit().object) == ""


@pytest.mark.parametrize("scripted", [True, False], ids=["script", "no-script"])
def test_of_a_long_list_more_is_shown_and_the_end_can_be_reached(scripted: bool) -> None:
    obj = state({"list": [f"item {n}" for n in range(170)]})
    page = STATE.open(obj)
    person = Person(page=page, scripted=scripted)
    shown = []
    while rest := [name for name in page.index if name.startswith("~open=/spec/list/@")]:
        shown.append(len([name for name in page.index if name.startswith("s:/spec/list/@")]))
        person.opened(rest[0].removeprefix("~open="))
    assert shown == [50, 100, 150][: len(shown)]
    (last,) = page.named("s:/spec/list/@169")
    last.value = "changed"
    made = page.submit().object["spec"]["list"]
    assert made == [*obj["spec"]["list"][:-1], "changed"]


def wide(number: int) -> Form:
    """A kind whose spec has so many fields beside each other, one of them required."""
    fields = {f"f{n:04}": {"type": "string"} for n in range(number)}
    spec = {"type": "object", "properties": fields, "required": ["f0007"]}
    root = {"type": "object", "properties": {"spec": spec}, "required": ["spec"]}
    return Form(STATE.type, Schema.from_document(root), STATE.offer)


def test_an_object_of_five_thousand_fields_is_drawn_in_part_and_kept_whole() -> None:
    form = wide(5000)
    obj = {**form.begin(None), "spec": {"f0007": "a", "f2500": "set", "f4999": "last"}}
    page = drawn(form, obj)
    assert page.named("s:/spec/f4999") and page.named("s:/spec/f2500")
    assert not page.index.get("s:/spec/f2501")
    assert difference(obj, page.submit().object) == ""


@pytest.mark.parametrize("scripted", [True, False], ids=["script", "no-script"])
def test_of_many_fields_each_can_be_reached(scripted: bool) -> None:
    form = wide(500)
    obj = {**form.begin(None), "spec": {"f0007": "a", "f0300": "set"}}
    page = form.open(obj)
    person = Person(page=page, scripted=scripted)
    while rest := [name for name in page.index if name.startswith("~open=/spec/@")]:
        person.opened(rest[0].removeprefix("~open="))
    page.named("s:/spec/f0499")[0].value = "changed"
    made = page.submit().object["spec"]
    assert made == {**obj["spec"], "f0499": "changed"}
    # What was opened is on the page again when it is drawn again.
    page.press("~add", "/metadata/labels")
    assert page.named("s:/spec/f0499")[0].value == "changed"
    assert page.named("s:/spec/f0301")


def test_an_error_among_fields_that_are_not_shown_is_shown() -> None:
    form = wide(5000)
    obj = {**form.begin(None), "spec": {"f0007": "a"}}
    assert not form.open(obj).index.get("s:/spec/f3333")
    page = form.open(obj, typed=FormInput(errors={("spec", "f3333"): "is wrong"}))
    assert page.named("s:/spec/f3333")
    assert "is wrong" in page.html


def test_items_of_a_long_list_are_added_moved_and_removed_around_what_is_not_shown() -> None:
    names = [f"item {n}" for n in range(200)]
    page = STATE.open(state({"list": list(names)}))
    page.press("~remove", "/spec/list/@0")
    page.press("~move-down", "/spec/list/@48")
    page.press("~add", "/spec/list")
    new = [name for name in page.index if name.startswith("s:/spec/list/@n")]
    page.named(new[0])[0].value = "new"
    made = page.submit().object["spec"]["list"]
    wanted = names[1:]
    wanted[48], wanted[49] = wanted[49], wanted[48]
    assert made == [*wanted, "new"]


def test_an_error_far_down_a_long_list_is_shown_where_it_is() -> None:
    obj = state({"things": [{"name": f"n{n}"} for n in range(500)]})
    html = STATE.html(obj, FormInput(errors={("spec", "things", 321, "name"): "this one is wrong"}))
    page = Page(form=STATE, html=html)
    assert "this one is wrong" in html
    assert page.named("s:/spec/things/@321/name")[0].value == "n321"
    assert difference(obj, page.submit().object) == ""


def test_an_object_of_five_megabytes() -> None:
    free, texts = {f"k{n}": "y" * 500 for n in range(4_000)}, {f"k{n}": "z" * 1000 for n in range(1_500)}
    obj = state({"text": "x" * 1_500_000, "freeForm": free, "map": texts})
    size, began = len(json.dumps(obj)), time.process_time()
    wrong = difference(obj, STATE.open(obj).submit().object)
    took = time.process_time() - began
    assert wrong == ""
    assert size > 5_000_000
    assert took < 3 * SECONDS


def test_a_text_of_a_million_letters_can_be_changed() -> None:
    page = STATE.open(state({"text": "line\n" * 200_000}))
    page.named("s:/spec/text")[0].value = "line\n" * 200_001
    assert page.submit().object["spec"]["text"] == "line\n" * 200_001


def test_too_long_values_are_kept_for_the_server_to_refuse() -> None:
    page = STATE.open(state({}))
    page.named("s:/metadata/name")[0].value = "n" * 5000
    assert page.submit().object["metadata"]["name"] == "n" * 5000


def test_a_number_of_ten_thousand_digits_is_refused_not_computed() -> None:
    page = STATE.open(state({}))
    page.named("i:/spec/number")[0].value = "9" * 10_000
    assert [problem.code for problem in page.submit().problems] == ["integer"]


def test_values_whose_fields_a_new_schema_no_longer_has_are_kept_and_shown() -> None:
    """The definition changed while the form was open: the old page is sent, and drawn again with the new schema."""
    old = Schema.from_document(
        {
            "properties": {
                "spec": {
                    "type": "object",
                    "properties": {
                        "a": {"type": "string"},
                        "gone": {"type": "object", "properties": {"x": {"type": "integer"}}},
                    },
                }
            }
        }
    )
    new = Schema.from_document({"properties": {"spec": {"type": "object", "properties": {"a": {"type": "integer"}}}}})
    before, after = Form(STATE.type, old, STATE.offer), Form(STATE.type, new, STATE.offer)
    page = before.open({**before.begin(None), "spec": {"a": "text", "gone": {"x": 1}}})
    page.named("i:/spec/gone/x")[0].value = "2"
    parsed = page.submit()
    assert parsed.object["spec"] == {"a": "text", "gone": {"x": 2}}
    again = Page(form=after, html=after.html(parsed.object, parsed.typed))
    assert "x: 2" in (again.named("r:/spec")[0].value or "")
    assert again.submit().object == parsed.object
    again.named("r:/spec")[0].value = ""
    assert again.submit().object["spec"] == {"a": "text"}


def nested(levels: int) -> dict[str, Any]:
    value: dict[str, Any] = {"name": str(levels - 1)}
    for level in range(levels - 2, -1, -1):
        value = {"name": str(level), "below": value}
    return {**DEEP.begin(None), "spec": value}


def test_thirty_eight_levels_open_one_by_one() -> None:
    obj = nested(37)
    page = drawn(DEEP, obj)
    assert difference(obj, page.submit().object) == ""
    assert measure.build(DEEP, obj)[1] == ""


@pytest.mark.parametrize("levels", [11, 14, 37])
def test_without_script_the_deepest_levels_are_yaml(levels: int) -> None:
    obj = nested(levels)
    assert measure.build(DEEP, obj, scripted=False)[1] == ""


def test_a_page_with_all_levels_open_needs_no_more_stack_than_there_is() -> None:
    """Templates draw by recursion, under a server's and a middleware's frames."""
    obj = nested(37)
    opened = frozenset(("spec", *["below"] * level) for level in range(37))

    def under(frames: int) -> str:
        return under(frames - 1) if frames else DEEP.html(obj, FormInput(opened=opened, asked=opened))

    page = Page(form=DEEP, html=under(250))
    assert difference(obj, page.submit().object) == ""


def test_a_schema_that_refers_to_itself_has_no_end_and_needs_none() -> None:
    node = {"type": "object", "properties": {"name": {"type": "string"}, "next": {"$ref": "#/components/schemas/N"}}}
    document = {"properties": {"spec": {"$ref": "#/components/schemas/N"}}, "components": {"schemas": {"N": node}}}
    form = Form(STATE.type, Schema.from_document(document), STATE.offer)
    obj = {**form.begin(None), "spec": {"name": "0", "next": {"name": "1", "next": {"next": {}}}}}
    drawn(form, obj)
    assert measure.unchanged(form, obj) == ""
    assert measure.build(form, obj)[1] == ""


@pytest.mark.parametrize(
    "schema",
    [
        None,
        {},
        {"type": "string"},
        {"properties": None},
        {"properties": {"spec": True}},
        {"properties": {"spec": {"type": 5}}},
        {"$ref": "#/loop"},
        {"allOf": [{}, None]},
    ],
)
def test_a_schema_that_is_none_still_makes_a_form(schema: Any) -> None:
    form = Form(STATE.type, Schema.from_document(schema), STATE.offer)
    obj = {**form.begin(None), "spec": {"a": [1]}}
    assert measure.unchanged(form, {**obj, "data": {"b": None}}) == ""
    assert measure.build(form, obj)[1] == ""


STRANGE = [
    "s:/spec" + "/x" * 5000,
    "s:/",
    "s:",
    "s:spec",
    "k:/spec",
    "o:/spec/@0/@1/@2",
    "a:/metadata",
    "m:/spec/list",
    "t:/spec/list/@5-1",
    "t:/spec/list/@0-99999999",
    "z:/spec/list/@3-4",
    "h:/spec/list/@9",
    "u:/spec/way",
    "v:/spec/way",
    "w:/spec/open",
    "r:",
    "r:/spec",
    "x:",
    "x:/metadata",
    "e:/spec",
    "p:/spec",
    "f:/nowhere",
    "g:/spec",
    "y:",
    "j:/spec/list/@0",
    "i:/spec",
    "c:/spec/list/@n1",
]


@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.parametrize("value", ["", "1", "null", "[", "-1", '{"only": 5}', '{"only": [["a"], 5], "was": []}'])
def test_nothing_that_is_posted_breaks_the_form(name: str, value: str) -> None:
    obj = state({"list": ["a"], "way": {"path": "/"}})
    parsed = parse(obj, [*dom.sent(STATE_PAGE.root), (name, value)])
    assert isinstance(parsed.object, dict)
    assert STATE.html(parsed.object if isinstance(parsed.object.get("metadata", {}), dict) else obj, parsed.typed)


STATE_PAGE = STATE.open(state({"list": ["a"], "way": {"path": "/"}}))


@pytest.mark.parametrize(
    "pointer",
    [
        "",
        "/",
        "nowhere",
        "/spec/nothing/at/all",
        "/spec/list/@99",
        "/spec/list/@1-2",
        "/spec/text/@0/x",
        "/spec/@0-9/x",
        "/metadata/x",
        "/status",
    ],
)
def test_a_part_that_is_not_there_is_a_part_or_a_clear_error(pointer: str) -> None:
    try:
        made = build.at(STATE.schema, state({}), pointer, Options())
    except (ValueError, LookupError):
        return
    assert made.pointer == pointer
