"""CustomResourceDefinitions: acceptance, names, versions, and their end"""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.api import CRDS, JSON_PATCH, Answer, Api, custom_resource_definition
from tests.kubectl import Kubectl

from .observations import Seen

Crd = dict[str, Any]


@pytest.fixture
def crds(api: Api, group: str) -> Iterator[str]:
    """The path of CRDs; those of the test's group go afterwards."""
    yield CRDS
    for crd in api.get(CRDS).json["items"]:
        if crd["spec"]["group"] == group:
            api.delete(f"{CRDS}/{crd['metadata']['name']}")


def widgets(group: str, **names: Any) -> Crd:
    crd = custom_resource_definition(group, "widgets", "Widget")
    crd["spec"]["names"] |= names
    return crd


def versions(crd: Crd, **fields: dict[str, Any]) -> Crd:
    """With one version for each argument; the first is stored. Each has its spec's fields."""
    crd["spec"]["versions"] = [
        {
            "name": name,
            "served": True,
            "storage": index == 0,
            "schema": {
                "openAPIV3Schema": {
                    "type": "object",
                    "properties": {"spec": {"type": "object", "properties": spec}},
                }
            },
        }
        for index, (name, spec) in enumerate(fields.items())
    ]
    return crd


def conditions(body: Any) -> dict[str, tuple[str, str, str]]:
    """Type → status, reason, message."""
    found = (body.get("status") or {}).get("conditions") or []
    return {item["type"]: (item["status"], item["reason"], item["message"]) for item in found}


def settled(api: Api, crd: Crd, wanted: str = "Established", accepted: bool = True) -> Any:
    """The CRD once it is established, or this condition is known."""
    path = f"{CRDS}/{crd['metadata']['name']}"
    return api.until(
        path, lambda body: wanted in conditions(body) and (conditions(body)[wanted][0] == "True") == accepted
    )


def test_established(seen: Seen, api: Api, crds: str, group: str) -> None:
    """A CRD gets its names accepted and is established; then its kind is served"""
    crd = widgets(group, shortNames=["wd"], categories=["all"])
    created = seen("create", api.post(crds, crd), only=["metadata.name", "metadata.generation", "spec"])
    assert created.json["spec"]["names"]["listKind"] == "WidgetList"
    body = settled(api, crd)
    assert conditions(body)["Established"][0] == "True"
    seen.value("established", body)
    api.until(f"/apis/{group}/v1/widgets", bool)
    seen("an empty list", api.get(f"/apis/{group}/v1/widgets"))
    api.until(f"/apis/{group}", bool)
    seen("discovery", api.get(f"/apis/{group}/v1"), without=["resources.storageVersionHash"])
    seen("again", api.post(crds, crd))


def test_names_conflict(seen: Seen, api: Api, crds: str, group: str) -> None:
    """A CRD whose names another one of its group has is not established, until that one is gone"""
    first = widgets(group, shortNames=["wd"])
    api.post(crds, first)
    settled(api, first)
    for what, other in {
        "kind": custom_resource_definition(group, "others", "Widget"),
        "list kind": custom_resource_definition(group, "lists", "WidgetList"),
        "short name": custom_resource_definition(group, "shorts", "Short"),
        "singular": custom_resource_definition(group, "singles", "Single"),
    }.items():
        if what == "short name":
            other["spec"]["names"]["shortNames"] = ["wd", "sh"]
        if what == "singular":
            other["spec"]["names"]["singular"] = "widgets"
        api.post(crds, other)
        body = settled(api, other, "NamesAccepted", accepted=False)
        assert conditions(body)["NamesAccepted"][0] == "False"
        seen.value(what, body["status"])
        name = other["metadata"]["name"].partition(".")[0]
        seen(f"{what}: is not served", api.get(f"/apis/{group}/v1/{name}"))
    api.delete(f"{crds}/{first['metadata']['name']}")
    path = f"{crds}/shorts.{group}"
    body = api.until(path, lambda body: conditions(body).get("Established", ("",))[0] == "True")
    seen.value("after the first is gone", body["status"], without=["conditions"])


