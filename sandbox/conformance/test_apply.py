"""Server-side apply: ownership, conflicts, removal"""

from typing import Any

from tests.api import APPLY, Answer, Api, config_map

from .observations import Seen
from .owners import owned


def apply(api: Api, path: str, manager: str, data: dict[str, Any] | None = None, **more: Any) -> Answer:
    """A ConfigMap with these data, applied."""
    query = "&".join([f"fieldManager={manager}", *(f"{key}={value}" for key, value in more.pop("query", {}).items())])
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": path.rpartition("/")[2]}, **more}
    return api.patch(f"{path}?{query}", {**body, "data": data} if data is not None else body, APPLY)


def test_create(seen: Seen, api: Api, maps: str) -> None:
    """Apply creates what is not there and owns what it says"""
    path = f"{maps}/a"
    owned(seen, "created", apply(api, path, "one", {"k": "v"}))
    owned(seen, "owners", api.get(path))
    owned(seen, "the same again", apply(api, path, "one", {"k": "v"}), "data")
    before = api.get(path).json["metadata"]["resourceVersion"]
    apply(api, path, "one", {"k": "v"})
    assert api.get(path).json["metadata"]["resourceVersion"] == before


def test_conflicts(seen: Seen, api: Api, maps: str) -> None:
    """A value of another manager is not changed; the conflict names each field and its manager"""
    path = f"{maps}/a"
    apply(api, path, "one", {"k": "v", "l": "w", "m": "x"})
    seen("one field", apply(api, path, "two", {"k": "other"}))
    seen("several fields", apply(api, path, "two", {"k": "other", "l": "other", "n": "new"}))
    owned(seen, "the same value", apply(api, path, "two", {"k": "v"}), "data")
    api.patch(f"{path}?fieldManager=three", {"data": {"l": "changed"}})
    seen("of an update", apply(api, path, "one", {"k": "v", "l": "w"}))
    both = apply(api, path, "four", {"k": "x", "l": "x"}).json["details"]["causes"]
    seen.value("of several managers", sorted([cause["field"], cause["message"]] for cause in both))
    assert api.get(path).json["data"] == {"k": "v", "l": "changed", "m": "x"}


def test_force(seen: Seen, api: Api, maps: str) -> None:
    """force takes the fields over"""
    path = f"{maps}/a"
    apply(api, path, "one", {"k": "v", "l": "w"})
    owned(seen, "forced", apply(api, path, "two", {"k": "other"}, query={"force": "true"}), "data")
    owned(seen, "owner left with the rest", apply(api, path, "one", {"l": "w2"}), "data")
    seen("bad force", apply(api, path, "two", {"k": "x"}, query={"force": "maybe"}), "data")


def test_removal(seen: Seen, api: Api, maps: str) -> None:
    """What a manager no longer applies is removed, unless another manager owns it too"""
    path = f"{maps}/a"
    apply(api, path, "one", {"k": "v", "l": "w", "m": "x"})
    apply(api, path, "two", {"l": "w"})
    api.patch(f"{path}?fieldManager=three", {"data": {"n": "y"}})
    owned(seen, "one field left", apply(api, path, "one", {"m": "x"}), "data")
    owned(seen, "nothing left", apply(api, path, "one"), "data")
    owned(seen, "the other too", apply(api, path, "two", {}), "data")


def test_update_takes_over(seen: Seen, api: Api, maps: str) -> None:
    """An update owns the fields that it changes"""
    path = f"{maps}/a"
    apply(api, path, "one", {"k": "v", "l": "w"})
    owned(seen, "changed", api.patch(f"{path}?fieldManager=two", {"data": {"k": "x"}}), "data")
    owned(seen, "removed", api.patch(f"{path}?fieldManager=two", {"data": {"l": None}}), "data")
    replaced = config_map("a", k="y", z="z")
    owned(seen, "replaced", api.put(f"{path}?fieldManager=three", replaced), "data")


def test_metadata(seen: Seen, api: Api, maps: str) -> None:
    """Labels, annotations and finalizers are owned one by one"""
    path = f"{maps}/a"
    metadata = {
        "name": "a",
        "labels": {"x": "1", "example.com/y": "2"},
        "annotations": {"n": "1"},
        "finalizers": ["a.example/1"],
    }
    owned(seen, "created", apply(api, path, "one", metadata=metadata))
    other = {"name": "a", "labels": {"z": "3"}, "finalizers": ["a.example/2"]}
    owned(seen, "another's", apply(api, path, "two", metadata=other))
    owned(seen, "conflict", apply(api, path, "two", metadata={"name": "a", "labels": {"x": "9"}}))
    owned(seen, "less", apply(api, path, "one", metadata={"name": "a", "labels": {"x": "1"}}))
    api.patch(path, {"metadata": {"finalizers": None}})


