"""What HTML, browsers, JSON and YAML do to values on their way through a form; each of these once lost a user's
value.

Every test goes through a real page: drawn, parsed as a browser parses, sent as a browser sends.
"""

import json
from typing import Any

import pytest

from tests.forms import measure
from tests.forms.page import Form, Page
from tests.forms.person import Person
from tests.forms.test_examples import FORMS

STATE = FORMS["oddities/1.0.0 State v1"]
SETTING = FORMS["oddities/1.0.0 Setting v1"]
LEAST = {"mode": "fast", "member": {"name": "m"}}


def page_of(spec: dict[str, Any], form: Form = STATE) -> Page:
    return form.open({**form.begin(None), "spec": LEAST | spec})


def assert_preserved(spec: dict[str, Any]) -> None:
    obj = {**STATE.begin(None), "spec": LEAST | spec}
    assert measure.unchanged(STATE, obj) == ""


def entered(spec: dict[str, Any], scripted: bool = True) -> None:
    """Typed into an empty form."""
    obj = {**STATE.begin(None), "spec": LEAST | spec}
    assert measure.build(STATE, obj, scripted)[1] == ""


def typed(pointer: str, mark: str, text: str, spec: dict[str, Any] | None = None) -> Any:
    """The spec after a user typed this there."""
    page = page_of(spec or {})
    (control,) = page.named(f"{mark}:{pointer}")
    control.value = text
    parsed = page.submit()
    assert parsed.problems == ()
    return parsed.object["spec"]


def test_dos_line_ends_of_a_value_nobody_touched_stay() -> None:
    assert_preserved({"text": "a\r\nb\r\n", "member": {"name": "\r"}, "list": ["x\r\n"], "map": {"k": "a\r\nb"}})


def test_line_ends_that_are_typed_are_newlines() -> None:
    assert typed("/spec/text", "s", "a\nb\n", {"text": "x\ny"})["text"] == "a\nb\n"


def test_the_newline_that_a_textarea_drops_at_its_beginning_is_not_lost() -> None:
    assert_preserved({"text": "\nsecond", "member": {"name": "\n"}, "map": {"k": "\n\nx"}})


def test_a_line_is_no_place_for_newlines_so_they_get_a_box() -> None:
    page = page_of({"text": "a\nb", "map": {"k": "a\nb"}, "list": ["a\nb"]})
    for name in ("s:/spec/text", "s:/spec/map/@0", "s:/spec/list/@0"):
        assert [element.tag for element in page.named(name)] == ["textarea"]


@pytest.mark.parametrize("scripted", [True, False])
def test_many_lines_can_be_typed_where_there_was_one(scripted: bool) -> None:
    entered({"text": "a\nb\n", "map": {"k": "x\n y\n"}, "list": ["1\n2"]}, scripted)


def test_spaces_at_the_ends_are_not_stripped() -> None:
    assert typed("/spec/text", "s", "  two  ")["text"] == "  two  "
    assert_preserved({"text": " ", "map": {" k ": " v "}, "list": [" "]})


@pytest.mark.parametrize("text", ["\x00", "a\x00b", "\x0b", "\x7f", "\ufffe", "\ud800", "x\udfff"])
def test_what_no_page_can_hold_comes_back(text: str) -> None:
    assert_preserved(
        {"text": text, "list": [text], "map": {"k": text}, "anything": {text: text}, "member": {"name": text}}
    )
    assert_preserved(
        {"map": {text: "x"}, "mapOfObjects": {text: {"size": 1}}, text: {"unknown": text}, "things": [{"name": text}]}
    )


@pytest.mark.parametrize("number", [2**53 + 1, 2**63 - 1, -(2**63), 2**64, 10**30, 9007199254740993])
def test_integers_beyond_what_javascript_can_count(number: int) -> None:
    assert_preserved({"number": number, "counts": {"k": number}, "port": number, "anything": number})
    entered({"number": number, "counts": {"k": number}})


