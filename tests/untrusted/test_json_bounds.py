"""S10: JSON of any depth is refused as unreadable, never with a RecursionError."""

import io

import msgspec
import pytest
from rest_framework.exceptions import ParseError

from console.web.json_parser import BoundedJSONParser
from operatorhub import csv
from resources.forms import texts
from sandbox import bodies
from untrusted import json_bounds


@pytest.mark.parametrize("levels", [101, 900, 100_000, 1_000_000])
@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_s10_deep_json_is_a_value_error(opening: str, closing: str, levels: int) -> None:
    text = opening * levels + "1" + closing * levels
    with pytest.raises(ValueError):
        json_bounds.load(text)
    with pytest.raises(bodies.Unrecognized):
        bodies.body((opening * 2 * levels + "1" + closing * 2 * levels).encode(), "application/json")
    assert bodies.duplicates(text.encode(), "application/json", True) == ()


def test_depth_is_counted_exactly() -> None:
    assert json_bounds.load("[[{}]]", 3) == [[{}]]
    assert json_bounds.load("[[[1]]]", 3) == [[[1]]]
    for text in ("[[[[]]]]", "[[[{}]]]"):
        with pytest.raises(json_bounds.TooDeep):
            json_bounds.load(text, 3)
    with pytest.raises(msgspec.DecodeError):
        json_bounds.load("nonsense")


DEEP = "[" * 100_000 + "]" * 100_000


def test_s10_the_api_answers_deep_json_with_400() -> None:
    """It was 500."""
    for body in (DEEP, '{"a":' * 500 + "1" + "}" * 500, "NaN", "{"):
        with pytest.raises(ParseError):
            BoundedJSONParser().parse(io.BytesIO(body.encode()))
    assert BoundedJSONParser().parse(io.BytesIO(b'{"a": [1]}')) == {"a": [1]}


def test_s10_deep_annotations_and_fields_are_unreadable() -> None:
    with pytest.raises(ValueError):
        texts.value_of("json", DEEP)
    assert csv._json(DEEP) is None
    assert json_bounds.loads("123456789012345678901234567890") == 123456789012345678901234567890
