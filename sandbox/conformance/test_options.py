"""Options of writes: fieldValidation, dryRun, fieldManager"""

import json
from typing import Any

import pytest

from tests.api import APPLY, JSON_PATCH, MERGE, STRATEGIC, Api, config_map

from .observations import Seen


def deployment(name: str, **spec: Any) -> dict[str, Any]:
    labels = {"app": name}
    container = {"name": "main", "image": "example.com/a:1"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name},
        "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": template, **spec},
    }


def test_unknown_fields(seen: Seen, api: Api, maps: str) -> None:
    """Unknown fields are dropped, with a warning each, or refused when Strict"""
    odd = {**config_map("a"), "more": 1, "other": {"x": 2}}
    seen("warned", api.post(f"{maps}?dryRun=All", odd))
    for mode in ("Strict", "Warn", "Ignore"):
        seen(mode, api.post(f"{maps}?fieldValidation={mode}&dryRun=All", odd))
    seen("a bad mode", api.post(f"{maps}?fieldValidation=Sometimes", odd))
    seen("a bad mode in lower case", api.post(f"{maps}?fieldValidation=strict", odd))
    metadata = {"metadata": {"name": "a", "labeled": {"x": "y"}}}
    seen("in metadata", api.post(f"{maps}?fieldValidation=Strict", metadata))


def test_unknown_fields_deep_inside(seen: Seen, api: Api, namespace: str) -> None:
    """Each unknown field is named with its path"""
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments"
    odd = deployment("a", replica=2)
    odd["spec"]["template"]["spec"]["containers"][0]["imagePullPolice"] = "Always"
    odd["spec"]["template"]["spec"]["volumes"] = [{"name": "v", "emptyDirs": {}}]
    seen("strict", api.post(f"{path}?fieldValidation=Strict", odd))
    seen("warned", api.post(f"{path}?dryRun=All", odd), only=["kind", "code"])


@pytest.mark.parametrize("mode", ["Strict", "Warn"])
def test_duplicate_fields(seen: Seen, api: Api, maps: str, mode: str) -> None:
    """Keys that come twice are named; the last one counts"""
    query = f"?fieldValidation={mode}&dryRun=All"
    twice = b'{"metadata":{"name":"a","name":"b"},"data":{"k":"1","k":"2"}}'
    seen("JSON", api("POST", maps + query, twice))
    yaml = b"metadata:\n  name: a\n  name: b\ndata:\n  k: '1'\n  k: '2'\n"
    seen("YAML", api("POST", maps + query, yaml, "application/yaml"))
    in_list = (
        b'{"metadata":{"name":"a","ownerReferences":[{"uid":"u","uid":"v","name":"n","kind":"K","apiVersion":"v1"}]}}'
    )
    seen("in a list", api("POST", maps + query, in_list))
    seen("and unknown ones", api("POST", maps + query, b'{"metadata":{"name":"a"},"x":1,"x":2,"data":{},"data":{}}'))
    case = b'{"metadata":{"name":"a"},"Data":{"k":"1"}}'
    seen("upper case", api("POST", maps + query, case))


def test_field_validation_of_patches(seen: Seen, api: Api, maps: str) -> None:
    """Patches are held to the same rules"""
    api.post(maps, config_map("a"))
    path = f"{maps}/a?fieldValidation=Strict"
    seen("merge", api.patch(path, {"more": 1}, MERGE))
    seen("strategic", api.patch(path, {"more": 1}, STRATEGIC))
    seen("JSON patch", api.patch(path, [{"op": "add", "path": "/more", "value": 1}], JSON_PATCH))
    apply = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "more": 1}
    seen("apply", api.patch(f"{path}&fieldManager=m", apply, APPLY))
    seen("merge, twice", api.patch(path, b'{"data":{"k":"1","k":"2"}}', MERGE))
    seen("merge, warned", api.patch(f"{maps}/a", b'{"data":{"k":"1","k":"2"},"more":1}', MERGE))
    seen("merge, ignored", api.patch(f"{maps}/a?fieldValidation=Ignore", b'{"more":1}', MERGE))
    seen("update", api.put(path, {**config_map("a"), "more": 1}))


def test_dry_run(seen: Seen, api: Api, maps: str) -> None:
    """dryRun=All answers as if it had been done, and does nothing"""
    seen("create", api.post(f"{maps}?dryRun=All", config_map("a", k="v")))
    assert api.get(f"{maps}/a").status == 404
    api.post(maps, config_map("a", k="v"))
    before = api.get(f"{maps}/a").json
    seen("create again", api.post(f"{maps}?dryRun=All", config_map("a")))
    seen("update", api.put(f"{maps}/a?dryRun=All", config_map("a", k="w")))
    seen("merge patch", api.patch(f"{maps}/a?dryRun=All", {"data": {"k": "x"}}))
    seen("delete", api.delete(f"{maps}/a?dryRun=All"))
    seen("delete, in the body", api.delete(f"{maps}/a", {"dryRun": ["All"]}))
    seen("delete the collection", api.delete(f"{maps}?dryRun=All&labelSelector=a=b"))
    seen("finalizers", api.patch(f"{maps}/a?dryRun=All", {"metadata": {"finalizers": ["a.example/x"]}}))
    generated = api.post(f"{maps}?dryRun=All", {"metadata": {"generateName": "g-"}})
    seen.alias("generated", generated.json["metadata"]["name"])
    seen("generateName", generated)
    assert api.get(f"{maps}/a").json == before


def test_bad_dry_run(seen: Seen, api: Api, maps: str) -> None:
    """Only All is a value of dryRun"""
    api.post(maps, config_map("a"))
    seen("create", api.post(f"{maps}?dryRun=Some", config_map("b")))
    seen("create, true", api.post(f"{maps}?dryRun=true", config_map("b")))
    seen("create, empty", api.post(f"{maps}?dryRun=", config_map("c")))
    seen("create, twice", api.post(f"{maps}?dryRun=All&dryRun=All", config_map("b")))
    seen("update", api.put(f"{maps}/a?dryRun=Some", config_map("a")))
    seen("patch", api.patch(f"{maps}/a?dryRun=Some", {}))
    seen("delete", api.delete(f"{maps}/a?dryRun=Some"))
    seen("delete, in the body", api.delete(f"{maps}/a", {"dryRun": ["Some"]}))
    assert api.get(f"{maps}/a").status == 200


def test_field_manager(seen: Seen, api: Api, maps: str) -> None:
    """managedFields name the manager that was given, else the program"""
    owners = ["metadata.managedFields"]
    seen("given", api.post(f"{maps}?fieldManager=me", config_map("a", k="v")), only=owners)
    seen("user agent", api.post(maps, config_map("b", k="v")), only=owners)
    seen("too long", api.post(f"{maps}?fieldManager={'m' * 129}", config_map("c")))
    seen("not printable", api.post(f"{maps}?fieldManager=a%0Ab", config_map("c")))
    cleared = api.patch(f"{maps}/a", {"metadata": {"managedFields": [{}]}})
    seen("cleared", cleared, only=owners)
    body = json.loads(api.get(f"{maps}/b").raw)
    body["metadata"]["managedFields"] = []
    seen("cleared by an empty list", api.put(f"{maps}/b", body), only=owners)
