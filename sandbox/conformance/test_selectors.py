"""Selectors: by labels and by fields, and invalid ones"""

from urllib.parse import quote

import pytest

from tests.api import CRDS, Api, custom_resource_definition

from .observations import Seen


@pytest.fixture
def labelled(api: Api, maps: str) -> str:
    """ConfigMaps a to d with labels; kube-root-ca.crt has none."""
    for name, labels in {
        "a": {"tier": "one", "n": "1"},
        "b": {"tier": "two", "n": "12", "example.com/x": ""},
        "c": {"tier": "two", "n": "3"},
        "d": {"other": "yes", "n": "word"},
    }.items():
        assert api.post(maps, {"metadata": {"name": name, "labels": labels}}).status == 201
    return maps


def names(api: Api, path: str) -> list[str]:
    return [item["metadata"]["name"] for item in api.get(path).json["items"]]


def test_label_selectors(seen: Seen, api: Api, labelled: str) -> None:
    """Equality, sets, existence and comparison, all of them together"""
    found = {}
    for selector in (
        "tier=one",
        "tier==one",
        "tier!=one",
        "tier",
        "!tier",
        "! tier",
        "tier in (one,two)",
        "tier in (one, two)",
        "tier notin (one)",
        "tier notin (two),tier",
        "tier=two,n=3",
        "tier = two , n = 3",
        "n>2",
        "n<12",
        "n>2,n<20",
        "example.com/x",
        "example.com/x=",
        "tier=",
        "tier in ()",
        "tier in (,one)",
        "",
        " ",
        "tier=one,",
        "tier=none",
        "tier in (one),tier in (two)",
        "tier=two,tier!=two",
        "in in (in)",
        "notin",
        "n in (1,12)",
        "n>=1",
    ):
        answer = api.get(f"{labelled}?labelSelector={quote(selector)}")
        listed = answer.json.get("items", [])
        found[selector] = [item["metadata"]["name"] for item in listed] if answer.status == 200 else answer.message
    seen.value("found", found)


def test_bad_label_selectors(seen: Seen, api: Api, labelled: str) -> None:
    """What cannot be parsed is refused with what was expected"""
    for selector in (
        "a b",
        "=x",
        "a=b=c",
        "(a)",
        "a in",
        "a in b",
        "a in (b",
        "a in b)",
        "a notin",
        ",",
        "a,,b",
        "!",
        "!=x",
        "a!",
        "!a=b",
        "a=!b",
        "a>x",
        "a<",
        "a=b c",
        "a=-b",
        "-a=b",
        "/a",
        "a/",
        "a/b/c",
        "A_b/c",
        "a=" + "v" * 64,
        "k" * 64,
        "a in (b c)",
        "a in (-b)",
        "a in (b),,c",
        "a;b",
        "a=b;c",
        "a&b",
        "(",
        "a in ((b))",
        "a==",
        "a<1.5",
    ):
        seen(selector, api.get(f"{labelled}?labelSelector={quote(selector)}"), without=["metadata", "items"])


def test_label_selector_of_a_watch(seen: Seen, api: Api, maps: str) -> None:
    """A watch and a deletion refuse it with the same words"""
    seen("watch", api.get(f"{maps}?watch=1&labelSelector=a%20b"))
    seen("delete", api.delete(f"{maps}?labelSelector=a%20b"))


def test_field_selectors(seen: Seen, api: Api, labelled: str) -> None:
    """metadata.name and metadata.namespace can be selected by in every kind"""
    namespace = labelled.split("/")[4]
    found = {}
    for selector in (
        "metadata.name=a",
        "metadata.name==a",
        "metadata.name!=a",
        "metadata.name=a,metadata.name=b",
        "metadata.name=",
        f"metadata.namespace={namespace}",
        f"metadata.namespace!={namespace}",
        "metadata.namespace=other",
        "",
        "metadata.name!=a,metadata.name!=b",
        " metadata.name=a",
    ):
        answer = api.get(f"{labelled}?fieldSelector={quote(selector)}")
        listed = answer.json.get("items", [])
        found[selector.replace(namespace, "mine")] = (
            [item["metadata"]["name"] for item in listed] if answer.status == 200 else answer.message
        )
    seen.value("found", found)
    everywhere = f"/api/v1/configmaps?fieldSelector=metadata.namespace%3D{namespace},metadata.name%3Da"
    assert names(api, everywhere) == ["a"]


