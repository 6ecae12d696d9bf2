"""Server-side apply to Deployments, Services and custom resources"""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.api import APPLY, CRDS, STRATEGIC, Answer, Api, custom_resource_definition

from .observations import Seen
from .owners import owned


def patched(api: Api, path: str, manager: str, body: dict[str, Any], query: str = "") -> Answer:
    return api.patch(f"{path}?fieldManager={manager}{query}", body, APPLY)


def deployment(**pod: Any) -> dict[str, Any]:
    labels = {"app": "a"}
    spec = {"containers": [{"name": "first", "image": "example.com/a:1"}], **pod}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "a"},
        "spec": {
            "replicas": 0,
            "paused": True,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": spec},
        },
    }


@pytest.fixture
def app(namespace: str) -> str:
    """The path of a Deployment that is not there yet."""
    return f"/apis/apps/v1/namespaces/{namespace}/deployments/a"


def names(answer: Answer) -> list[str]:
    return [container["name"] for container in answer.json["spec"]["template"]["spec"]["containers"]]


def test_deployment(seen: Seen, api: Api, app: str) -> None:
    """Defaults of the server have no owner"""
    owned(seen, "created", patched(api, app, "one", deployment()))
    owned(seen, "owners", api.get(app))
    other = {**deployment(), "metadata": {"name": "b"}}
    owned(seen, "posted", api.post(f"{app.removesuffix('/a')}?fieldManager=m&dryRun=All", other))


def test_list_maps(seen: Seen, api: Api, app: str) -> None:
    """Two managers own containers of one Pod template"""
    patched(api, app, "one", deployment())
    second = {
        "name": "second",
        "image": "example.com/b:1",
        "env": [{"name": "E", "value": "1"}],
        "ports": [{"containerPort": 80}],
    }
    sidecar = {**deployment(), "spec": {"template": {"spec": {"containers": [second]}}}}
    added = owned(seen, "added", patched(api, app, "two", sidecar))
    assert names(added) == ["first", "second"]
    clash = {**sidecar, "spec": {"template": {"spec": {"containers": [{"name": "first", "image": "example.com/x"}]}}}}
    seen("clash", patched(api, app, "two", clash))
    owned(seen, "forced", patched(api, app, "two", clash, "&force=true&dryRun=All"))
    left = owned(seen, "removed", patched(api, app, "two", {**sidecar, "spec": {}}))
    assert names(left) == ["first"]


def test_ports(seen: Seen, api: Api, app: str) -> None:
    """A key that is left out has its default: ports are known by number and protocol"""
    ports = [{"containerPort": 80}, {"containerPort": 80, "protocol": "UDP"}]
    body = deployment(containers=[{"name": "first", "image": "example.com/a:1", "ports": ports}])
    owned(seen, "created", patched(api, app, "one", body))
    twice = deployment(containers=[{"name": "first", "image": "example.com/a:1", "ports": [ports[0], ports[0]]}])
    seen("twice", patched(api, app, "one", twice))
    names_twice = deployment(containers=[{"name": "x", "image": "a"}, {"name": "x", "image": "b"}])
    seen("two of one name", patched(api, app, "one", names_twice))
    nameless = deployment(containers=[{"image": "a"}])
    seen("no key", patched(api, app, "one", nameless))


def test_atomic(seen: Seen, api: Api, app: str) -> None:
    """Selectors and lists without keys are owned as a whole"""
    tolerations = [{"key": "a", "operator": "Exists"}]
    body = deployment(nodeSelector={"a": "b"}, tolerations=tolerations)
    patched(api, app, "one", body)
    other = {**deployment(), "spec": {"template": {"spec": {"nodeSelector": {"c": "d"}, "tolerations": []}}}}
    seen("clash", patched(api, app, "two", other))
    forced = owned(seen, "forced", patched(api, app, "two", other, "&force=true"))
    assert forced.json["spec"]["template"]["spec"]["nodeSelector"] == {"c": "d"}


def test_replicas_given_up(seen: Seen, api: Api, app: str) -> None:
    """replicas can be left to an autoscaler"""
    patched(api, app, "one", deployment())
    api.patch(f"{app}/scale?fieldManager=scaler", {"spec": {"replicas": 0}})
    scaled = api.patch(f"{app}?fieldManager=scaler", {"spec": {"replicas": 2, "paused": True}}, STRATEGIC)
    assert scaled.json["spec"]["replicas"] == 2
    clash = patched(api, app, "one", deployment())
    seen("clash", clash)
    body = deployment()
    del body["spec"]["replicas"]
    seen("given up", patched(api, app, "one", body), only=["spec.replicas", "code"])