def test_refused(seen: Seen, api: Api, maps: str) -> None:
    """What an apply must say, and must not"""
    path = f"{maps}/a"
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    seen("no manager", api.patch(path, body, APPLY))
    seen("no kind", api.patch(f"{path}?fieldManager=m", {"apiVersion": "v1", "metadata": {"name": "a"}}, APPLY))
    seen("no apiVersion", api.patch(f"{path}?fieldManager=m", {"kind": "ConfigMap", "metadata": {"name": "a"}}, APPLY))
    seen("other kind", api.patch(f"{path}?fieldManager=m", {**body, "kind": "Secret"}, APPLY))
    seen("other version", api.patch(f"{path}?fieldManager=m", {**body, "apiVersion": "v2"}, APPLY))
    seen("no name", api.patch(f"{path}?fieldManager=m&dryRun=All", {**body, "metadata": {}}, APPLY))
    seen("other name", api.patch(f"{path}?fieldManager=m", {**body, "metadata": {"name": "b"}}, APPLY))
    seen(
        "other namespace",
        api.patch(f"{path}?fieldManager=m", {**body, "metadata": {"name": "a", "namespace": "x"}}, APPLY),
    )
    managed = {"name": "a", "managedFields": [{"manager": "x"}]}
    seen("managedFields", api.patch(f"{path}?fieldManager=m", {**body, "metadata": managed}, APPLY))
    seen("unknown field", api.patch(f"{path}?fieldManager=m", {**body, "more": {"x": 1}}, APPLY))
    seen("wrong type", api.patch(f"{path}?fieldManager=m", {**body, "data": {"k": 1}}, APPLY))
    seen("wrong type of data", api.patch(f"{path}?fieldManager=m", {**body, "data": ["x"]}, APPLY))
    seen("a list", api.patch(f"{path}?fieldManager=m", b"[]", APPLY))
    seen("not YAML", api.patch(f"{path}?fieldManager=m", b"a: b: c", APPLY), only=["code", "reason"])
    seen("empty", api.patch(f"{path}?fieldManager=m", b" ", APPLY))
    seen("force without apply", api.patch(f"{path}?force=true", {}))
    seen("uid", api.patch(f"{path}?fieldManager=m", {**body, "metadata": {"name": "a", "uid": "x"}}, APPLY))
    assert api.get(path).status == 404


def test_yaml(seen: Seen, api: Api, maps: str) -> None:
    """The body is YAML; a stale version is a Conflict"""
    yaml = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n"
    seen("created", api.patch(f"{maps}/a?fieldManager=m", yaml, APPLY), only=["data"])
    stale = yaml.replace(b"name: a", b"name: a\n  resourceVersion: '1'")
    seen("stale", api.patch(f"{maps}/a?fieldManager=m", stale, APPLY))
    twice = yaml + b"  k: w\n"
    seen("twice", api.patch(f"{maps}/a?fieldManager=m&fieldValidation=Strict", twice, APPLY))


def test_dry_run(seen: Seen, api: Api, maps: str) -> None:
    """dryRun shows the outcome, also of conflicts"""
    path = f"{maps}/a"
    seen("create", apply(api, path, "one", {"k": "v"}, query={"dryRun": "All"}))
    assert api.get(path).status == 404
    apply(api, path, "one", {"k": "v"})
    seen("conflict", apply(api, path, "two", {"k": "w"}, query={"dryRun": "All"}), only=["code", "message"])
    owned(seen, "change", apply(api, path, "one", {"k": "w"}, query={"dryRun": "All"}), "data")
    assert api.get(path).json["data"] == {"k": "v"}


def test_managed_fields_of_others(seen: Seen, api: Api, maps: str) -> None:
    """Managers and operations are kept apart"""
    path = f"{maps}/a"
    api.post(f"{maps}?fieldManager=one", config_map("a", k="v"))
    owned(seen, "update and apply", apply(api, path, "one", {"k": "v", "l": "w"}))
    seen("apply over its own update", apply(api, path, "one", {"k": "x"}), "data")
