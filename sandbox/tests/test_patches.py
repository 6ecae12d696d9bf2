"""JSON Patch, merge patch, strategic merge patch; alone and over HTTP."""

import pytest

from sandbox.fieldtypes import Type
from sandbox.patches import UnprocessablePatch, json_patch, merge_patch
from sandbox.schema.builtin import COMPONENTS
from sandbox.strategic import strategic_patch
from tests.api import JSON_PATCH, STRATEGIC, Api, config_map

POD = Type(COMPONENTS["io.k8s.api.core.v1.Pod"], COMPONENTS, root=True)
DEPLOYMENT = Type(COMPONENTS["io.k8s.api.apps.v1.DeploymentSpec"], COMPONENTS)


def test_merge_patch() -> None:
    old = {"a": {"b": 1, "c": 2}, "l": [1]}
    assert merge_patch(old, {"a": {"b": None, "d": 3}, "l": [2]}) == {"a": {"c": 2, "d": 3}, "l": [2]}
    assert old == {"a": {"b": 1, "c": 2}, "l": [1]}


@pytest.mark.parametrize(
    ("operations", "wanted"),
    [
        ([{"op": "add", "path": "/l/1", "value": 9}], {"l": [1, 9, 2], "m": {}}),
        ([{"op": "add", "path": "/l/-", "value": 9}], {"l": [1, 2, 9], "m": {}}),
        ([{"op": "remove", "path": "/l/0"}], {"l": [2], "m": {}}),
        ([{"op": "replace", "path": "/m", "value": 1}], {"l": [1, 2], "m": 1}),
        ([{"op": "add", "path": "/m/a~1b", "value": 1}], {"l": [1, 2], "m": {"a/b": 1}}),
        ([{"op": "move", "from": "/l", "path": "/m/l"}], {"m": {"l": [1, 2]}}),
        ([{"op": "copy", "from": "/l", "path": "/n"}], {"l": [1, 2], "m": {}, "n": [1, 2]}),
        ([{"op": "test", "path": "/l/0", "value": 1}], {"l": [1, 2], "m": {}}),
    ],
)
def test_json_patch(operations: list[dict], wanted: dict) -> None:
    old = {"l": [1, 2], "m": {}}
    assert json_patch(old, operations) == wanted
    assert old == {"l": [1, 2], "m": {}}


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "test", "path": "/l/0", "value": 2},
        {"op": "remove", "path": "/x"},
        {"op": "add", "path": "/x/y", "value": 1},
        {"op": "add", "path": "/l/9", "value": 1},
    ],
)
def test_json_patch_that_does_not_apply(operation: dict) -> None:
    with pytest.raises(UnprocessablePatch):
        json_patch({"l": [1]}, [operation])


def test_strategic_merges_lists_by_their_keys() -> None:
    old = {"spec": {"containers": [{"name": "a", "image": "1", "env": [{"name": "X", "value": "1"}]}, {"name": "b"}]}}
    patch = {"spec": {"containers": [{"name": "a", "image": "2", "env": [{"name": "Y", "value": "2"}]}]}}
    new = strategic_patch(old, patch, POD)["spec"]["containers"]
    assert [container["name"] for container in new] == ["a", "b"]
    assert new[0]["image"] == "2"
    assert [variable["name"] for variable in new[0]["env"]] == ["Y", "X"]


def test_strategic_directives() -> None:
    old = {"spec": {"containers": [{"name": "a"}, {"name": "b"}], "args": ["x"]}}
    gone = strategic_patch(old, {"spec": {"containers": [{"name": "a", "$patch": "delete"}]}}, POD)
    assert gone["spec"]["containers"] == [{"name": "b"}]
    replaced = strategic_patch(old, {"spec": {"$patch": "replace", "args": ["y"]}}, POD)
    assert replaced == {"spec": {"args": ["y"]}}
    order = {"spec": {"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}]}}
    assert [c["name"] for c in strategic_patch(old, order, POD)["spec"]["containers"]] == ["b", "a"]
    both = {"strategy": {"type": "R", "rollingUpdate": {}}}
    retained = strategic_patch(both, {"strategy": {"$retainKeys": ["type"]}}, DEPLOYMENT)
    assert retained == {"strategy": {"type": "R"}}


def test_over_http(api: Api, maps: str) -> None:
    api.post(maps, config_map("a", k="v"))
    assert api.patch(f"{maps}/a", {"data": {"k": None, "l": "w"}}).json["data"] == {"l": "w"}
    added = api.patch(f"{maps}/a", [{"op": "add", "path": "/data/m", "value": "x"}], JSON_PATCH)
    assert added.json["data"] == {"l": "w", "m": "x"}
    assert api.patch(f"{maps}/a", {"data": {"m": "y"}}, STRATEGIC).json["data"]["m"] == "y"
    failed = api.patch(f"{maps}/a", [{"op": "test", "path": "/data/m", "value": "no"}], JSON_PATCH)
    assert (failed.status, failed.json["reason"]) == (422, "Invalid")
    assert failed.message == "the server rejected our request due to an error in our request"
    assert api.patch(f"{maps}/a", {}, "application/nothing").status == 415
    assert api.patch(f"{maps}/b", {}).status == 404
