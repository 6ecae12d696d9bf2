"""What a save would change: both sides are whole YAML, and changes that the user didn't type are marked."""

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from resources.writing.diff import same
from resources.writing.review import review
from resources.yamltext import dump, load

LEAVES = st.none() | st.booleans() | st.integers(0, 9) | st.text("ab \n:#-'", max_size=5)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "name", "on"]), inner, max_size=3)
    ),
    max_leaves=8,
)
SPECS = st.dictionaries(st.sampled_from(["a", "b", "c"]), VALUES, max_size=3)


def obj_with(spec: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "X", "metadata": {"name": "x", **metadata}, "spec": spec}


@settings(max_examples=150, deadline=None)
@given(SPECS, SPECS, SPECS)
@example({}, {"b": ["\n:"]}, {"a": None, "b": []})
def test_both_sides_are_the_objects(old: dict[str, Any], new: dict[str, Any], sent: dict[str, Any]) -> None:
    created = review(None, obj_with(sent), obj_with(new))
    text = "".join(f"{line.right}\n" for line in created.lines if line.right is not None)
    assert same(load(text), obj_with(new))
    changed = review(obj_with(old), obj_with(sent), obj_with(new))
    assert bool(changed.changes) == (not same(old, new))
    for line in changed.lines:
        assert line.folded or line.left is not None or line.right is not None


def test_numbers_and_folds() -> None:
    old = obj_with({f"k{n}": n for n in range(30)})
    new = obj_with({**old["spec"], "k15": "x"})
    found = review(old, new, new)
    assert [line.folded for line in found.lines if line.folded] == [17, 11]
    (changed,) = [line for line in found.lines if not line.same and not line.folded]
    assert (changed.left, changed.right, changed.left_number) == ("  k15: 15", "  k15: x", 21)
    assert not changed.by_cluster


def test_what_the_cluster_does_is_told_apart() -> None:
    live = obj_with({"a": 1, "gone": 1, "list": [{"name": "p"}]})
    sent = obj_with({"a": 2, "list": [{"name": "p"}, {"name": "q"}], "kept": 1})
    result = obj_with(
        {"a": 2, "list": [{"name": "p"}, {"name": "q", "size": 5}], "default": True}, uid="1", resourceVersion="2"
    )
    found = review(live, sent, result)
    assert {change.where: change.by_cluster for change in found.changes} == {
        "spec.a": False,
        "spec.gone": False,
        "spec.list[1]": False,
        "spec.default": True,
    }
    assert [line.right for line in found.lines if line.by_cluster] == ["    size: 5", "  default: true"]
    assert (found.mine, found.clusters, found.defaulted) == (3, 1, True)


def test_an_object_that_is_too_long_is_compared_field_by_field() -> None:
    old = obj_with({f"k{n}": n for n in range(20_100)})
    new = obj_with({**old["spec"], "k7": -1})
    found = review(old, new, new)
    assert (found.lines, found.too_long) == ((), True)
    assert [(change.where, change.before, change.after) for change in found.changes] == [("spec.k7", "7", "-1")]
    assert "k7: -1" in dump(new)
