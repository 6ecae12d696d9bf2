"""A text of YAML that is made to say something else keeps everything that it need not change."""

import copy
import difflib
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from resources.writing.diff import same
from resources.writing.rewrite import rewrite
from resources.yamltext import dump, load

TEXT = """# top
apiVersion: v1
kind: ConfigMap # the kind
metadata:
  name: "x"
  # own line
  labels: {a: b, c: d}   # flow
spec: # specs
  replicas: 1 # three
  list:
  - a
  - b: 1
    # inner
    c: |
      text

  # comment
  last: 'q'
  off: !!str off
# end
"""
KEYS = st.text("abc/.~ é:#'-", min_size=1, max_size=4) | st.sampled_from(["on", "1", "null", "~"])
LEAVES = st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab \n:#-'\"é", max_size=6)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=10,
)
OBJECTS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=5)


def changed(change: Any) -> tuple[list[str], list[str]]:
    """The lines that went and the lines that came, when `change` is made to the object of TEXT."""
    new = copy.deepcopy(load(TEXT))
    change(new)
    result = rewrite(TEXT, new)
    assert same(load(result), new)
    lines = list(difflib.ndiff(TEXT.splitlines(), result.splitlines()))
    return [line[2:] for line in lines if line[0] == "-"], [line[2:] for line in lines if line[0] == "+"]


@pytest.mark.parametrize(
    ("change", "gone", "come"),
    [
        (lambda o: None, [], []),
        (lambda o: o["spec"].update(replicas=3), ["  replicas: 1 # three"], ["  replicas: 3 # three"]),
        (lambda o: o["metadata"].update(name="y z"), ['  name: "x"'], ['  name: "y z"']),
        (lambda o: o["spec"].update(last="it's"), ["  last: 'q'"], ["  last: 'it''s'"]),
        (
            lambda o: o["metadata"]["labels"].update(e="off"),
            ["  labels: {a: b, c: d}   # flow"],
            ["  labels: {a: b, c: d, e: 'off'}   # flow"],
        ),
        (lambda o: o["spec"]["list"].append("z"), [], ["  - z"]),
        (lambda o: o["spec"]["list"].insert(0, "z"), [], ["  - z"]),
        (lambda o: o["spec"]["list"].pop(0), ["  - a"], []),
        (lambda o: o["spec"]["list"][1].update(d=[1]), [], ["    d:", "    - 1"]),
        (lambda o: o["metadata"].update(annotations={"a/b": "1"}), [], ["  annotations:", "    a/b: '1'"]),
        (lambda o: o["spec"].pop("replicas"), ["  replicas: 1 # three"], []),
        (lambda o: o.update(spec=None), TEXT.splitlines()[7:-1], ["spec: null # specs"]),
    ],
)
def test_only_what_differs_is_written_anew(change: Any, gone: list[str], come: list[str]) -> None:
    assert changed(change) == (gone, come)


def test_lists_that_are_set_in_stay_so() -> None:
    text = "a:\n  b:\n    - x\n"
    assert rewrite(text, {"a": {"b": ["x", "y"], "c": [{"d": [1]}]}}) == (
        "a:\n  b:\n    - x\n    - 'y'\n  c:\n    - d:\n        - 1\n"
    )


def test_keys_are_what_kubernetes_takes_them_for() -> None:
    assert rewrite("on: 1 # yes\n0x10: a\n", {"true": 2, "16": "a"}) == "on: 2 # yes\n0x10: a\n"


def test_a_text_that_is_none_is_replaced() -> None:
    assert rewrite("a: [", {"a": 1}) == "a: 1\n"
    assert rewrite("", {"a": 1}) == "a: 1\n"


def test_what_stands_in_two_places_is_not_changed_in_both() -> None:
    text = "# kept\nx: &one\n  a: 1\ny: *one\nz: 3\n"
    assert load(rewrite(text, {"x": {"a": 1}, "y": {"a": 2}, "z": 3})) == {"x": {"a": 1}, "y": {"a": 2}, "z": 3}
    assert rewrite(text, {"x": {"a": 1}, "y": {"a": 1}, "z": 4}).startswith("# kept\nx: &one\n")


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(OBJECTS, OBJECTS, st.booleans())
def test_it_says_what_it_was_made_to_say(old: dict[str, Any], new: dict[str, Any], related: bool) -> None:
    if related:
        new = {**old, **new}
    text = f"# begins\n{dump(old)}# ends\n"
    assert same(load(text), old)
    assert same(load(rewrite(text, new)), new)


def test_ten_thousand_items_take_no_time_to_speak_of() -> None:
    old = {"spec": {"items": [{"name": f"item-{n}", "size": n} for n in range(10_000)]}}
    new = copy.deepcopy(old)
    new["spec"]["items"][5000]["size"] = -1
    text = dump(old)
    started = time.monotonic()
    result = rewrite(text, new)
    assert time.monotonic() - started < 15
    assert sum(1 for part, other in zip(text.split("\n"), result.split("\n"), strict=True) if part != other) == 1