def test_a_number_too_large_for_anything_is_refused_and_kept() -> None:
    page = page_of({})
    page.named("n:/spec/part")[0].value = "1e400"
    parsed = page.submit()
    assert [(problem.path, problem.code) for problem in parsed.problems] == [(("spec", "part"), "number")]
    assert "1e400" in STATE.html(parsed.object, parsed.typed)


@pytest.mark.parametrize("number", [3.0, 0.1 + 0.2, 1e22, 5e-324, -0.0])
def test_a_float_stays_the_float_it_was(number: float) -> None:
    assert_preserved({"part": number, "anything": [number], "number": number})


def test_one_and_the_text_one_are_different() -> None:
    assert_preserved({"port": "1", "anything": ["1", 1, 1.0, True, "true"], "text": "1", "choice": 1, "level": "1"})
    entered({"port": "8080"})
    entered({"port": 8080})
    assert typed("/spec/port", "q", '"80"')["port"] == "80"
    assert typed("/spec/port", "q", "80", {"port": "80"})["port"] == 80
    assert typed("/spec/port", "q", "50%")["port"] == "50%"
    assert typed("/spec/port", "q", "007")["port"] == "007"


KEYS = [
    "a/b",
    "a~b",
    "~1",
    "~0",
    "~2x",
    "@0",
    "@n1",
    "@0-5",
    "",
    ".",
    "a.b",
    " ",
    "[0]",
    "o:",
    "한",
    'q"',
    "<i>",
    "a&b",
    "%2F",
    "a?b#c",
]


@pytest.mark.parametrize("key", KEYS)
def test_keys_of_maps(key: str) -> None:
    assert_preserved(
        {"map": {key: "x", "other": ""}, "mapOfObjects": {key: {"size": 1}}, "mapOfMaps": {key: {key: [key]}}}
    )
    entered({"map": {key: "x"}, "mapOfObjects": {key: {"size": 1}}})


@pytest.mark.parametrize("key", KEYS)
def test_names_of_fields_that_no_schema_knows(key: str) -> None:
    assert_preserved({key: {key: [1]}, "open": {key: "x"}, "typedAndOpen": {key: None}})
    if key:
        entered({"open": {key: {"x": [1]}}, "typedAndOpen": {key: "no"}})


def test_names_with_slashes_and_at_signs_in_the_schema() -> None:
    entered({"odd/~name.of": "x", "@at": {"@0": "zero", "": "nameless"}})


YAML = [
    "no",
    "yes",
    "y",
    "n",
    "Y",
    "off",
    "on",
    "~",
    "null",
    "1_000",
    "0o17",
    "0x1f",
    "1e3",
    "1:30",
    ".inf",
    ".nan",
    "2020-01-01",
    "2020-01-01T00:00:00Z",
    "=",
    "- a",
    "a: b",
    "# c",
    "&a",
    "*a",
    "!!int 3",
    "%YAML",
    "---",
    "...",
    "{",
    "[",
    "'",
    '"',
    "a\n\nb\n\n",
    " a\n b\n",
    "a \nb",
    "\ta",
    "|",
    ">",
    "?",
    "@x",
    "`x`",
]


@pytest.mark.parametrize("text", YAML)
def test_texts_that_yaml_would_read_as_something_else(text: str) -> None:
    assert_preserved({"anything": {"a": text, text: [text]}, "freeForm": {"x": text}, "unknown": text})
    entered({"anything": {"a": text, text: [text]}, "open": {"x": text}})


def test_yaml_is_read_as_kubernetes_reads_it() -> None:
    found = typed("/spec/anything", "y", "a: 2020-01-01\nb: no\nc: 1_000\nd: 0o17\ne: 1e3\nf: ~\n")["anything"]
    assert found["a"] == "2020-01-01"
    assert found["b"] is False
    assert found["f"] is None


