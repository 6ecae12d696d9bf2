"""The options of a write: query, DeleteOptions, and the patch as a function."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec

from . import listing
from .bodies import YAML, Unrecognized, body, duplicates, from_yaml
from .errors import BadRequest, Invalid, UnsupportedMediaType
from .fieldtypes import Type
from .http import Request
from .negotiation import APPLY_PATCH, JSON_PATCH, MERGE_PATCH, PATCHES, STRATEGIC_PATCH, media_type
from .objects import Object
from .patches import checked_merge, go_mismatch, json_patch
from .resources import Resource
from .schemas import schema
from .strategic import strategic_patch
from .verbs import Call, DeleteOptions

Change = Callable[[Object], Object]
#: (field, reason, message)
Fault = tuple[str, str, str]
_OPTIONS = {"GET": "Get", "POST": "Create", "PUT": "Update", "PATCH": "Patch", "DELETE": "Delete"}
_DELETE_OPTIONS = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"
#: How long a manager's name may be, in bytes.
_MANAGER = 128


def scale_patch(media: str, data: bytes) -> Change:
    """The patch of a Scale, whose fields have no lists."""
    if media == JSON_PATCH:
        return lambda old: json_patch(old, _read(data))
    return lambda old: checked_merge(old, _read(data))


def patch_of(resource: Resource, media: str, data: bytes, type_: Type) -> Change:
    """A patch as a function, which reads it when there is an object.

    UnsupportedMediaType says which types there are.
    """
    if media == STRATEGIC_PATCH and not resource.custom:
        return lambda old: _strategic(resource, old, _read(data), type_)
    if media == MERGE_PATCH:
        return lambda old: checked_merge(old, _read(data))
    if media == JSON_PATCH:
        return lambda old: json_patch(old, _read(data))
    if media not in PATCHES:
        raise UnsupportedMediaType("415: Unsupported Media Type", {})
    offered = [name for name in PATCHES if not (resource.custom and name == STRATEGIC_PATCH)]
    raise UnsupportedMediaType(
        "the body of the request was in an unknown format - accepted media types include: " + ", ".join(offered)
    )


def applied_object(data: bytes, strict: bool) -> Object:
    """The body of an apply, which is YAML."""
    try:
        found = from_yaml(data)
    except Unrecognized as unreadable:
        why = unreadable.why.partition("json parse error: ")[2]
        raise BadRequest(f"error decoding YAML: {why}") from None
    if found is not None and not isinstance(found, dict):
        why = go_mismatch(found, "map[string]interface {}")
        raise BadRequest(f"error decoding YAML: error unmarshaling JSON: while decoding JSON: {why}")
    twice = duplicates(data, YAML, strict) if strict else ()
    if twice:
        raise BadRequest(f"error strict decoding YAML: error converting YAML to JSON: {twice[0]}")
    metadata = (found or {}).get("metadata")
    return {**(found or {}), "metadata": metadata if isinstance(metadata, dict) else {}}


def _read(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError as problem:
        raise BadRequest(f"error decoding patch: {problem}") from None


def _strategic(resource: Resource, old: Object, patch: Any, type_: Type) -> Object:
    """The patched object. A patch can't change its kind: Go decodes the patch into a struct of that kind."""
    if not isinstance(patch, dict):
        patch = checked_merge({}, patch)
    found: Object = strategic_patch(old, patch, type_)
    return {**found, "apiVersion": resource.api_version, "kind": resource.kind}


def call_of(request: Request, subresource: str = "") -> Call:
    """The options of a write, from its query; Invalid names the invalid ones."""
    causes = [*_dry_run_causes(request.query.get("dryRun", [])), *_manager_causes(request.arg("fieldManager"))]
    validation = request.arg("fieldValidation")
    if validation not in ("", "Strict", "Warn", "Ignore"):
        text = f'Unsupported value: "{validation}": supported values: "", "Ignore", "Strict", "Warn"'
        causes.append(("fieldValidation", "FieldValueNotSupported", text))
    applied = media_type(request.headers.get("content-type", "")) == APPLY_PATCH
    if request.method == "PATCH" and applied and not request.arg("fieldManager"):
        causes.append(("fieldManager", "FieldValueRequired", "Required value: is required for apply patch"))
    if request.method == "PATCH" and not applied and "force" in request.query:
        causes.append(("force", "FieldValueForbidden", "Forbidden: may not be specified for non-apply patch"))
    if causes:
        raise Invalid(f"{_OPTIONS[request.method]}Options", "", causes, "meta.k8s.io")
    manager = request.arg("fieldManager") or request.headers.get("user-agent", "unknown").partition("/")[0]
    return Call(
        manager=manager[:_MANAGER],
        subresource=subresource,
        dry_run="dryRun" in request.query,
        validation=validation or "Warn",
        user=request.user,
    )


