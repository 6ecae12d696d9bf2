"""Branches of a union, fields that no schema names, null for whole sections, items that move: what the controls for
these say.
"""

import json
from typing import Any

import pytest

from resources.forms.parse import asked, parse
from resources.forms.schema import branch_of, unions
from tests.forms.page import Form, Page
from tests.forms.test_examples import FORMS

STATE = FORMS["oddities/1.0.0 State v1"]
LEAST = {"mode": "fast", "member": {"name": "m"}}
WAY = (("path",), ("link",), ("name", "both"))


def page_of(spec: dict[str, Any], form: Form = STATE) -> Page:
    return form.open({**form.begin(None), "spec": LEAST | spec})


def choose(page: Page, pointer: str, value: str) -> None:
    for element in page.named(f"u:{pointer}"):
        element.checked = element.attributes["value"] == value
    assert [element.attributes["value"] for element in page.named(f"u:{pointer}") if element.checked] == [value]


def chosen(page: Page, pointer: str) -> str:
    return next(element.attributes["value"] for element in page.named(f"u:{pointer}") if element.checked)


def test_branches_are_told_apart_by_what_only_they_ask_for() -> None:
    node = STATE.schema.root["properties"]["spec"]["properties"]["way"]
    assert unions(node) == WAY
    same = {"properties": {"a": {}}, "oneOf": [{"required": ["a"]}, {"required": ["a"]}]}
    assert unions(same) == ()


@pytest.mark.parametrize(
    ("value", "branch"),
    [
        ({}, ""),
        ({"path": "/"}, "0"),
        ({"link": {}}, "1"),
        ({"both": "x"}, "2"),
        ({"path": "/", "link": {}}, ""),
        (None, ""),
    ],
)
def test_the_branch_that_the_fields_speak_for(value: Any, branch: str) -> None:
    assert branch_of(WAY, value) == branch


def test_the_page_shows_the_branch_and_says_which_fields_belong_to_it() -> None:
    page = page_of({"way": {"link": {"url": "x"}}})
    assert chosen(page, "/spec/way") == "1"
    (box, *_) = page.index["at=/spec/way/path"]
    assert box.attributes["data-branches"] == "0"
    assert "data-branches" not in page.index["at=/spec/way"][0].attributes


def test_choosing_another_branch_removes_what_only_the_others_have() -> None:
    page = page_of({"way": {"link": {"url": "x"}, "unknown": 1}})
    choose(page, "/spec/way", "0")
    page.named("s:/spec/way/path")[0].value = "/new"
    assert page.submit().object["spec"]["way"] == {"path": "/new", "unknown": 1}


def test_a_branch_that_nobody_chose_anew_removes_nothing() -> None:
    both = {"link": {"url": "x"}, "path": "/"}
    assert page_of({"way": both}).submit().object["spec"]["way"] == both
    page = page_of({"way": {"link": {"url": "x"}}})
    page.named("s:/spec/way/path")[0].value = "/typed"
    assert page.submit().object["spec"]["way"] == {"link": {"url": "x"}, "path": "/typed"}


def test_a_choice_stays_when_the_page_is_drawn_again() -> None:
    page = page_of({})
    choose(page, "/spec/way", "2")
    page.press("~add", "/spec/list")
    assert chosen(page, "/spec/way") == "2"
    choose(page, "/spec/way", "")
    assert "way" not in page.submit().object["spec"]


def test_any_of_several_may_be_set_together() -> None:
    assert page_of({"some": {"first": "1", "second": "2"}}).submit().object["spec"]["some"] == {
        "first": "1",
        "second": "2",
    }


def others(page: Page, pointer: str) -> Any:
    (box,) = page.named(f"r:{pointer}")
    return box


def test_fields_that_no_schema_names_are_shown_changed_added_and_removed() -> None:
    page = page_of({"open": {"known": "k", "x": [1], "why": None}})
    others(page, "/spec/open").value = "why: 2\nz: {a: 'no'}\n"
    assert page.submit().object["spec"]["open"] == {"known": "k", "why": 2, "z": {"a": "no"}}
    others(page, "/spec/open").value = ""
    assert page.submit().object["spec"]["open"] == {"known": "k"}


def test_unknown_fields_of_an_invalid_object_can_be_seen_and_removed() -> None:
    page = page_of({"sizee": 3})
    assert others(page, "/spec").value.strip() == "sizee: 3"
    others(page, "/spec").value = "# nothing"
    assert "sizee" not in page.submit().object["spec"]
    assert not page_of({}).named("r:/spec")


