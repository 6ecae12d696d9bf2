"""What was posted → the object: every difference that JSON knows survives a form."""

from typing import Any

import pytest

from resources.forms.parse import parse


def read(base: dict[str, Any], *posted: tuple[str, str]) -> dict[str, Any]:
    parsed = parse(base, posted)
    assert not parsed.problems, parsed.problems
    return parsed.object


def test_a_form_that_posts_nothing_changes_nothing() -> None:
    base = {"spec": {"a": None, "b": [], "c": {}, "d": 0, "e": False, "f": ""}}
    assert read(base) == base


def test_what_was_not_on_the_page_is_kept_beside_what_was() -> None:
    base = {"spec": {"unknown": {"x": [1]}, "engine": "redis"}}
    assert read(base, ("o:/spec", "1"), ("s:/spec/engine", "valkey")) == {
        "spec": {"unknown": {"x": [1]}, "engine": "valkey"}
    }


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("s:/v", "12", "12"),
        ("s:/v", " two  words ", " two  words "),
        ("s:/v", "a\r\nb\r\n", "a\nb\n"),
        ("i:/v", "9007199254740993", 9007199254740993),
        ("i:/v", "-0", 0),
        ("n:/v", "0.5", 0.5),
        ("n:/v", "3", 3),
        ("b:/v", "false", False),
        ("q:/v", "80", 80),
        ("q:/v", '"80"', "80"),
        ("q:/v", "500m", "500m"),
        ("q:/v", "007", "007"),
        ("j:/v", '"\\u0000"', "\x00"),
        ("y:/v", "no: [1, 2020-01-01]\n", {"false": [1, "2020-01-01"]}),
    ],
)
def test_text_becomes_a_value_of_its_type(name: str, text: str, value: Any) -> None:
    found = read({}, (name, text))["v"]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("i:/v", "1.5", "integer"),
        ("i:/v", "ten", "integer"),
        ("n:/v", "1e400", "number"),
        ("n:/v", "1_000", "number"),
        ("n:/v", "nan", "number"),
        ("y:/v", "a: [", "yaml"),
        ("j:/v", "{", "json"),
    ],
)
def test_unreadable_text_is_a_problem_and_is_kept(name: str, text: str, code: str) -> None:
    parsed = parse({"v": 1}, [(name, text)])
    assert [(problem.path, problem.code) for problem in parsed.problems] == [(("v",), code)]
    assert parsed.typed.texts[("v",)][1] == text


@pytest.mark.parametrize("value", [3.0, 1e-7, 2**63, -1, 0])
def test_a_number_that_nobody_touched_keeps_its_type(value: float) -> None:
    found = read({"v": value}, ("n:/v", repr(value)))["v"]
    assert repr(found) == repr(value)


def test_empty_is_absent_unless_it_is_said_to_be_a_text_or_null() -> None:
    base = {"v": "x", "w": "x", "z": "x"}
    assert read(base, ("s:/v", ""), ("s:/w", ""), ("e:/w", "empty"), ("s:/z", ""), ("e:/z", "null")) == {
        "w": "",
        "z": None,
    }


def test_sections_lists_and_maps_are_absent_or_empty() -> None:
    assert read({}, ("o:/a", ""), ("a:/b", ""), ("m:/c", "")) == {}
    assert read({}, ("o:/a", "1"), ("a:/b", "1"), ("m:/c", "1")) == {"a": {}, "b": [], "c": {}}


def test_an_item_removed_renames_no_other_and_keeps_their_unknown_fields() -> None:
    base = {"users": [{"name": "a"}, {"name": "b", "odd": 1}, {"name": "c", "odd": 2}]}
    made = read(
        base,
        ("a:/users", ""),
        ("o:/users/@2", "1"),
        ("s:/users/@2/name", "c"),
        ("o:/users/@1", "1"),
        ("s:/users/@1/name", "b2"),
        ("o:/users/@n7", "1"),
        ("s:/users/@n7/name", "new"),
    )
    assert made == {"users": [{"name": "c", "odd": 2}, {"name": "b2", "odd": 1}, {"name": "new"}]}


def test_a_closed_item_is_kept() -> None:
    assert read({"v": [{"x": 1}, {"x": 2}]}, ("a:/v", ""), ("t:/v/@1", "1")) == {"v": [{"x": 2}]}


def test_keys_with_slashes_dots_tildes_and_at_signs() -> None:
    base = {"labels": {"a/b.c~d": "1", "": "2"}, "@odd": {"x/y": "1"}}
    made = read(
        base,
        ("m:/labels", ""),
        ("k:/labels/@0", "a/b.c~d"),
        ("s:/labels/@0", "1"),
        ("k:/labels/@1", ""),
        ("s:/labels/@1", "3"),
        ("k:/labels/@n2", ""),
        ("s:/labels/@n2", ""),
        ("s:/~2odd/x~1y", "2"),
    )
    assert made == {"labels": {"a/b.c~d": "1", "": "3"}, "@odd": {"x/y": "2"}}


def test_a_new_entry_with_a_key_has_an_empty_text() -> None:
    assert read({}, ("m:/m", ""), ("k:/m/@n1", "@k"), ("s:/m/@n1", "")) == {"m": {"@k": ""}}


def test_a_key_that_stands_twice_is_a_problem_and_neither_is_lost() -> None:
    posted = [("m:/m", ""), ("k:/m/@n1", "a"), ("s:/m/@n1", "1"), ("k:/m/@n2", "a"), ("s:/m/@n2", "2")]
    parsed = parse({}, posted)
    (problem,) = parsed.problems
    assert (problem.code, problem.detail) == ("key", "a")
    assert list(parsed.object["m"].values()) == ["1", "2"]
    assert parsed.typed.keys[problem.path] == "a"


def test_removed_is_gone_whatever_is_in_it() -> None:
    assert read({"a": {"b": 1}, "c": [1, 2]}, ("x:/a", "1"), ("a:/c", ""), ("x:/c/@0", "1"), ("i:/c/@1", "2")) == {
        "c": [2]
    }


def test_names_that_are_no_controls_are_passed_over() -> None:
    assert read({"a": 1}, ("csrfmiddlewaretoken", "x"), ("~base", "{}"), ("s:nowhere", "x"), ("zz:/a", "x")) == {"a": 1}
