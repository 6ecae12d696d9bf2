"""Deletion: options, preconditions, finalizers, collections"""

from typing import Any

import pytest

from tests.api import Api, config_map

from .observations import Seen


def held(name: str, *finalizers: str) -> dict[str, Any]:
    """A ConfigMap that waits for its finalizers."""
    return {"metadata": {"name": name, "finalizers": list(finalizers)}, "data": {"k": "v"}}


def release(api: Api, path: str) -> None:
    api.patch(path, {"metadata": {"finalizers": None}})


def test_at_once(seen: Seen, api: Api, maps: str) -> None:
    """Without finalizers an object is gone when the answer comes"""
    api.post(maps, config_map("a"))
    seen("deleted", api.delete(f"{maps}/a"))
    seen("gone", api.get(f"{maps}/a"))
    seen("again", api.delete(f"{maps}/a"))


def test_what_comes_back(seen: Seen, api: Api, namespace: str) -> None:
    """Most kinds answer with a Status, some with the object"""
    base = f"/api/v1/namespaces/{namespace}"
    apps = f"/apis/apps/v1/namespaces/{namespace}"
    rbac = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}"
    spec = {"ports": [{"port": 80}]}
    for path, body in {
        f"{base}/secrets": {},
        f"{base}/serviceaccounts": {},
        f"{base}/services": {"spec": spec},
        f"{base}/limitranges": {"spec": {"limits": []}},
        f"{base}/resourcequotas": {"spec": {"hard": {"pods": "100"}}},
        f"{base}/endpoints": {},
        f"{apps}/controllerrevisions": {"revision": 1, "data": {"x": 1}},
        f"{rbac}/roles": {"rules": []},
        f"/apis/networking.k8s.io/v1/namespaces/{namespace}/networkpolicies": {"spec": {"podSelector": {}}},
        f"/apis/coordination.k8s.io/v1/namespaces/{namespace}/leases": {"spec": {}},
    }.items():
        assert api.post(path, {"metadata": {"name": "a"}, **body}).status == 201
        seen(path.rpartition("/")[2], api.delete(f"{path}/a"), only=["kind", "details.kind", "metadata.name"])


@pytest.mark.parametrize("way", ["body", "query"])
def test_options(seen: Seen, api: Api, maps: str, way: str) -> None:
    """Options may stand in the body or in the query"""

    def delete(**options: Any) -> Any:
        query = "&".join(f"{key}={value}" for key, value in options.items())
        return api.delete(f"{maps}/a", options) if way == "body" else api.delete(f"{maps}/a?{query}")

    api.post(maps, held("a", "a.example/x"))
    seen("bad policy", delete(propagationPolicy="Sometimes"))
    seen("negative grace", delete(gracePeriodSeconds=-1))
    seen("grace", delete(gracePeriodSeconds=7))
    seen("again with less", delete(gracePeriodSeconds=3))
    release(api, f"{maps}/a")


def test_unreadable_options(seen: Seen, api: Api, maps: str) -> None:
    """DeleteOptions are held to their types"""
    api.post(maps, config_map("a"))
    for name, body in {
        "a list": b"[]",
        "other kind": b'{"kind":"ConfigMap","apiVersion":"v1"}',
        "other version": b'{"kind":"DeleteOptions","apiVersion":"apps/v1","dryRun":["All"]}',
        "of meta.k8s.io": b'{"kind":"DeleteOptions","apiVersion":"meta.k8s.io/v1","dryRun":["All"]}',
        "grace is text": b'{"gracePeriodSeconds":"1"}',
        "unknown field": b'{"force":true,"dryRun":["All"]}',
    }.items():
        seen(name, api("DELETE", f"{maps}/a", body), only=["message", "reason", "code", "status"])
    seen("grace in the query is text", api.delete(f"{maps}/a?gracePeriodSeconds=x"))
    both = {"propagationPolicy": "Orphan", "orphanDependents": True}
    seen("both policies", api.delete(f"{maps}/a", both))
    assert api.get(f"{maps}/a").status == 200


