"""OpenAPI v3: the documents of custom and built-in kinds"""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.api import CRDS, JSON_PATCH, Api, custom_resource_definition

from .observations import Seen

FIELDS: dict[str, Any] = {
    "size": {"type": "integer", "format": "int32", "minimum": 1, "default": 3, "description": "How many."},
    "color": {"type": "string", "enum": ["Red", "Green"]},
    "port": {"x-kubernetes-int-or-string": True},
    "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
    "maybe": {"type": "string", "nullable": True},
    "template": {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "x-kubernetes-preserve-unknown-fields": True,
    },
    "items": {
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        "items": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}},
    },
    "byName": {"type": "object", "additionalProperties": {"type": "string"}},
    "ruled": {
        "type": "integer",
        "oneOf": [{"minimum": 5}, {"maximum": 1}],
        "x-kubernetes-validations": [{"rule": "self != 7", "message": "not seven"}],
    },
}


@pytest.fixture
def document(api: Api, group: str) -> Iterator[Any]:
    """The document of a new CRD's group version. Widgets have status and scale."""
    crd = custom_resource_definition(group, "widgets", "Widget")
    schema = {
        "type": "object",
        "description": "A Widget.",
        "required": ["spec"],
        "properties": {"spec": {"type": "object", "properties": FIELDS}, "status": {"type": "object"}},
    }
    scale = {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"}
    crd["spec"]["versions"][0] |= {
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}, "scale": scale},
    }
    assert api.post(CRDS, crd).status == 201
    kind = "/".join(reversed(group.split("."))).replace("/", ".")
    yield api.until(
        f"/openapi/v3/apis/{group}/v1",
        lambda body: f"{kind}.v1.Widget" in body.get("components", {}).get("schemas", {}),
    )
    api.delete(f"{CRDS}/{crd['metadata']['name']}")


def _named(seen: Seen, group: str) -> str:
    """The group backwards, as components are named; it stands as <puorg>."""
    backwards = ".".join(reversed(group.split(".")))
    seen.alias("puorg", backwards)
    camel = "".join(part.capitalize() for part in group.split("."))
    seen.alias("Group", camel)
    return backwards


def test_schema(seen: Seen, document: Any, group: str) -> None:
    """A custom kind's schema is published as its CRD has it, with its group, version and kind"""
    name = _named(seen, group)
    schemas = document["components"]["schemas"]
    seen.value("names", sorted(schemas))
    found = schemas[f"{name}.v1.Widget"]
    assert (
        found["properties"]["spec"]["properties"]["ruled"]["x-kubernetes-validations"]
        == FIELDS["ruled"]["x-kubernetes-validations"]
    )
    seen.value("Widget", found)
    seen.value("WidgetList", schemas[f"{name}.v1.WidgetList"])
    seen.value("info", document["info"])


def test_paths(seen: Seen, document: Any, group: str) -> None:
    """Every operation has its id, its action and its kind"""
    _named(seen, group)
    for path, item in sorted(document["paths"].items()):
        operations = {
            method: {key: operation.get(key) for key in operation if key.startswith(("operationId", "x-kubernetes"))}
            for method, operation in item.items()
            if method != "parameters"
        }
        seen.value(path.replace(group, "group"), operations)


def test_operations(seen: Seen, document: Any, group: str) -> None:
    """Parameters, bodies and answers of creating, patching and listing"""
    _named(seen, group)
    path = document["paths"][f"/apis/{group}/v1/namespaces/{{namespace}}/widgets"]
    for method in ("get", "post"):
        operation = path[method]
        seen.value(f"{method}: parameters", sorted(parameter["name"] for parameter in operation["parameters"]))
        seen.value(f"{method}: answers", operation["responses"])
    seen.value("post: body", path["post"]["requestBody"])
    widget_path = document["paths"][f"/apis/{group}/v1/namespaces/{{namespace}}/widgets/{{name}}"]
    seen.value("patch: body", widget_path["patch"]["requestBody"])
    seen.value("patch: parameters", sorted(parameter["name"] for parameter in widget_path["patch"]["parameters"]))
    seen.value(
        "delete: parameters", sorted(parameter["name"] for parameter in widget_path["delete"].get("parameters") or [])
    )
    field_validation = [parameter for parameter in path["post"]["parameters"] if parameter["name"] == "fieldValidation"]
    seen.value("fieldValidation", field_validation)


def test_index(seen: Seen, api: Api, document: Any, group: str) -> None:
    """The index tells each document's hash, which changes with the CRD; an old hash leads to the new document"""
    key = f"apis/{group}/v1"
    first = api.get("/openapi/v3")
    assert "json" not in first.headers["content-type"] or first.json
    address = first.json["paths"][key]["serverRelativeURL"]
    assert address.startswith(f"/openapi/v3/{key}?hash=")
    answer = api.get(address)
    assert answer.json == document
    seen.value("with its hash", {name: answer.headers.get(name) for name in ("content-type", "cache-control", "vary")})
    where = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/size/description"
    patch = [{"op": "replace", "path": where, "value": "How very many."}]
    assert api.patch(f"{CRDS}/widgets.{group}", patch, JSON_PATCH).status == 200
    api.until(
        "/openapi/v3",
        lambda body: body["paths"][key]["serverRelativeURL"] != address,
    )
    moved = api.get(address)
    seen.value("with the old hash", moved.status)
    assert moved.status == 301 and moved.headers["location"] != address
    seen.value("no such document", api.get("/openapi/v3/apis/none.example/v1").status)


def test_gone(seen: Seen, api: Api, document: Any, group: str) -> None:
    """The document goes with the CRD"""
    assert api.delete(f"{CRDS}/widgets.{group}").status == 200
    key = f"apis/{group}/v1"
    api.until("/openapi/v3", lambda body: key not in body["paths"])
    seen.value("then", api.get(f"/openapi/v3/{key}").status)


def test_built_in(seen: Seen, api: Api) -> None:
    """Built-in kinds have their documents, with the actions and kinds of their paths"""
    document = api.get("/openapi/v3/apis/apps/v1").json
    seen.value("Deployment", document["components"]["schemas"]["io.k8s.api.apps.v1.Deployment"])
    seen.value(
        "DeploymentSpec",
        document["components"]["schemas"]["io.k8s.api.apps.v1.DeploymentSpec"],
        without=["properties.template"],
    )
    path = document["paths"]["/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale"]
    seen.value("scale", {method: item["operationId"] for method, item in path.items() if method != "parameters"})
    core = api.get("/openapi/v3/api/v1").json
    for name in ("ConfigMap", "PodStatus", "ServicePort"):
        seen.value(name, core["components"]["schemas"][f"io.k8s.api.core.v1.{name}"], without=["description"])
