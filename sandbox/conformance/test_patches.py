"""Patches: JSON patch, merge patch, strategic merge patch"""

from typing import Any

import pytest

from tests.api import JSON_PATCH, MERGE, STRATEGIC, Api, config_map

from .observations import Seen


@pytest.fixture
def config_map_path(api: Api, maps: str) -> str:
    """The path of a ConfigMap with some data."""
    made = {**config_map("one", a="1", b="2"), "metadata": {"name": "one", "labels": {"l": "1"}}}
    assert api.post(maps, made).status == 201
    return f"{maps}/one"


def operation(op: str, path: str, **more: Any) -> list[dict[str, Any]]:
    return [{"op": op, "path": path, **more}]


def test_json_patch(seen: Seen, api: Api, config_map_path: str) -> None:
    """Operations of RFC 6902 are carried out in order"""

    def patch(*operations: dict[str, Any]) -> Any:
        return api.patch(config_map_path, list(operations), JSON_PATCH)

    seen(
        "add, replace, remove",
        patch(
            {"op": "add", "path": "/data/c", "value": "3"},
            {"op": "replace", "path": "/data/a", "value": "x"},
            {"op": "remove", "path": "/data/b"},
        ),
    )
    seen(
        "test, copy, move",
        patch(
            {"op": "test", "path": "/data/a", "value": "x"},
            {"op": "copy", "from": "/data/a", "path": "/data/d"},
            {"op": "move", "from": "/data/c", "path": "/data/e"},
        ),
    )
    slash = {"op": "add", "path": "/metadata/annotations", "value": {"example.com/a~b": "1"}}
    seen("escaped names", patch(slash, {"op": "remove", "path": "/metadata/annotations/example.com~1a~0b"}))
    before = api.get(config_map_path).json
    seen("nothing", patch())
    assert api.get(config_map_path).json == before


@pytest.mark.parametrize("op", ["test", "remove", "replace", "move", "copy", "add"])
def test_json_patch_that_does_not_apply(seen: Seen, api: Api, config_map_path: str, op: str) -> None:
    """What an operation does not find is named, and nothing is changed"""
    before = api.get(config_map_path).json
    places = {"missing": "/data/x", "missing parent": "/x/y", "not a pointer": "data/a", "index": "/data/a/0"}
    for name, path in places.items():
        given = {"from": path, "path": "/data/z"} if op in ("move", "copy") else {"path": path, "value": "v"}
        change = [{"op": "add", "path": "/data/first", "value": "1"}, {"op": op, **given}]
        seen(name, api.patch(f"{config_map_path}?dryRun=All", change, JSON_PATCH))
    assert api.get(config_map_path).json == before


def test_json_patch_tests(seen: Seen, api: Api, config_map_path: str) -> None:
    """A test that does not hold refuses the whole patch"""
    seen("other value", api.patch(config_map_path, operation("test", "/data/a", value="2"), JSON_PATCH))
    seen("other type", api.patch(config_map_path, operation("test", "/data/a", value=1), JSON_PATCH))
    seen("of an object", api.patch(config_map_path, operation("test", "/data", value={"b": "2", "a": "1"}), JSON_PATCH))
    seen("null for what is absent", api.patch(config_map_path, operation("test", "/data/x", value=None), JSON_PATCH))


def test_malformed_json_patches(seen: Seen, api: Api, config_map_path: str) -> None:
    """A JSON patch must be a list of operations"""
    for name, body in {
        "an object": b'{"op":"add"}',
        "a list of strings": b'["a"]',
        "null": b"null",
        "unknown operation": b'[{"op":"frob","path":"/data/a"}]',
        "no operation": b'[{"path":"/data/a"}]',
        "no path": b'[{"op":"remove"}]',
        "no value": b'[{"op":"add","path":"/data/z"}]',
        "no from": b'[{"op":"move","path":"/data/z"}]',
        "the whole document": b'[{"op":"replace","path":"","value":{}}]',
        "the last of no list": b'[{"op":"add","path":"/data/-","value":"x"}]',
    }.items():
        seen(name, api.patch(f"{config_map_path}?dryRun=All", body, JSON_PATCH))


