"""Versions of a CustomResourceDefinition: served, stored, converted, deprecated"""

from typing import Any

from tests.api import CRDS, JSON_PATCH, Api

from .observations import Seen
from .test_crds import conditions, crds, versions, widgets

__all__ = ["crds"]  # the fixture

STRING = {"type": "string"}


def serve(api: Api, crd: dict[str, Any], namespace: str, version: str = "v1") -> str:
    """Creates the CRD; returns the path of its Widgets, with the version still to be filled in."""
    assert api.post(CRDS, crd).status == 201
    path = f"/apis/{crd['spec']['group']}/{{}}/namespaces/{namespace}/widgets"
    api.until(path.format(version), bool)
    return path


def test_versions(seen: Seen, api: Api, crds: str, group: str, namespace: str) -> None:
    """An object is read in every served version: only apiVersion differs, and each version prunes and defaults by
    its schema
    """
    crd = versions(
        widgets(group),
        v1={"both": STRING, "old": STRING},
        v2={"both": STRING, "new": STRING | {"default": "n"}},
        v3={"both": STRING},
    )
    crd["spec"]["versions"][2]["served"] = False
    path = serve(api, crd, namespace)
    body = {"kind": "Widget", "metadata": {"name": "a"}, "spec": {"both": "x", "old": "y", "new": "z"}}
    seen("create in v1", api.post(path.format("v1"), body | {"apiVersion": f"{group}/v1"}))
    in_v1 = seen("get v1", api.get(path.format("v1") + "/a")).json
    in_v2 = seen("get v2", api.get(path.format("v2") + "/a")).json
    assert in_v1["metadata"]["uid"] == in_v2["metadata"]["uid"]
    assert in_v1["metadata"]["resourceVersion"] == in_v2["metadata"]["resourceVersion"]
    seen("list v2", api.get(path.format("v2")), only=["apiVersion", "kind", "items.apiVersion", "items.spec"])
    seen("get v3, not served", api.get(path.format("v3") + "/a"))
    created = seen(
        "create in v2", api.post(path.format("v2"), body | {"apiVersion": f"{group}/v2", "metadata": {"name": "b"}})
    )
    assert created.json["apiVersion"] == f"{group}/v2"
    seen("of v2 in v1", api.get(path.format("v1") + "/b"))
    seen("patch in v2", api.patch(path.format("v2") + "/a", {"spec": {"both": "changed"}}))
    seen("then in v1", api.get(path.format("v1") + "/a"))
    other = {"apiVersion": f"{group}/v2", "kind": "Widget", "metadata": {"name": "c"}}
    seen("the other version in the body", api.post(path.format("v1"), other))


def test_preference(seen: Seen, api: Api, crds: str, group: str, namespace: str) -> None:
    """Versions are preferred by maturity and age: v2, v1, v1beta2, v1beta1, v1alpha1, then others by name"""
    names = ("v1alpha1", "v1beta1", "v1", "foo", "v2", "v1beta2", "v10", "bar")
    serve(api, versions(widgets(group), **{name: {} for name in names}), namespace)
    found = api.until(f"/apis/{group}", lambda body: len(body["versions"]) == len(names))
    seen.value("the group", found)
    assert found["preferredVersion"]["version"] == "v10"


def test_storage(seen: Seen, api: Api, crds: str, group: str, namespace: str) -> None:
    """Another version becomes the stored one: the status remembers both, and old objects stay readable"""
    crd = versions(widgets(group), v1={"a": STRING}, v2={"a": STRING, "b": STRING})
    path = serve(api, crd, namespace)
    body = {"apiVersion": f"{group}/v1", "kind": "Widget", "metadata": {"name": "a"}, "spec": {"a": "x"}}
    api.post(path.format("v1"), body)
    place = f"{CRDS}/widgets.{group}"
    seen("stored at first", api.get(place), only=["status.storedVersions"])
    swap = [
        {"op": "replace", "path": "/spec/versions/0/storage", "value": False},
        {"op": "replace", "path": "/spec/versions/1/storage", "value": True},
    ]
    changed = seen(
        "the other one", api.patch(place, swap, JSON_PATCH), only=["status.storedVersions", "metadata.generation"]
    )
    assert changed.json["status"]["storedVersions"] == ["v1", "v2"]
    for version in ("v1", "v2"):
        seen(f"the old object in {version}", api.get(path.format(version) + "/a"))
    body |= {"apiVersion": f"{group}/v2", "metadata": {"name": "b"}, "spec": {"a": "x", "b": "y"}}
    # The real server stores in the new version a moment after the CRD has changed.
    while api.post(path.format("v2"), body).json["spec"] != body["spec"] or not api.get(path.format("v1") + "/b"):
        pass
    seen("a new object in v2", api.get(path.format("v2") + "/b"))
    seen("a new object in v1", api.get(path.format("v1") + "/b"))
    cause = api.patch(place, [{"op": "remove", "path": "/spec/versions/0"}], JSON_PATCH)
    seen("v1 cannot go", cause, without=["details.uid"])
    # What is stored as v1 is written once more, as v2; else it couldn't be read, and the CRD would never go.
    assert api.patch(path.format("v2") + "/a", {"metadata": {"labels": {"moved": "yes"}}}).status == 200
    seen(
        "status is told",
        api.patch(f"{place}/status", {"status": {"storedVersions": ["v2"]}}),
        only=["status.storedVersions"],
    )
    gone = api.patch(place, [{"op": "remove", "path": "/spec/versions/0"}], JSON_PATCH)
    seen("then it can", gone, only=["spec.versions.name", "status.storedVersions"])