def test_service(seen: Seen, api: Api, namespace: str) -> None:
    """Ports of a Service are known by number and protocol"""
    path = f"/api/v1/namespaces/{namespace}/services/s"
    body = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}}
    first = {**body, "spec": {"ports": [{"port": 80, "name": "a"}]}}
    owned(seen, "created", patched(api, path, "one", first))
    second = {**body, "spec": {"ports": [{"port": 81, "name": "b"}]}}
    added = owned(seen, "added", patched(api, path, "two", second))
    assert [port["port"] for port in added.json["spec"]["ports"]] == [80, 81]
    assert added.json["spec"]["clusterIP"] == api.get(path).json["spec"]["clusterIP"] != ""


SCHEMA = {
    "type": "object",
    "properties": {
        "spec": {
            "type": "object",
            "properties": {
                "text": {"type": "string"},
                "map": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["id"],
                        "properties": {
                            "id": {"type": "string"},
                            "kind": {"type": "string", "default": "x"},
                            "value": {"type": "integer"},
                        },
                    },
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["id", "kind"],
                },
                "set": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
                "plain": {"type": "array", "items": {"type": "string"}},
                "whole": {
                    "type": "object",
                    "additionalProperties": {"type": "string"},
                    "x-kubernetes-map-type": "atomic",
                },
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            },
        },
        "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
    },
}


@pytest.fixture
def thing(api: Api, group: str, namespace: str) -> Iterator[str]:
    """The path of a custom resource with lists and maps of all sorts, and a status."""
    crd = custom_resource_definition(group, "things", "Thing", subresources={"status": {}})
    crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = SCHEMA
    assert api.post(CRDS, crd).status == 201
    path = f"/apis/{group}/v1/namespaces/{namespace}/things"
    api.until(path, lambda _: True)
    yield f"{path}/a"
    api.delete(f"{CRDS}/things.{group}")


def custom(path: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": f"{path.split('/')[2]}/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": spec}


def test_custom_resource(seen: Seen, api: Api, thing: str) -> None:
    """Custom resources follow their schema"""
    body = custom(
        thing,
        text="t",
        map=[{"id": "a", "value": 1}],
        set=["x", "y"],
        plain=["p"],
        whole={"a": "b"},
        labels={"l": "m"},
        free={"any": {"thing": [1]}},
    )
    owned(seen, "created", patched(api, thing, "one", body), "spec")
    other = custom(thing, map=[{"id": "b", "value": 2}], set=["z"], labels={"n": "o"}, free={"more": 1})
    owned(seen, "beside", patched(api, thing, "two", other), "spec")
    clash = custom(thing, map=[{"id": "a", "value": 9}], plain=["q"], whole={"c": "d"}, free={"any": {"thing": [2]}})
    owned(seen, "clash", patched(api, thing, "two", clash))
    seen("less", patched(api, thing, "one", custom(thing, text="t", set=["y"])), "spec")


def test_custom_refusals(seen: Seen, api: Api, thing: str) -> None:
    """What does not fit the schema"""
    owned(seen, "wrong type", patched(api, thing, "one", custom(thing, text=5)))
    seen(
        "unknown field",
        patched(api, thing, "one", custom(thing, nothing=1)),
        only=["spec", "message", "code", "reason"],
    )
    seen("twice in a set", patched(api, thing, "one", custom(thing, set=["x", "x"])))
    seen("twice in a map", patched(api, thing, "one", custom(thing, map=[{"id": "b"}, {"id": "b", "kind": "x"}])))


def test_status(seen: Seen, api: Api, thing: str) -> None:
    """The status is owned apart, by its subresource"""
    patched(api, thing, "one", {**custom(thing, text="t"), "status": {"phase": "ignored"}})
    seen("main", api.get(thing), "status")
    body = {**custom(thing), "status": {"phase": "New"}}
    owned(seen, "status", patched(api, f"{thing}/status", "operator", body), "spec", "status")
    owned(seen, "by another", patched(api, f"{thing}/status", "other", {**body, "status": {"phase": "Old"}}))
    seen(
        "status of nothing",
        patched(api, f"{thing.removesuffix('/a')}/b/status", "m", {**body, "metadata": {"name": "b"}}),
    )
    updated = api.patch(f"{thing}/status?fieldManager=updater", {"status": {"phase": "Changed"}})
    seen("updated", updated, "status")