async def written_call(request: Request, subresource: str = "") -> Call:
    """The call of a write whose body is an object: with what is odd about the body itself."""
    call = call_of(request, subresource)
    if call.validation == "Ignore":
        return call
    strict = call.validation == "Strict"
    found = duplicates(await request.body(), request.headers.get("content-type", ""), strict)
    return replace(call, problems=found) if found else call


def _dry_run_causes(values: list[str]) -> list[Fault]:
    if all(value == "All" for value in values):
        return []
    listed = json.dumps(values, separators=(",", ":"))
    return [("dryRun", "FieldValueNotSupported", f'Unsupported value: {listed}: supported values: "All"')]


def _manager_causes(manager: str) -> list[Fault]:
    if len(manager.encode()) > _MANAGER:
        return [("fieldManager", "FieldValueTooLong", f"Too long: may not be more than {_MANAGER} bytes")]
    for at, letter in enumerate(manager):
        if not letter.isprintable():
            shown = json.dumps(manager)
            text = f"Invalid value: {shown}: invalid character U+{ord(letter):04X} (at position {at})"
            return [("fieldManager", "FieldValueInvalid", text)]
    return []


def list_options(request: Request) -> listing.ListQuery:
    """The query of a list or watch."""
    return listing.ListQuery(
        labels=request.arg("labelSelector"),
        fields=request.arg("fieldSelector"),
        limit=_number(request, "limit"),
        continue_=request.arg("continue"),
        version=request.arg("resourceVersion"),
        match=request.arg("resourceVersionMatch"),
        initial=request.flag("sendInitialEvents") if "sendInitialEvents" in request.query else None,
        seconds=_number(request, "timeoutSeconds"),
        bookmarks=request.flag("allowWatchBookmarks"),
    )


def _number(request: Request, name: str) -> int:
    text = request.arg(name, "0")
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise BadRequest(f'strconv.ParseInt: parsing "{text}": invalid syntax')
    return int(text)


async def delete_options(request: Request) -> DeleteOptions:
    """From the body or, when there is none, from the query."""
    data = await request.body()
    sent = _sent_options(data, request.headers.get("content-type", "")) if data else _asked_options(request)
    if data:
        request.query.pop("dryRun", None)
        if "dryRun" in sent:
            request.query["dryRun"] = [str(value) for value in sent["dryRun"]]
    propagation, orphan = sent.get("propagationPolicy"), sent.get("orphanDependents")
    causes: list[Fault] = []
    if propagation is not None and orphan is not None:
        text = f'Invalid value: "{propagation}": orphanDependents and deletionPropagation cannot be both set'
        causes.append(("propagationPolicy", "FieldValueInvalid", text))
    if propagation not in (None, "Orphan", "Background", "Foreground"):
        text = f'Unsupported value: "{propagation}": supported values: "Foreground", "Background", "Orphan", "nil"'
        causes.append(("propagationPolicy", "FieldValueNotSupported", text))
    if causes:
        raise Invalid("DeleteOptions", "", causes, "meta.k8s.io")
    if orphan is not None:
        propagation = "Orphan" if orphan else "Background"
    conditions, grace = sent.get("preconditions") or {}, sent.get("gracePeriodSeconds")
    return DeleteOptions(propagation or "", grace, conditions.get("uid", ""), conditions.get("resourceVersion", ""))


def _asked_options(request: Request) -> Object:
    found: Object = {}
    if "propagationPolicy" in request.query:
        found["propagationPolicy"] = request.arg("propagationPolicy")
    if "gracePeriodSeconds" in request.query:
        found["gracePeriodSeconds"] = _number(request, "gracePeriodSeconds")
    if "orphanDependents" in request.query:
        found["orphanDependents"] = request.flag("orphanDependents")
    return found


def _sent_options(data: bytes, content_type: str) -> Object:
    """A body must be DeleteOptions, of whatever group."""
    try:
        found = body(data, content_type, "DeleteOptions")
    except Unrecognized as unreadable:
        raise BadRequest(unreadable.why) from None
    kind, version = found.get("kind") or "DeleteOptions", found.get("apiVersion") or "v1"
    if kind != "DeleteOptions":
        raise BadRequest(
            f'no kind "{kind}" is registered for version "{version}" in scheme "pkg/runtime/scheme.go:111"'
        )
    if schema is not None and (fault := schema.body_fault(_DELETE_OPTIONS, found)):
        raise BadRequest(fault)
    return {key: value for key, value in found.items() if value is not None}
