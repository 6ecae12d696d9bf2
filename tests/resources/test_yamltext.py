"""Objects as YAML and back: what Kubernetes reads, and where it is wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from resources.yamltext import YamlProblem, dump, load, load_object

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def test_a_number_of_thousands_of_digits_is_text() -> None:
    for digits in ("9" * 5000, f"0x{'f' * 5000}", f"0b{'1' * 20_000}"):
        assert load(f"a: {digits}") == {"a": digits}
        assert load(dump({"a": digits})) == {"a": digits}


@given(JSON)
def test_what_is_written_is_read_back(value: object) -> None:
    assert load(dump(value)) == value


def test_blocks_for_texts_of_several_lines() -> None:
    assert dump({"script": "a\nb\n"}) == "script: |\n  a\n  b\n"


def test_dates_and_versions_stay_text() -> None:
    assert load("a: 2020-01-01\nb: '1.10'\nc: =") == {"a": "2020-01-01", "b": "1.10", "c": "="}


# As kubectl 1.32 reads them; only large numbers keep their digits here.
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("off", False),
        ("y", True),
        ("No", False),
        ("0644", 420),
        ("0o17", 15),
        ("-0o17", -15),
        ("0x1F", 31),
        ("0b11", 3),
        ("1_000", 1000),
        ("0888", 888),
        ("1e3", 1000),
        ("1.5e3", 1500.0),
        (".5", 0.5),
        ("+.5", 0.5),
        ("~", None),
        ("", None),
        ("12:30:45", "12:30:45"),
        ("1:30", "1:30"),
        ("1e400", "1e400"),
        ("0o8", "0o8"),
        ("_1", "_1"),
        ("2020-01-01T00:00:00Z", "2020-01-01T00:00:00Z"),
        ("12345678901234567890123", 12345678901234567890123),
    ],
)
def test_plain_words_are_what_kubectl_takes_them_for(text: str, value: object) -> None:
    found = load(f"a: {text}")["a"]
    assert (found, type(found)) == (value, type(value))
    if isinstance(value, str):
        assert load(dump({"a": text})) == {"a": text}


def test_keys_are_texts_as_kubectl_makes_them() -> None:
    assert load("y: 1\nno: 2\n010: 3") == {"true": 1, "false": 2, "8": 3}


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        ("a: 1\nb: 2\na: 3", "“a” stands here twice", 3),
        ("a: [1", "expected ',' or ']'", 2),
        ("a: 1\n---\nb: 2", "more than one document", 0),
        ("a: .nan", "put it in quotes", 0),
        ("a: &x [*x]", "contains itself", 1),
    ],
)
def test_what_is_wrong_and_where(text: str, words: str, line: int) -> None:
    with pytest.raises(YamlProblem) as found:
        load(text)
    assert words in found.value.message
    assert found.value.line == line


def test_a_bomb_of_aliases_is_refused() -> None:
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(YamlProblem, match="too large"):
        load("\n".join(lines))


@pytest.mark.parametrize("text", ["", "- a", "kind: Pod", "apiVersion: v1", "apiVersion: v1\nkind: Pod\nmetadata: []"])
def test_no_object(text: str) -> None:
    with pytest.raises(YamlProblem):
        load_object(text)
