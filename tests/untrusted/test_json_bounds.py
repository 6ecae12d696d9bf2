"""S10: JSON of any depth is refused as unreadable, never with a RecursionError."""

import io
import json

import msgspec
import pytest
from rest_framework.exceptions import ParseError

from console.web.request_body import BoundedJSONParser
from operatorhub import csv
from resources.forms import texts
from sandbox import bodies
from untrusted import json_bounds


@pytest.mark.parametrize("levels", [201, 900, 100_000, 1_000_000])
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


@pytest.mark.parametrize("spacing", [None, 1])
@pytest.mark.parametrize("word", ["]" * 200, "[" * 200, '"]"[', "\\", "\\]\\\\[", '\\"{"', "\n}\t{", "嬢\x00é[", "🐢]"])
def test_s10_what_stands_in_strings_counts_for_nothing(word: str, spacing: int | None) -> None:
    """Depth is judged on the text: neither hides a string levels, nor does it add any."""
    value: object = word
    for _ in range(100):
        value = [word, {word: value, "a": word}, word]
    for ascii_only in (True, False):
        text = json.dumps(value, ensure_ascii=ascii_only, indent=spacing)
        assert json_bounds.load(text) == json_bounds.loads(text) == json_bounds.loads(text.encode("utf-16")) == value
        for read in (json_bounds.load, json_bounds.loads):
            with pytest.raises(ValueError, match="too deep"):
                read(f"[{text}]")
        with pytest.raises(ValueError, match="too deep"):
            json_bounds.loads(f"[{text}]".encode("utf-16"))


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