def test_conversion_of_names(seen: Seen, api: Api, crds: str, group: str, k: Kubectl, namespace: str) -> None:
    """kubectl finds a kind by its short name, its singular and its category"""
    crd = widgets(group, shortNames=["wd"], categories=["conformance"], singular="wid")
    api.post(crds, crd)
    path = f"/apis/{group}/v1/namespaces/{namespace}/widgets"
    api.until(path, bool)
    api.post(path, {"apiVersion": f"{group}/v1", "kind": "Widget", "metadata": {"name": "a"}})
    api.until("/apis", lambda body: any(item["name"] == group for item in body["groups"]))
    for name in ("widgets", "wid", "wd", "widgets.v1"):  # with the group: other tests have Widgets too
        seen.text(f"kubectl get {name}", k("get", f"{name}.{group}"))
    changed = [{"op": "replace", "path": "/spec/names/shortNames", "value": ["wx"]}]
    seen("other short names", api.patch(f"{crds}/widgets.{group}", changed, JSON_PATCH), only=["spec.names"])
    body = api.until(
        f"{crds}/widgets.{group}", lambda body: body["status"]["acceptedNames"].get("shortNames") == ["wx"]
    )
    seen.value("accepted", body["status"]["acceptedNames"])
    api.until(f"/apis/{group}/v1", lambda body: body["resources"][0].get("shortNames") == ["wx"])


def test_end(seen: Seen, api: Api, crds: str, group: str, namespace: str) -> None:
    """A CRD goes with its objects: nothing new is created meanwhile, and finalizers are waited for"""
    crd = widgets(group)
    api.post(crds, crd)
    path = f"/apis/{group}/v1/namespaces/{namespace}/widgets"
    api.until(path, bool)
    body = {"apiVersion": f"{group}/v1", "kind": "Widget", "metadata": {"name": "a"}}
    held = body | {"metadata": {"name": "held", "finalizers": ["conformance.example/wait"]}}
    assert [api.post(path, item).status for item in (body, held)] == [201, 201]
    place = f"{crds}/{crd['metadata']['name']}"
    deleted = api.delete(place)
    seen("delete", deleted, only=["kind", "metadata.finalizers", "metadata.deletionGracePeriodSeconds"])
    api.until_gone(f"{path}/a")
    left = api.until(
        place, lambda body: conditions(body).get("Terminating", ("", ""))[1] == "InstanceDeletionInProgress"
    )
    assert left["metadata"]["deletionTimestamp"]
    seen("create meanwhile", api.post(path, body))
    seen("what is left", api.get(path), only=["items.metadata.name"])
    seen("its finalizer goes", api.patch(f"{path}/held", {"metadata": {"finalizers": None}}), only=["metadata.name"])
    api.until_gone(place)
    while api.get(path).status == 200:
        pass
    seen("nothing is served", api.get(path))


def test_end_of_an_empty_one(seen: Seen, api: Api, crds: str, group: str) -> None:
    """The finalizer of a CRD is there from the start; without objects it goes at once"""
    crd = widgets(group)
    api.post(crds, crd)
    settled(api, crd)
    place = f"{crds}/{crd['metadata']['name']}"
    seen("delete", api.delete(place), only=["kind", "status", "metadata.finalizers"])
    api.until_gone(place)
    seen("gone", api.get(place))


def refused(seen: Seen, name: str, answer: Answer) -> None:
    """422 and the reasons and fields of its causes."""
    causes = answer.json.get("details", {}).get("causes", [])
    listed = sorted([cause["field"], cause["reason"]] for cause in causes)
    seen.value(name, {"status": answer.status, "reason": answer.json.get("reason"), "causes": listed})


def test_bad_names(seen: Seen, api: Api, group: str) -> None:
    """Names that are refused"""
    query = f"{CRDS}?dryRun=All"
    for name, crd in {
        "the name is not plural.group": widgets(group) | {"metadata": {"name": f"gadgets.{group}"}},
        "upper case": custom_resource_definition(group, "Widgets", "Widget"),
        "a bad kind": custom_resource_definition(group, "widgets", "my_widget"),
        "no kind": custom_resource_definition(group, "widgets", ""),
        "list kind is the kind": widgets(group, listKind="Widget"),
        "bad short names": widgets(group, shortNames=["W", "", "a b"]),
        "bad categories": widgets(group, categories=["All"]),
        "bad singular": widgets(group, singular="My"),
        "a group without a dot": custom_resource_definition("conformance", "widgets", "Widget"),
        "a bad group": custom_resource_definition("Conformance.Example", "widgets", "Widget"),
        "no group": custom_resource_definition("", "widgets", "Widget"),
        "a protected group": custom_resource_definition("conformance.k8s.io", "widgets", "Widget"),
    }.items():
        refused(seen, name, api.post(query, crd))