def test_json_patch_of_lists(seen: Seen, api: Api, maps: str) -> None:
    """Indexes are checked; a dash appends"""
    path = f"{maps}/l"
    api.post(maps, {"metadata": {"name": "l", "finalizers": ["a.example/1", "a.example/2"]}})
    only = ["metadata.finalizers", "message", "code"]

    def patch(op: str, at: str, **more: Any) -> Any:
        return api.patch(f"{path}?dryRun=All", operation(op, f"/metadata/finalizers/{at}", **more), JSON_PATCH)

    seen("append", patch("add", "-", value="a.example/3"), only=only)
    seen("insert", patch("add", "1", value="a.example/3"), only=only)
    seen("at the end", patch("add", "2", value="a.example/3"), only=only)
    seen("behind the end", patch("add", "3", value="a.example/3"), only=only)
    seen("replace", patch("replace", "0", value="a.example/3"), only=only)
    seen("replace behind the end", patch("replace", "2", value="a.example/3"), only=only)
    seen("remove", patch("remove", "0"), only=only)
    seen("remove behind the end", patch("remove", "5"), only=only)
    seen("negative", patch("remove", "-1"), only=only)
    seen("no index", patch("remove", "first"), only=only)
    api.patch(path, {"metadata": {"finalizers": None}})


def test_merge_patch(seen: Seen, api: Api, config_map_path: str) -> None:
    """Merge patches add, replace, and remove with null"""
    seen("changes", api.patch(config_map_path, {"data": {"a": None, "b": "x", "c": "3"}}, MERGE))
    seen("empty", api.patch(config_map_path, {}, MERGE))
    seen("all data", api.patch(config_map_path, {"data": None}, MERGE))
    seen("null that is not there", api.patch(config_map_path, {"data": {"z": None}}, MERGE))
    for name, body in {
        "a list": b"[]",
        "a string": b'"x"',
        "null": b"null",
        "empty body": b"",
    }.items():
        seen(name, api.patch(f"{config_map_path}?dryRun=All", body, MERGE))


def test_patch_types(seen: Seen, api: Api, config_map_path: str) -> None:
    """415 names the patch types there are"""
    for name, kind in {
        "JSON": "application/json",
        "YAML": "application/yaml",
        "unknown": "application/x",
        "none": "",
    }.items():
        seen(name, api("PATCH", config_map_path, b"{}", kind))
    seen("with parameters", api("PATCH", config_map_path, b'{"data":{"c":"3"}}', f"{MERGE}; charset=utf-8"))


@pytest.mark.parametrize("kind", [MERGE, STRATEGIC])
def test_patched_metadata(seen: Seen, api: Api, config_map_path: str, kind: str) -> None:
    """A patch cannot change what identifies the object"""

    def patch(**metadata: Any) -> Any:
        return api.patch(config_map_path, {"metadata": metadata}, kind)

    seen("name", patch(name="other"))
    seen("no name", patch(name=None))
    seen("namespace", patch(namespace="other"))
    seen("uid", patch(uid="other"), without=["message", "details.causes.message"])
    seen("stale version", patch(resourceVersion="1"))
    seen("unreadable version", patch(resourceVersion="x"))
    seen("creationTimestamp", patch(creationTimestamp=None))
    seen("generateName", patch(generateName="x-"))
    seen("kind", api.patch(config_map_path, {"kind": "Secret"}, kind), only=["code", "reason"])
    seen("apiVersion", api.patch(config_map_path, {"apiVersion": "v2"}, kind))
    seen("bad label", patch(labels={"a b": "c"}), without=["details.causes"])
    current = api.get(config_map_path).json["metadata"]["resourceVersion"]
    assert patch(resourceVersion=current, labels={"n": "1"}).status == 200


def test_patch_of_nothing(seen: Seen, api: Api, maps: str) -> None:
    """Only apply makes new objects"""
    seen("JSON patch", api.patch(f"{maps}/none", [], JSON_PATCH))
    seen("merge patch", api.patch(f"{maps}/none", {}, MERGE))
    seen("strategic merge patch", api.patch(f"{maps}/none", {}, STRATEGIC))
    seen("unreadable", api.patch(f"{maps}/none", b"{", MERGE))


def test_wrong_types_in_patches(seen: Seen, api: Api, config_map_path: str) -> None:
    """A patch to a value of a wrong type is refused"""
    seen("merge", api.patch(config_map_path, {"data": {"a": 1}}, MERGE), only=["code", "reason"])
    seen("strategic", api.patch(config_map_path, {"data": {"a": 1}}, STRATEGIC))
    seen("strategic, of a list", api.patch(config_map_path, {"data": []}, STRATEGIC))
    assert api.get(config_map_path).json["data"] == {"a": "1", "b": "2"}
