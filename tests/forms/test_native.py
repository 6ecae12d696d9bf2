"""What the browser checks: it rejects nothing that the server accepts, and checks everything that HTML can express."""

import json
from typing import Any

import pytest

from resources.forms import widgets
from resources.forms.widgets import browser_constraints


def check(node: dict[str, Any]) -> dict[str, Any]:
    return json.loads(browser_constraints(node).check or "{}")


@pytest.mark.parametrize(
    ("node", "minimum", "maximum", "step"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 9}, "1", "9", ""),
        ({"type": "integer", "minimum": 1, "exclusiveMinimum": True}, "2", "", ""),
        ({"type": "integer", "maximum": 9, "exclusiveMaximum": True}, "", "8", ""),
        ({"type": "integer", "minimum": 1.5}, "1", "", ""),  # int64(1.5), as the server compares
        ({"type": "integer", "maximum": 9223372036854775807}, "", "", ""),  # browsers round it
        ({"type": "integer", "multipleOf": 5}, "", "", ""),  # steps would count from the value the page came with
        ({"type": "integer", "multipleOf": 5, "minimum": 10}, "10", "", "5"),
        ({"type": "integer", "multipleOf": 5, "minimum": 1}, "1", "", ""),
        ({"type": "number", "minimum": 0, "exclusiveMinimum": True, "multipleOf": 0.1}, "0", "", ""),
        ({"type": "number", "maximum": 1e300}, "", "", ""),
        ({"type": "string", "minimum": 3}, "", "", ""),
        ({"x-kubernetes-int-or-string": True, "minimum": 3}, "", "", ""),
    ],
)
def test_bounds(node: dict[str, Any], minimum: str, maximum: str, step: str) -> None:
    found = browser_constraints(node)
    assert (found.minimum, found.maximum, found.step) == (minimum, maximum, step)


def test_what_attributes_cannot_say_is_in_the_check() -> None:
    assert check({"type": "integer", "maximum": 9223372036854775807}) == {"max": "9223372036854775807"}
    assert check({"type": "integer", "format": "int32", "multipleOf": 5.0}) == {"multipleOf": "5", "format": "int32"}
    assert check({"type": "number", "minimum": 0, "exclusiveMinimum": True}) == {"min": "0", "minExclusive": True}
    assert check({"type": "string", "minLength": 0, "maxLength": 3}) == {"maxLength": 3}
    assert check({"x-kubernetes-int-or-string": True, "pattern": "^a$"}) == {"pattern": "^a$"}
    assert check({"type": "string", "format": "int64"}) == {}


@pytest.mark.parametrize(
    "node",
    [{"type": "string"}, {"type": "boolean"}, {"type": "array", "items": {}, "minItems": 3}, {"enum": ["a"]}, {}],
)
def test_nothing_to_say(node: dict[str, Any]) -> None:
    assert browser_constraints(node) is widgets.NO_CONSTRAINTS


def test_a_length_is_never_cut() -> None:
    """`maxlength` cuts what is pasted, and takes an emoji for two."""
    assert not hasattr(browser_constraints({"type": "string", "maxLength": 3}), "max_length")


@pytest.mark.parametrize("pattern", ["^a-b$", r"^[\w.-]+\z", "(?i)é", r"\p{Greek}", "^(a+)+$", "^a*a*a*a*a*a*b$"])
def test_s4_patterns_are_re2s_and_no_attribute(pattern: str) -> None:
    """The browser's own `pattern` goes back and tries again: a schema's author could hang the page with it."""
    node = {"type": "string", "pattern": pattern, "maxLength": 5}
    assert check(node) == {"maxLength": 5, "pattern": pattern}
    assert not hasattr(browser_constraints(node), "pattern")


@pytest.mark.parametrize("pattern", ["(?=a)", "(", "x{2000}"])
def test_what_re2_refuses_is_left_to_the_server(pattern: str) -> None:
    assert check({"type": "string", "pattern": pattern, "maxLength": 5}) == {"maxLength": 5}