def test_deprecated(seen: Seen, api: Api, crds: str, group: str, namespace: str) -> None:
    """Deprecated versions warn in every answer, in the CRD's words or in the server's"""
    crd = versions(widgets(group), v1={}, v1beta1={}, v1alpha1={})
    crd["spec"]["versions"][1] |= {"deprecated": True}
    crd["spec"]["versions"][2] |= {"deprecated": True, "deprecationWarning": "v1alpha1 is old; mind the gap"}
    path = serve(api, crd, namespace)
    for version in ("v1", "v1beta1", "v1alpha1"):
        seen(version, api.get(path.format(version)), only=["apiVersion", "kind"])
    body = {"apiVersion": f"{group}/v1beta1", "kind": "Widget", "metadata": {"name": "a"}}
    seen("create", api.post(path.format("v1beta1"), body), only=["apiVersion"])
    seen("delete", api.delete(path.format("v1alpha1") + "/a"), only=["status"])


def test_served(seen: Seen, api: Api, crds: str, group: str, namespace: str) -> None:
    """A version that is not served any more is gone from discovery, and its objects are read in the others"""
    path = serve(api, versions(widgets(group), v1={}, v2={}), namespace)
    api.post(path.format("v2"), {"apiVersion": f"{group}/v2", "kind": "Widget", "metadata": {"name": "a"}})
    off = [{"op": "replace", "path": "/spec/versions/1/served", "value": False}]
    assert api.patch(f"{CRDS}/widgets.{group}", off, JSON_PATCH).status == 200
    api.until_gone(path.format("v2"))
    api.until(f"/apis/{group}", lambda body: len(body["versions"]) == 1)
    seen("the group", api.get(f"/apis/{group}"))
    seen("its objects", api.get(path.format("v1") + "/a"))
    seen("not so", api.get(path.format("v2") + "/a"))
    body = api.get(f"{CRDS}/widgets.{group}").json
    assert conditions(body)["Established"][0] == "True"


def test_scope(seen: Seen, api: Api, crds: str, group: str, namespace: str) -> None:
    """Objects of a Cluster-scoped kind have no namespace"""
    crd = widgets(group)
    crd["spec"]["scope"] = "Cluster"
    assert api.post(crds, crd).status == 201
    path = f"/apis/{group}/v1/widgets"
    api.until(path, bool)
    body = {"apiVersion": f"{group}/v1", "kind": "Widget", "metadata": {"name": "a", "namespace": namespace}}
    seen("create with a namespace", api.post(path, body))
    seen("create", api.post(path, body | {"metadata": {"name": "a"}}))
    seen("under a namespace", api.get(f"/apis/{group}/v1/namespaces/{namespace}/widgets"))
    seen("get", api.get(f"{path}/a"))


def test_webhook_conversion(seen: Seen, api: Api, crds: str, group: str) -> None:
    """Conversion by webhook is checked when the CRD is created"""
    service = {"namespace": "default", "name": "converter"}
    for name, conversion in {
        "an unknown strategy": {"strategy": "Magic"},
        "a service": {
            "strategy": "Webhook",
            "webhook": {"conversionReviewVersions": ["v1"], "clientConfig": {"service": service}},
        },
    }.items():
        crd = versions(widgets(group), v1={}, v2={})
        crd["spec"]["conversion"] = conversion
        answer = api.post(f"{crds}?dryRun=All", crd)
        seen(name, answer, only=["message", "details.causes", "spec.conversion"])