def test_unsupported_fields(seen: Seen, api: Api, maps: str) -> None:
    """Other fields are refused with those of the kind"""
    for name, plural in {
        "ConfigMap": "configmaps",
        "Pod": "pods",
        "Secret": "secrets",
        "Service": "services",
        "Event": "events",
        "ServiceAccount": "serviceaccounts",
        "PersistentVolumeClaim": "persistentvolumeclaims",
    }.items():
        seen(name, api.get(f"{maps.replace('configmaps', plural)}?fieldSelector=spec.nothing%3Dx"))
    namespace = maps.split("/")[4]
    for path in (
        f"/apis/apps/v1/namespaces/{namespace}/deployments",
        f"/apis/apps/v1/namespaces/{namespace}/replicasets",
        f"/apis/batch/v1/namespaces/{namespace}/jobs",
        f"/apis/batch/v1/namespaces/{namespace}/cronjobs",
        f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/roles",
        "/api/v1/namespaces",
        "/api/v1/nodes",
        CRDS,
    ):
        seen(path.rpartition("/")[2], api.get(f"{path}?fieldSelector=spec.nothing%3Dx"))


def test_bad_field_selectors(seen: Seen, api: Api, maps: str) -> None:
    """A field selector needs an operator"""
    for selector in (
        "metadata.name",
        "=a",
        "!=a",
        "metadata.name=a,,",
        "metadata.name=a=b",
        "metadata.name in (a)",
        "a>b",
    ):
        seen(selector, api.get(f"{maps}?fieldSelector={quote(selector)}"), without=["metadata", "items"])


def test_fields_of_kinds(seen: Seen, api: Api, namespace: str) -> None:
    """Some kinds can be selected by more"""
    base = f"/api/v1/namespaces/{namespace}"
    for name, type_ in {"a": "Opaque", "b": "example.com/x"}.items():
        api.post(f"{base}/secrets", {"metadata": {"name": name}, "type": type_})
    assert names(api, f"{base}/secrets?fieldSelector=type%3Dexample.com/x") == ["b"]
    event = {
        "involvedObject": {"kind": "ConfigMap", "namespace": namespace, "name": "a"},
        "reason": "R",
        "type": "Normal",
    }
    api.post(f"{base}/events", {"metadata": {"name": "e"}, **event})
    found = {}
    for selector in (
        "reason=R",
        "reason=S",
        "type!=Normal",
        "involvedObject.kind=ConfigMap,involvedObject.name=a",
        "source=x",
        "source=",
    ):
        found[selector] = names(api, f"{base}/events?fieldSelector={quote(selector)}")
    seen.value("events", found)


def test_fields_of_custom_resources(seen: Seen, api: Api, group: str, namespace: str) -> None:
    """Custom resources can be selected by the fields that their CRD names"""
    made = custom_resource_definition(group, "things", "Thing", selectableFields=[{"jsonPath": ".spec.color"}])
    color = {"type": "object", "properties": {"color": {"type": "string"}}}
    made["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"] = color
    assert api.post(CRDS, made).status == 201
    path = f"/apis/{group}/v1/namespaces/{namespace}/things"
    api.until(path, lambda _: True)
    for name, value in {"a": "red", "b": "blue"}.items():
        body = {"apiVersion": f"{group}/v1", "kind": "Thing", "metadata": {"name": name}, "spec": {"color": value}}
        assert api.post(path, body).status == 201
    assert names(api, f"{path}?fieldSelector=spec.color%3Dred") == ["a"]
    assert names(api, f"{path}?fieldSelector=spec.color!%3Dred") == ["b"]
    seen("another field", api.get(f"{path}?fieldSelector=spec.size%3D1"))
    api.delete(f"{CRDS}/things.{group}")