@pytest.mark.parametrize(
    ("text", "code"), [("a: 1\na: 2", "yaml"), ("a: [", "yaml"), ("a: .inf", "yaml"), ("--- 1\n--- 2", "yaml")]
)
def test_yaml_that_says_no_one_thing_is_refused_and_kept(text: str, code: str) -> None:
    page = page_of({"anything": 1})
    page.named("y:/spec/anything")[0].value = text
    parsed = page.submit()
    assert [problem.code for problem in parsed.problems] == [code]
    again = Page(form=STATE, html=STATE.html(parsed.object, parsed.typed))
    assert again.named("y:/spec/anything")[0].value == text


def test_anchors_in_yaml_are_written_out() -> None:
    assert typed("/spec/anything", "y", "a: &x [1]\nb: *x\n")["anything"] == {"a": [1], "b": [1]}


@pytest.mark.parametrize("text", ["", "  \n", "# only a comment", "---", "--- # x\n"])
def test_yaml_without_a_value_is_no_value(text: str) -> None:
    assert "anything" not in typed("/spec/anything", "y", text, {"anything": 1})


@pytest.mark.parametrize(
    ("text", "value"), [("null", None), ("~", None), ('""', ""), ("{}", {}), ("[]", []), ("0", 0), ("false", False)]
)
def test_yaml_can_say_everything_that_is_empty(text: str, value: Any) -> None:
    spec = typed("/spec/anything", "y", text)
    assert "anything" in spec
    assert json.dumps(spec["anything"]) == json.dumps(value)


EMPTY = [
    {"text": ""},
    {"text": None},
    {"withDefault": ""},
    {"withDefault": None},
    {"number": 0},
    {"number": None},
    {"part": 0},
    {"part": None},
    {"flag": False},
    {"flag": None},
    {"choice": None},
    {"port": ""},
    {"port": 0},
    {"port": None},
    {"key": ""},
    {"key": None},
    {"list": []},
    {"list": None},
    {"list": [""]},
    {"list": [None]},
    {"numbers": []},
    {"grid": [[], [[]]]},
    {"things": []},
    {"things": None},
    {"things": [{}]},
    {"things": [None]},
    {"map": {}},
    {"map": None},
    {"map": {"k": ""}},
    {"map": {"": ""}},
    {"map": {"k": None}},
    {"counts": {}},
    {"mapOfMaps": {"k": {}}},
    {"section": {}},
    {"section": None},
    {"section": {"b": {}}},
    {"emptyDir": {}},
    {"anything": None},
    {"anything": ""},
    {"anything": {}},
    {"freeForm": {}},
    {"open": {}},
    {"way": {}},
]


@pytest.mark.parametrize("spec", EMPTY, ids=json.dumps)
def test_absent_null_empty_and_zero_are_four_things(spec: dict[str, Any]) -> None:
    assert_preserved(spec)
    entered(spec)
    name = next(iter(spec))
    page = page_of(spec)
    person = Person(page=page)
    assert json.dumps(page.submit().object["spec"][name]) == json.dumps(spec[name])
    person.opened(f"/spec/{name}")


def test_a_default_is_shown_and_not_written() -> None:
    page = page_of({})
    assert any("blue" in element.attributes.get("placeholder", "") for element in page.named("s:/spec/withDefault"))
    assert page.submit().object["spec"] == LEAST


def test_base64_may_come_in_lines() -> None:
    assert typed("/spec/key", "d", "aGVs\nbG8=\n")["key"] == "aGVsbG8="


def test_base64_that_is_none_is_refused() -> None:
    page = page_of({})
    page.named("d:/spec/key")[0].value = "not base64!"
    assert [problem.code for problem in page.submit().problems] == ["bytes"]


def test_a_choice_keeps_a_value_that_is_none_of_its_options() -> None:
    assert_preserved({"mode": "turbo", "choice": "four", "level": 4})


def test_markup_in_values_keys_and_labels_is_text() -> None:
    assert_preserved(
        {"text": "</textarea><script>x</script>", "map": {'"><b>': "'>&lt;"}, "anything": "</textarea>\n<i>", '"<u>': 1}
    )