@pytest.mark.parametrize(
    ("text", "code"), [("- a", "mapping"), ("just text", "mapping"), ("a: [", "yaml"), ("known: 5", "twice")]
)
def test_what_is_no_mapping_of_other_fields_is_refused_and_kept(text: str, code: str) -> None:
    page = page_of({"open": {"known": "k", "x": 1}})
    others(page, "/spec/open").value = text
    parsed = page.submit()
    assert [(problem.path, problem.code) for problem in parsed.problems] == [(("spec", "open"), code)]
    assert parsed.object["spec"]["open"] == {"known": "k", "x": 1}
    again = Page(form=STATE, html=STATE.html(parsed.object, parsed.typed))
    assert others(again, "/spec/open").value == text


def test_a_field_of_the_schema_may_be_written_under_others_when_its_control_is_empty() -> None:
    page = page_of({"open": {"x": 1}})
    others(page, "/spec/open").value = "known: k\nx: 1\n"
    parsed = page.submit()
    assert parsed.problems == ()
    assert parsed.object["spec"]["open"] == {"x": 1, "known": "k"}
    page.named("s:/spec/open/known")[0].value = "other"
    assert [problem.code for problem in page.submit().problems] == ["twice"]


def test_at_the_top_too() -> None:
    obj = {**STATE.begin(None), "spec": LEAST, "data": {"a": 1}}
    page = STATE.open(obj)
    assert others(page, "").value.strip() == "data:\n  a: 1"
    others(page, "").value = "moved: true"
    made = page.submit().object
    assert made["moved"] is True
    assert "data" not in made
    assert made["metadata"] == obj["metadata"]


def test_null_is_said_of_a_section_with_nothing_in_it() -> None:
    page = page_of({"section": None, "list": None, "map": None})
    assert [page.submit().object["spec"][name] for name in ("section", "list", "map")] == [None, None, None]
    page.named("s:/spec/section/a")[0].value = "x"
    assert page.submit().object["spec"]["section"] == {"a": "x"}


def test_removed_or_null() -> None:
    base = {"v": {"a": 1}}
    assert parse(base, [("x:/v", "1")]).object == {}
    assert parse(base, [("x:/v", "1"), ("e:/v", "null")]).object == {"v": None}


@pytest.mark.parametrize(
    ("button", "place", "order"),
    [
        ("~move-up", 1, "bac"),
        ("~move-down", 1, "acb"),
        ("~move-up", 0, "abc"),
        ("~move-down", 2, "abc"),
        ("~move-down", 0, "bac"),
    ],
)
def test_items_move_without_script(button: str, place: int, order: str) -> None:
    page = page_of({"things": [{"name": "a", "x": 1}, {"name": "b", "x": 2}, {"name": "c", "x": 3}]})
    page.press(button, f"/spec/things/@{place}")
    made = page.submit().object["spec"]["things"]
    assert [item["name"] for item in made] == list(order)
    assert {item["name"]: item["x"] for item in made} == {"a": 1, "b": 2, "c": 3}


def test_as_yaml_and_back() -> None:
    page = page_of({"section": {"a": "x", "odd": 1}})
    page.press("~yaml", "/spec/section")
    (box,) = page.named("y:/spec/section")
    assert json.loads(json.dumps(page.submit().object["spec"]["section"])) == {"a": "x", "odd": 1}
    box.value = "a: changed\nodd: null\n"
    page.press("~add", "/spec/list")
    assert page.named("y:/spec/section")
    page.press("~fields", "/spec/section")
    assert page.named("s:/spec/section/a")[0].value == "changed"
    assert page.submit().object["spec"]["section"] == {"a": "changed", "odd": None}


def test_yaml_that_can_not_be_read_stays_yaml_when_fields_are_asked_for() -> None:
    page = page_of({"section": {"a": "x"}})
    page.press("~yaml", "/spec/section")
    page.named("y:/spec/section")[0].value = "a: ["
    page.press("~fields", "/spec/section")
    assert page.named("y:/spec/section")[0].value == "a: ["


def test_a_key_without_a_value_is_not_dropped_silently() -> None:
    posted = [("m:/m", ""), ("k:/m/@n1", "k"), ("i:/m/@n1", "")]
    parsed = parse({}, posted)
    assert [(problem.path, problem.code) for problem in parsed.problems] == [(("m", "k"), "integer")]
    assert parse({}, [("m:/m", ""), ("k:/m/@n1", ""), ("i:/m/@n1", "")]).object == {}


def test_buttons_without_script_are_known_by_name() -> None:
    assert asked([("~add", "/a"), ("~base", "{}"), ("~lines", "/b")]) == [("z:/a", "1"), ("g:/b", "1")]
