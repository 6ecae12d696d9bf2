"""A definition of the tests' own, with a bit of everything, in a group of its own."""

from typing import Any
from uuid import uuid4

from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from tests.eventually import until

CRDS = ("apiextensions.k8s.io", "v1", "customresourcedefinitions")
_SPEC: dict[str, Any] = {
    "type": "object",
    "required": ["size"],
    "properties": {
        "size": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3, "description": "How many."},
        "mode": {"type": "string", "enum": ["a", "b"], "description": "Deprecated: use size."},
        "place": {"type": "string", "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "stays"}]},
        "parts": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
    },
}


def definition(**changes: Any) -> dict[str, Any]:
    """widgets, namespaced, in v1 (stored) and v1beta1 (deprecated)."""
    group = f"t{uuid4().hex[:8]}.example.com"
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": _SPEC, "status": {"type": "object"}}}}
    columns = [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}]
    versions = [
        {
            "name": "v1",
            "served": True,
            "storage": True,
            "schema": schema,
            "additionalPrinterColumns": columns,
            "subresources": {"status": {}},
        },
        {
            "name": "v1beta1",
            "served": True,
            "storage": False,
            "schema": schema,
            "deprecated": True,
            "deprecationWarning": "widgets v1beta1 is old",
        },
    ]
    names = {
        "plural": "widgets",
        "singular": "widget",
        "kind": "Widget",
        "listKind": "WidgetList",
        "shortNames": ["wd"],
        "categories": ["toys"],
    }
    spec = {"group": group, "scope": "Namespaced", "names": names, "versions": versions, **changes}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"widgets.{group}"},
        "spec": spec,
    }


def create(client: ClusterClient, made: dict[str, Any]) -> dict[str, Any]:
    """Served, with its schema published, when this returns."""
    found = client.create(client.find(*CRDS), made)
    for version in made["spec"]["versions"]:
        until(lambda version=version: client.schema(served(client, found, version["name"])), not_yet=(KubeError,))
        until(
            lambda version=version: client.list(served(client, found, version["name"])).resource_version,
            not_yet=(KubeError,),
        )
    return found


def served(client: ClusterClient, made: dict[str, Any], version: str = "v1") -> Any:
    client.forget_types()
    return client.find(made["spec"]["group"], version, made["spec"]["names"]["plural"])


def widget(made: dict[str, Any], name: str, **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": f"{made['spec']['group']}/v1",
        "kind": "Widget",
        "metadata": {"name": name, **metadata},
        "spec": {"size": 2},
    }


def remove(client: ClusterClient, made: dict[str, Any]) -> None:
    """With all that is in it, finalizers or not; and waits until it is not served any more."""
    name = made["metadata"]["name"]
    try:
        type_ = served(client, made)
        for obj in client.list(type_).items:
            if obj["metadata"].get("finalizers"):
                bare = {"metadata": {"finalizers": None}}
                client.patch(type_, obj["metadata"]["name"], bare, obj["metadata"].get("namespace") or "")
    except KubeError:
        pass
    try:
        client.delete(client.find(*CRDS), name)
    except NotFound:
        return
    until(lambda: _gone(client, name), not_yet=(KubeError,))
    client.forget_types()


def _gone(client: ClusterClient, name: str) -> bool:
    try:
        client.get(client.find(*CRDS), name)
    except NotFound:
        return True
    return False
