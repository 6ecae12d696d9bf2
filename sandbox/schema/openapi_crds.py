"""A CustomResourceDefinition in OpenAPI: apiextensions-apiserver, pkg/controller/openapi/builder.

The stored schema with what every object has: apiVersion, kind and metadata in the API server's words, at the root and
in embedded resources, and the two types of int-or-string spelled out.
"""

from __future__ import annotations

from typing import Any

from ..resources import Resource
from .openapi_paths import META, model_name

Json = dict[str, Any]
_CONVENTIONS = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"
_API_VERSION: Json = {
    "description": (
        "APIVersion defines the versioned schema of this representation of an object. Servers should convert "
        "recognized schemas to the latest internal value, and may reject unrecognized values. More info: "
        f"{_CONVENTIONS}#resources"
    ),
    "type": "string",
}
_KIND: Json = {
    "description": (
        "Kind is a string value representing the REST resource this object represents. Servers may infer this "
        "from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: "
        f"{_CONVENTIONS}#types-kinds"
    ),
    "type": "string",
}
_EMBEDDED: Json = {
    "apiVersion": {
        "description": (
            "apiVersion defines the versioned schema of this representation of an object. More info: "
            f"{_CONVENTIONS}#resources"
        ),
        "type": "string",
    },
    "kind": {
        "description": (
            "kind is a string value representing the type of this object. In CamelCase. More info: "
            f"{_CONVENTIONS}#types-kinds"
        ),
        "type": "string",
    },
}
_EITHER = [{"type": "integer"}, {"type": "string"}]


def _metadata(model: str, description: str) -> Json:
    return {"description": description, "allOf": [{"$ref": f"#/components/schemas/{META}{model}"}]}


_OBJECT_META = _metadata("ObjectMeta", f"Standard object's metadata. More info: {_CONVENTIONS}#metadata")
_LIST_META = _metadata("ListMeta", f"Standard list metadata. More info: {_CONVENTIONS}#types-kinds")


def schemas(resource: Resource, schema: Json | None) -> dict[str, Json]:
    """The kind's schema and its list's, by name. ``schema``: the version's openAPIV3Schema; it is changed in place."""
    group, version = resource.group, resource.version
    name = model_name(group, version, resource.kind)
    made: Json = _own(schema) if schema is not None else {"type": "object"}
    made["x-kubernetes-group-version-kind"] = [{"group": group, "kind": resource.kind, "version": version}]
    both = {name: made, model_name(group, version, resource.collection_kind): _list(resource, name)}
    if resource.selectable:
        fields = [{"fieldPath": path.removeprefix(".")} for path in resource.selectable]
        for item in both.values():
            item["x-kubernetes-selectable-fields"] = fields
    return both


def _own(schema: Json) -> Json:
    _spell_out(schema)
    properties = schema.get("properties") or {}
    schema["properties"] = {**properties, "apiVersion": _API_VERSION, "kind": _KIND, "metadata": _OBJECT_META}
    return schema


def _list(resource: Resource, name: str) -> Json:
    group, version, kind = resource.group, resource.version, resource.collection_kind
    items = {
        "description": f"List of {resource.plural}. More info: {_CONVENTIONS}",
        "type": "array",
        "items": {"$ref": f"#/components/schemas/{name}"},
    }
    return {
        "description": f"{kind} is a list of {resource.kind}",
        "type": "object",
        "required": ["items"],
        "properties": {"apiVersion": _API_VERSION, "kind": _KIND, "metadata": _LIST_META, "items": items},
        "x-kubernetes-group-version-kind": [{"group": group, "kind": kind, "version": version}],
    }


def _spell_out(schema: Json) -> None:
    """Walks the structural part; what stands in anyOf, oneOf, allOf and not declares no fields of its own."""
    for inner in (schema.get("properties") or {}).values():
        _spell_out(inner)
    for name in ("items", "additionalProperties"):
        if isinstance(schema.get(name), dict):
            _spell_out(schema[name])
    if schema.get("x-kubernetes-int-or-string"):
        _both_types(schema)
    if schema.get("x-kubernetes-embedded-resource"):
        schema["properties"] = {**(schema.get("properties") or {}), **_EMBEDDED, "metadata": _OBJECT_META}
        required = schema.get("required") or []
        schema["required"] = [*required, *(name for name in ("kind", "apiVersion") if name not in required)]


def _both_types(schema: Json) -> None:
    all_of = schema.get("allOf") or []
    if schema.get("anyOf") == _EITHER or (all_of and all_of[0].get("anyOf") == _EITHER):
        return
    if schema.get("anyOf"):
        schema["allOf"] = [{"anyOf": _EITHER}, *all_of]
    else:
        schema["anyOf"] = _EITHER