def test_preconditions(seen: Seen, api: Api, maps: str) -> None:
    """A uid or version that is not the object's refuses"""
    created = api.post(maps, config_map("a")).json["metadata"]
    api.patch(f"{maps}/a", {"data": {"k": "v"}})
    wrong = "00000000-0000-0000-0000-000000000000"
    seen("uid", api.delete(f"{maps}/a", {"preconditions": {"uid": wrong}}))
    old = api.delete(f"{maps}/a", {"preconditions": {"resourceVersion": created["resourceVersion"]}})
    seen.alias("old", created["resourceVersion"])
    present = api.get(f"{maps}/a").json["metadata"]
    seen.alias("present", present["resourceVersion"])
    seen("version", old)
    fits = {"uid": present["uid"], "resourceVersion": present["resourceVersion"]}
    assert api.delete(f"{maps}/a", {"preconditions": fits}).status == 200


def test_finalizers(seen: Seen, api: Api, maps: str) -> None:
    """With finalizers it is marked, and goes when the last of them does"""
    path = f"{maps}/a"
    api.post(maps, held("a", "a.example/1", "a.example/2"))
    seen("marked", api.delete(path))
    marked = seen("still there", api.get(path)).json["metadata"]
    seen("deleted again", api.delete(path))
    assert api.get(path).json["metadata"]["deletionTimestamp"] == marked["deletionTimestamp"]
    seen("created again", api.post(maps, config_map("a")))
    seen("one finalizer less", api.patch(path, {"metadata": {"finalizers": ["a.example/2"]}}))
    seen("the last one", api.patch(path, {"metadata": {"finalizers": []}}))
    assert api.get(path).status == 404


def test_changes_meanwhile(seen: Seen, api: Api, maps: str) -> None:
    """While it is being deleted an object may change, but get no new finalizers"""
    path = f"{maps}/a"
    api.post(maps, held("a", "a.example/1"))
    api.delete(path)
    seen("data", api.patch(path, {"data": {"k": "w"}}))
    seen("new finalizer", api.patch(path, {"metadata": {"finalizers": ["a.example/1", "a.example/2"]}}))
    seen("other finalizer", api.patch(path, {"metadata": {"finalizers": ["a.example/2"]}}))
    seen("no deletionTimestamp", api.patch(path, {"metadata": {"deletionTimestamp": None}}))
    assert "deletionTimestamp" in api.get(path).json["metadata"]
    release(api, path)


def test_finalizer_names(seen: Seen, api: Api, maps: str) -> None:
    """Finalizers have names with a domain"""
    seen("plain", api.post(maps, held("a", "mine")))
    seen("bad", api.post(maps, held("a", "a b/c")))
    seen("both of the collector", api.post(maps, held("a", "orphan", "foregroundDeletion")))
    seen("a dry run", api.post(f"{maps}?dryRun=All", held("a", "kubernetes", "orphan", "a.example/x")))


def test_collection(seen: Seen, api: Api, maps: str) -> None:
    """A collection is deleted as far as the selectors reach"""
    for name in ("a", "b", "c"):
        api.post(maps, {"metadata": {"name": name, "labels": {"l": name}}})
    seen("by label", api.delete(f"{maps}?labelSelector=l%3Da"))
    seen("by field", api.delete(f"{maps}?fieldSelector=metadata.name%3Db"), only=["kind", "items.metadata.name"])
    seen("nothing", api.delete(f"{maps}?labelSelector=l%3Dz"))
    seen("a bad selector", api.delete(f"{maps}?labelSelector=,,"))
    seen("dry", api.delete(f"{maps}?dryRun=All&labelSelector=l"), only=["kind", "items.metadata.name"])
    left = [item["metadata"]["name"] for item in api.get(f"{maps}?labelSelector=l").json["items"]]
    assert left == ["c"]


def test_collection_with_finalizers(seen: Seen, api: Api, maps: str) -> None:
    """What waits for finalizers stays, marked"""
    api.post(maps, {"metadata": {"name": "a", "labels": {"l": "1"}, "finalizers": ["a.example/1"]}})
    api.post(maps, {"metadata": {"name": "b", "labels": {"l": "1"}}})
    seen("deleted", api.delete(f"{maps}?labelSelector=l"), only=["kind", "items.metadata.name"])
    seen("left", api.get(f"{maps}?labelSelector=l"))
    release(api, f"{maps}/a")
