"""Three versions of one object: merged by field, by the items' keys, and never over another user's changes."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kube.objects import apply_merge
from resources.forms.schema import Schema
from resources.writing.diff import MISSING, Clash, Key, at, json_patch, merge, merges, same, take
from resources.writing.draft import shape, words

SCHEMA = Schema.from_document(
    {
        "properties": {
            "users": {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
                "items": {
                    "type": "object",
                    "properties": {
                        "ports": {
                            "type": "array",
                            "x-kubernetes-list-type": "map",
                            "x-kubernetes-list-map-keys": ["port", "protocol"],
                        }
                    },
                },
            },
            "tags": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
            "plain": {"type": "array"},
        }
    }
)
SHAPE = shape(SCHEMA)
LEAVES = st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["", "a", "b"])
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from(["a", "b", "users", "tags", "plain"]), VALUES, max_size=4)
USERS = st.lists(
    st.fixed_dictionaries({"name": st.sampled_from("pqrs"), "size": st.integers(0, 2)}),
    max_size=4,
    unique_by=lambda item: item["name"],
)


def named(*users: tuple[str, int]) -> dict[str, Any]:
    return {"users": [{"name": name, "size": size} for name, size in users]}


@given(OBJECTS, OBJECTS)
def test_who_changed_nothing_is_in_nobodys_way(began: dict[str, Any], other: dict[str, Any]) -> None:
    for found, clashes in (
        merge(began, began, other, SHAPE),
        merge(began, other, began, SHAPE),
        merge(began, other, other, SHAPE),
    ):
        assert not clashes
        assert same(found, other)


@given(OBJECTS, OBJECTS, OBJECTS)
def test_what_is_not_a_clash_is_neither_lost_nor_made_up(
    began: dict[str, Any], mine: dict[str, Any], theirs: dict[str, Any]
) -> None:
    merged, clashes = merge(began, mine, theirs)
    back, again = merge(began, theirs, mine)
    assert len(clashes) == len(again)
    if not clashes:
        assert same(merged, back)
    for clash in clashes:
        assert same(at(mine, clash.path), clash.mine)
        assert same(at(theirs, clash.path), clash.theirs)
        assert same(at(merged, clash.path), clash.mine)


@given(USERS, USERS, USERS)
def test_items_of_a_keyed_list_are_merged_one_by_one(began: list[Any], mine: list[Any], theirs: list[Any]) -> None:
    merged, clashes = merge({"users": began}, {"users": mine}, {"users": theirs}, SHAPE)
    sides = [{item["name"]: item for item in side} for side in (began, mine, theirs)]
    for name in "pqrs":
        old, my, their = (side.get(name) for side in sides)
        found = next((user for user in merged.get("users", []) if user["name"] == name), None)
        if my in (old, their):
            assert found == their, name
        elif their == old:
            assert found == my, name
    assert len({clash.path for clash in clashes}) == len(clashes)


def test_a_clash_in_an_item_names_it_by_its_key() -> None:
    merged, clashes = merge(
        named(("p", 1), ("q", 1)), named(("p", 2), ("q", 1)), named(("r", 1), ("p", 3), ("q", 5)), SHAPE
    )
    assert merged == named(("r", 1), ("p", 2), ("q", 5))
    (clash,) = clashes
    assert clash == Clash(("users", Key((("name", "p"),)), "size"), 2, 3, 1)
    assert words(clash.path) == "users[name=p].size"
    assert at(merged, clash.path) == 2
    assert take(merged, clash.path, 3) == named(("r", 1), ("p", 3), ("q", 5))


def test_an_item_that_one_removed_and_the_other_changed() -> None:
    _, clashes = merge(named(("p", 1)), named(), named(("p", 2)), SHAPE)
    assert [(clash.mine, clash.theirs) for clash in clashes] == [(MISSING, {"name": "p", "size": 2})] or clashes[
        0
    ].path == ("users",)


def test_sets_have_what_both_added_and_not_what_either_removed() -> None:
    merged, clashes = merge({"tags": ["a", "b", "c"]}, {"tags": ["a", "c", "x"]}, {"tags": ["b", "c", "y"]}, SHAPE)
    assert (merged, clashes) == ({"tags": ["c", "y", "x"]}, ())


def test_who_moved_items_decides_their_order() -> None:
    merged, clashes = merge(named(("p", 1), ("q", 1)), named(("q", 1), ("p", 1)), named(("p", 1), ("q", 2)), SHAPE)
    assert (merged, clashes) == (named(("q", 2), ("p", 1)), ())


def test_lists_that_nobody_named_are_taken_whole() -> None:
    _, clashes = merge({"plain": [1]}, {"plain": [1, 2]}, {"plain": [0, 1]}, SHAPE)
    assert [clash.path for clash in clashes] == [("plain",)]


@pytest.mark.parametrize(
    ("path", "value", "result"),
    [
        (("a", "b"), 1, {"a": {"b": 1}}),
        (("a",), MISSING, {}),
        (("users", 1), MISSING, {"users": [1]}),
        (("users", 5), 3, {"users": [1, 2, 3]}),
    ],
)
def test_a_value_is_put_in_its_place(path: Any, value: Any, result: Any) -> None:
    obj = {"users": [1, 2]} if path[0] == "users" else {"a": {"b": 0}}
    before = copy.deepcopy(obj)
    assert take(obj, path, value) == result
    assert obj == before


@given(OBJECTS, OBJECTS)
def test_patches_say_what_they_are_made_from(old: dict[str, Any], new: dict[str, Any]) -> None:
    patch = merges(old, new)
    if patch is not None:
        assert same(apply_merge(old, patch), new)
    found: Any = copy.deepcopy(old)
    for operation in json_patch(old, new):
        path = tuple(part.replace("~1", "/").replace("~0", "~") for part in operation["path"].split("/")[1:])
        found = take(found, path, MISSING if operation["op"] == "remove" else operation["value"])
    assert same(found if found is not MISSING else {}, new)


def test_one_that_becomes_true_is_a_change() -> None:
    assert merges({"a": 1}, {"a": True}) is None
    assert json_patch({"a": 1}, {"a": True}) == [{"op": "replace", "path": "/a", "value": True}]
