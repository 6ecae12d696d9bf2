"""The schema of a kind: as JSON for the YAML editor, which also asks which kinds there are, and as a tree for people
(…/<plural>/explain/).

The editor's JSON says what may stand where, and what it means. It is kept encoded, with the hash that names it.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from threading import Lock
from typing import Any

import msgspec
from cachetools import LRUCache, cached
from django.http import HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.access import can
from console.web.request import ConsoleRequest
from kube.errors import KubeError, NotFound
from resources.forms.schema import Identity
from resources.place import Place, place_of
from resources.types import schematree
from resources.types.manager import DEFINITIONS

_KEEP = frozenset(
    [
        "$ref",
        "type",
        "format",
        "description",
        "required",
        "enum",
        "default",
        "nullable",
        "pattern",
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "x-kubernetes-int-or-string",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-list-type",
        "x-kubernetes-list-map-keys",
    ]
)
_BRANCHES = ("allOf", "anyOf", "oneOf")
_LONG = 1200
_LIMIT = 12
#: Cache-Control of an address with the hash of what it returns (a year), and of one without.
_IMMUTABLE = "private, max-age=31536000, immutable"
_REVALIDATE = "private, no-cache"


@dataclass(frozen=True, slots=True)
class EditorSchema:
    """`body` is JSON."""

    digest: str
    body: bytes


@require_safe
def schema(request: ConsoleRequest) -> HttpResponse:
    """`?apiVersion=&kind=`: the schema as JSON; with `&v=` its hash, for a year. 404 where the cluster has none."""
    api_version, kind = request.GET.get("apiVersion", ""), request.GET.get("kind", "")
    group, _slash, version = api_version.rpartition("/")
    try:
        document = request.cluster.schema(request.cluster.find_kind(group, kind, version))
    except NotFound:
        document = None
    if document is None:
        text = _("The cluster has no schema for %(kind)s.") % {"kind": f"{api_version} {kind}"}
        return JsonResponse({"title": text}, status=404, headers={"Cache-Control": _REVALIDATE})
    found = editor_schema(document)
    return _answer(request, found.body, found.digest)


@require_safe
def kinds(request: ConsoleRequest) -> HttpResponse:
    """Every kind that can be created: [[apiVersion, kind], …]."""
    made = {(type_.api_version, type_.kind): None for type_ in request.cluster.types() if "create" in type_.verbs}
    body = msgspec.json.encode(sorted(made))
    return _answer(request, body, hashlib.sha256(body).hexdigest()[:16])


def _answer(request: ConsoleRequest, body: bytes, digest: str) -> HttpResponse:
    tag = f'"{digest}"'
    caching = _IMMUTABLE if request.GET.get("v") == digest else _REVALIDATE
    headers = {"ETag": tag, "Cache-Control": caching}
    # What is compressed on the way has a weak tag.
    if tag in request.headers.get("If-None-Match", "").replace("W/", ""):
        return HttpResponse(status=HTTPStatus.NOT_MODIFIED, headers=headers)
    return HttpResponse(body, content_type="application/json", headers=headers)


@cached(LRUCache(_LIMIT), key=Identity, lock=Lock())
def editor_schema(document: Mapping[str, Any]) -> EditorSchema:
    """Of a document of kube.client."""
    components = (document.get("components") or {}).get("schemas") or {}
    made = {**_editor_node(document), "components": {name: _editor_node(schema) for name, schema in components.items()}}
    body = msgspec.json.encode(made)
    return EditorSchema(hashlib.sha256(body).hexdigest()[:16], body)


def _editor_node(schema: Any) -> Any:
    """One node, and all below it."""
    if not isinstance(schema, Mapping):
        return schema if isinstance(schema, bool) else {}
    made = {key: value for key, value in schema.items() if key in _KEEP}
    if isinstance(made.get("description"), str) and len(made["description"]) > _LONG:
        made["description"] = f"{made['description'][: _LONG - 1]}…"
    if isinstance(schema.get("properties"), Mapping):
        made["properties"] = {name: _editor_node(child) for name, child in schema["properties"].items()}
    for key in ("items", "additionalProperties"):
        if key in schema:
            made[key] = _editor_node(schema[key])
    for key in _BRANCHES:
        if isinstance(schema.get(key), list):
            made[key] = [_editor_node(branch) for branch in schema[key]]
    if schematree.is_immutable(schema):
        made["immutable"] = True
    return made


@require_safe
def explain(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """`?at=` is a place in the schema, `?q=` searches all of it.

    An opened field gets its part only; so does a search while the user types.
    """
    place = place_of(request, group, version, plural)
    found = schematree.explain(request.cluster, place.type, request.GET.get("at", ""), request.GET.get("q", ""))
    context = {
        "explained": found,
        "place": place,
        "verbs": sorted(place.type.verbs),
        "subresources": sorted(place.type.subresources),
        "definition": _definition(request, place),
        "root": request.path,
        "address": "?",
        "kind": place.type.kind,
        **{name: getattr(found, name) for name in ("description", "here", "trail", "fields", "inner", "found", "top")},
    }
    part = "_schema_fields.html" if request.headers.get("HX-Target", "").startswith("in-") else "_schema.html"
    status = 404 if found.missing else 200
    return render.page(request, "resources/explain.html", context, fragment=f"resources/{part}", status=status)


def _definition(request: ConsoleRequest, place: Place) -> str:
    """The address of the kind's definition, '' for kinds that have none and users who can't read it."""
    if "." not in place.type.group:
        return ""
    try:
        type_ = request.cluster.find(*DEFINITIONS)
        definition = Place(type_, "", f"{place.type.plural}.{place.type.group}")
        return definition.detail_url if can(request.cluster, "get", type_, "", definition.name).allowed else ""
    except KubeError:
        return ""
