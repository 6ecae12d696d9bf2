"""What a new object of a built-in kind may begin with, where nothing at all would be a poor beginning: a definition
that does what good ones do.

The kinds of operators have their operators' examples instead (resources/writing/examples.py).
"""

from typing import Any

from django.utils.translation import gettext as _

from kube.discovery import ResourceType
from kube.objects import KubeObject

_READY = {"name": "Ready", "type": "string", "jsonPath": ".status.conditions[?(@.type=='Ready')].status"}
_AGE = {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}
# https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties
_CONDITION: dict[str, Any] = {
    "type": "object",
    "required": ["type", "status", "lastTransitionTime", "reason", "message"],
    "properties": {
        "type": {"type": "string", "maxLength": 316},
        "status": {"type": "string", "enum": ["True", "False", "Unknown"]},
        "observedGeneration": {"type": "integer", "format": "int64", "minimum": 0},
        "lastTransitionTime": {"type": "string", "format": "date-time"},
        "reason": {"type": "string", "minLength": 1, "maxLength": 1024},
        "message": {"type": "string", "maxLength": 32768},
    },
}


def starters(type_: ResourceType) -> tuple[tuple[str, str, KubeObject], ...]:
    """(name, description, object) for a menu; () for kinds that have none."""
    if (type_.group, type_.kind) == ("apiextensions.k8s.io", "CustomResourceDefinition"):
        return (
            (
                "spec-and-status",
                _("Namespaced resource type with spec, status, columns and scale"),
                _definition("Namespaced", True),
            ),
            ("cluster", _("Cluster-scoped resource type with spec and status"), _definition("Cluster", False)),
        )
    return ()


def _definition(scope: str, scaled: bool) -> KubeObject:
    spec: dict[str, Any] = {
        "type": "object",
        "description": "What is wanted.",
        "required": ["message"],
        "properties": {"message": {"type": "string", "minLength": 1, "description": "What is to be said."}},
    }
    status: dict[str, Any] = {
        "type": "object",
        "description": "What is, as its operator sees it.",
        "properties": {
            "observedGeneration": {"type": "integer", "format": "int64"},
            "conditions": {
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["type"],
                "items": _CONDITION,
            },
        },
    }
    columns = [_READY, _AGE]
    subresources: dict[str, dict[str, str]] = {"status": {}}
    if scaled:
        spec["properties"]["replicas"] = {
            "type": "integer",
            "format": "int32",
            "minimum": 0,
            "maximum": 100,
            "default": 1,
            "description": "How many are wanted.",
        }
        status["properties"] |= {"replicas": {"type": "integer", "format": "int32"}, "selector": {"type": "string"}}
        columns.insert(0, {"name": "Replicas", "type": "integer", "jsonPath": ".status.replicas"})
        subresources["scale"] = {
            "specReplicasPath": ".spec.replicas",
            "statusReplicasPath": ".status.replicas",
            "labelSelectorPath": ".status.selector",
        }
    schema = {
        "type": "object",
        "description": "Example is a kind of yours: say here what it is for.",
        "required": ["spec"],
        "properties": {"spec": spec, "status": status},
    }
    version = {
        "name": "v1alpha1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": subresources,
        "additionalPrinterColumns": columns,
    }
    names = {"kind": "Example", "listKind": "ExampleList", "plural": "examples", "singular": "example"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "examples.example.com"},
        "spec": {"group": "example.com", "names": names, "scope": scope, "versions": [version]},
    }
