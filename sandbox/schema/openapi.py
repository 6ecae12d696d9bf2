"""The documents under /openapi/v3: one for each group version, named in an index by the hash of what is in it.

A document is put together from the text of the built-in schemas (builtin.py), the served CRDs (openapi_crds.py) and
paths (openapi_paths.py). Whether it changed is known without making it: clients such as kubectl ask for the index
before nearly every command and keep documents by their hash, so an index must cost next to nothing with 300 operators
installed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from ..resources import Resource
from . import openapi_crds
from .builtin import FILE, content, with_references
from .openapi_paths import META, paths

Json = dict[str, Any]
#: Raised when these modules write something else for the same resources: clients cache documents forever.
_FORM = 1
_DELETE_OPTIONS = f"{META}DeleteOptions"
_ALWAYS = (_DELETE_OPTIONS, f"{META}Patch", f"{META}Status")
_CUSTOM = (f"{META}ObjectMeta", f"{META}ListMeta")
#: Keywords that Swagger 2.0 lacks (or kubectl's reading of it), and what they hold where they are not the name of a
#: property.
_NEWS = {"oneOf": list, "anyOf": list, "allOf": list, "not": dict, "nullable": bool}
_SECURITY = {
    "BearerToken": {
        "type": "apiKey",
        "description": "Bearer Token authentication",
        "name": "authorization",
        "in": "header",
    }
}


def document_path(resource: Resource) -> str:
    """The document that describes a resource: "api/v1", "apis/apps/v1"."""
    return f"apis/{resource.api_version}" if resource.group else f"api/{resource.version}"


def openapi_hash(resources: Iterable[Resource], spec_hash: Callable[[Resource], str]) -> str:
    """What changes whenever the document of these resources (one group version's) does.

    ``spec_hash``: of the stored spec of a custom resource's CRD.
    """
    found = hashlib.sha512(f"{_FORM} {content().version} {FILE.stat().st_size}".encode())
    for resource in sorted(resources, key=lambda resource: resource.plural):
        found.update(f"\n{resource!r} {spec_hash(resource) if resource.custom else ''}".encode())
    return found.hexdigest().upper()


def openapi_index(hashes: dict[str, str]) -> Json:
    """The answer to /openapi/v3. ``hashes``: by the document's path."""
    addresses = {path: {"serverRelativeURL": f"/openapi/v3/{path}?hash={hashes[path]}"} for path in sorted(hashes)}
    return {"paths": addresses}


def openapi_v3(resources: Iterable[Resource], schema_of: Callable[[Resource], Json | None]) -> Json:
    """The document of one group version, to be encoded with msgspec (it holds raw text).

    ``schema_of``: a custom resource's openAPIV3Schema as stored, decoded for this call; it is changed here.
    """
    served = sorted(resources, key=lambda resource: resource.plural)
    custom = any(resource.custom for resource in served)
    schemas: Json = {}
    for resource in served:
        if resource.custom:
            made = openapi_crds.schemas(resource, schema_of(resource))
            # encoded at once: a large schema takes ten times its text as Python objects
            schemas |= {name: msgspec.Raw(msgspec.json.encode(schema)) for name, schema in made.items()}
    schemas |= _builtin(served, custom)
    info = {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"} if custom else None
    components: Json = {"schemas": dict(sorted(schemas.items()))}
    if not custom:
        components["securitySchemes"] = _SECURITY
    return {
        "openapi": "3.0.0",
        "info": info or {"title": "Kubernetes", "version": content().version.split("+")[0]},
        "paths": paths(served),
        "components": components,
    }


def _builtin(resources: list[Resource], custom: bool) -> Json:
    wanted = {*_ALWAYS, *(_CUSTOM if custom else ())}
    for resource in resources:
        kinds = [kind for _, kind, _ in resource.subresources]
        kinds += ["autoscaling/v1/Scale"] if resource.scale else []
        if not resource.custom:
            kinds += [f"{resource.api_version}/{kind}" for kind in (resource.kind, resource.collection_kind)]
        wanted |= {content().kinds.get(kind, "") for kind in kinds}
    found: Json = dict(with_references(wanted))
    groups = sorted({("", "v1"), *((resource.group, resource.version) for resource in resources)})
    options = msgspec.json.decode(found[_DELETE_OPTIONS])
    options["x-kubernetes-group-version-kind"] = [
        {"group": group, "kind": "DeleteOptions", "version": version} for group, version in groups
    ]
    return {**found, _DELETE_OPTIONS: options}


def openapi_v2(resources: Iterable[Resource], schema_of: Callable[[Resource], Json | None]) -> Json:
    """Swagger 2.0 of everything, for clients without OpenAPI v3: definitions only, without what 2.0 can't express."""
    definitions: Json = {}
    served = list(resources)
    for name, schema in _builtin(served, custom=True).items():
        definitions[name] = _downgraded(msgspec.json.decode(schema) if isinstance(schema, msgspec.Raw) else schema)
    for resource in served:
        if resource.custom:
            made = openapi_crds.schemas(resource, schema_of(resource))
            definitions |= {name: _downgraded(schema) for name, schema in made.items()}
    info = {"title": "Kubernetes", "version": content().version.split("+")[0]}
    return {"swagger": "2.0", "info": info, "paths": {}, "definitions": dict(sorted(definitions.items()))}


def _downgraded(schema: Json) -> msgspec.Raw:
    text = msgspec.json.encode(_without_news(schema))
    return msgspec.Raw(text.replace(b'"#/components/schemas/', b'"#/definitions/'))


def _without_news(schema: Any) -> Any:
    """oneOf, anyOf, not and nullable are new in 3.0; allOf of one reference was the reference itself."""
    if isinstance(schema, list):
        return [_without_news(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    alone = schema.get("allOf")
    if isinstance(alone, list) and len(alone) == 1 and isinstance(alone[0], dict) and "$ref" in alone[0]:
        described = {"description": schema["description"]} if isinstance(schema.get("description"), str) else {}
        return {**described, **alone[0]}
    return {
        name: _without_news(value)
        for name, value in schema.items()
        if not (name in _NEWS and isinstance(value, _NEWS[name]))
    }