def test_bad_versions(seen: Seen, api: Api, group: str) -> None:
    """Versions that are refused"""
    query = f"{CRDS}?dryRun=All"
    cases: dict[str, Crd] = {}
    for name in ("none", "none stored", "two stored", "twice the same", "a bad name", "no schema", "nothing served"):
        cases[name] = versions(widgets(group), v1={}, v2={})
    cases["none"]["spec"]["versions"] = []
    cases["none stored"]["spec"]["versions"][0]["storage"] = False
    cases["two stored"]["spec"]["versions"][1]["storage"] = True
    cases["twice the same"]["spec"]["versions"][1]["name"] = "v1"
    cases["a bad name"]["spec"]["versions"][1]["name"] = "V_1"
    del cases["no schema"]["spec"]["versions"][0]["schema"]
    for version in cases["nothing served"]["spec"]["versions"]:
        version["served"] = False
    for name, crd in cases.items():
        refused(seen, name, api.post(query, crd))
    spec = widgets(group)["spec"]
    refused(
        seen,
        "preserveUnknownFields",
        api.post(query, widgets(group) | {"spec": spec | {"preserveUnknownFields": True}}),
    )
    refused(seen, "a bad scope", api.post(query, widgets(group) | {"spec": spec | {"scope": "Somewhere"}}))
    refused(seen, "no scope", api.post(query, widgets(group) | {"spec": spec | {"scope": ""}}))


def test_bad_schemas(seen: Seen, api: Api, group: str) -> None:
    """Schemas that are refused: not structural, or with defaults that do not fit"""
    string = {"type": "string"}
    for name, fields in {
        "no type": {"a": {}},
        "no items": {"a": {"type": "array"}},
        "not specified outside": {"a": {"type": "object", "anyOf": [{"properties": {"b": {"minLength": 1}}}]}},
        "a default of a wrong type": {"a": string | {"default": 1}},
        "a default out of bounds": {"a": {"type": "integer", "minimum": 3, "default": 1}},
        "a bad pattern": {"a": string | {"pattern": "["}},
        "an unknown type": {"a": {"type": "text"}},
        "a map without keys": {"a": {"type": "array", "x-kubernetes-list-type": "map", "items": {"type": "object"}}},
        "preserve a string": {"a": string | {"x-kubernetes-preserve-unknown-fields": True}},
    }.items():
        crd = versions(widgets(group), v1=fields)
        refused(seen, name, api.post(f"{CRDS}?dryRun=All", crd))
    root = versions(widgets(group), v1={})
    root["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = {"type": "array", "items": string}
    refused(seen, "a root that is no object", api.post(f"{CRDS}?dryRun=All", root))


def test_bad_subresources(seen: Seen, api: Api, group: str) -> None:
    """Scale paths and printer columns that are refused"""
    good = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    column = {"name": "A", "type": "string", "jsonPath": ".spec.a"}
    for name, version in {
        "an array index": {"subresources": {"scale": good | {"statusReplicasPath": ".status.a[0]"}}},
        "a column without a path": {"additionalPrinterColumns": [{"name": "A", "type": "string"}]},
        "a column of an unknown type": {"additionalPrinterColumns": [column | {"type": "text"}]},
        "a bad path": {"additionalPrinterColumns": [column | {"jsonPath": ".spec["}]},
    }.items():
        crd = versions(widgets(group), v1={"b": {"type": "string"}})
        crd["spec"]["versions"][0] |= version
        refused(seen, name, api.post(f"{CRDS}?dryRun=All", crd))


def test_immutable(seen: Seen, api: Api, crds: str, group: str) -> None:
    """Group, scope and the names of an established CRD stay"""
    api.post(crds, widgets(group))
    settled(api, widgets(group))
    path = f"{crds}/widgets.{group}"
    refused(seen, "scope", api.patch(path, {"spec": {"scope": "Cluster"}}))
    refused(seen, "group", api.patch(path, {"spec": {"group": "other.example"}}))
    refused(seen, "kind", api.patch(path, {"spec": {"names": {"kind": "Gadget"}}}))
    refused(seen, "plural", api.patch(path, {"spec": {"names": {"plural": "gadgets"}}}))
    refused(seen, "a stored version goes", api.put(path, versions(api.get(path).json, v2={})))
    seen(
        "status is not written so",
        api.patch(path, {"status": {"storedVersions": ["v9"]}}),
        only=["status.storedVersions"],
    )
