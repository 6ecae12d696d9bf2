"""What a request says beside its object: DeleteOptions, and the patch as a function."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import msgspec

from .bodies import body, duplicates
from .errors import BadRequest, Invalid, UnsupportedMediaType
from .fieldtypes import Type
from .gojson import complaint
from .http import Request
from .negotiation import JSON_PATCH, MERGE_PATCH, PATCHES, STRATEGIC_PATCH
from .objects import Object
from .patching import checked_merge, json_patch
from .resources import Resource
from .strategic import strategic_patch
from .verbs import Call, DeleteOptions

Change = Callable[[Object], Object]
#: (field, reason, message)
Fault = tuple[str, str, str]
_OPTIONS = {"GET": "Get", "POST": "Create", "PUT": "Update", "PATCH": "Patch", "DELETE": "Delete"}
#: How long a manager's name may be, in bytes.
_MANAGER = 128


def scale_patch(media: str, data: bytes) -> Change:
    """The patch of a Scale, whose fields have no lists."""
    if media == JSON_PATCH:
        return lambda old: json_patch(old, _read(data))
    return lambda old: checked_merge(old, _read(data))


def patch_of(resource: Resource, media: str, data: bytes, type_: Type) -> Change:
    """A patch as a function, which reads it when there is an object. UnsupportedMediaType says which types there are."""
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


def _read(data: bytes) -> Any:
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError as problem:
        raise BadRequest(f"error decoding patch: {complaint(data) or problem}") from None


def _strategic(resource: Resource, old: Object, patch: Any, type_: Type) -> Object:
    """What the object is, it stays: the patch goes into a struct of its kind."""
    if not isinstance(patch, dict):
        patch = checked_merge({}, patch)
    found: Object = strategic_patch(old, patch, type_)
    return {**found, "apiVersion": resource.api_version, "kind": resource.kind}


def refused_option(request: Request, field: str, reason: str, text: str) -> Invalid:
    """422 about a query parameter or option."""
    return Invalid(f"{_OPTIONS[request.method]}Options", "", [(field, reason, text)], "meta.k8s.io")


def call_of(request: Request, subresource: str = "") -> Call:
    """How a write is meant, from its query; Invalid names the options that are none."""
    causes = [*_dry_run_causes(request.query.get("dryRun", [])), *_manager_causes(request.arg("fieldManager"))]
    validation = request.arg("fieldValidation")
    if validation not in ("", "Strict", "Warn", "Ignore"):
        text = f'Unsupported value: "{validation}": supported values: "", "Ignore", "Strict", "Warn"'
        causes.append(("fieldValidation", "FieldValueNotSupported", text))
    if causes:
        raise Invalid(f"{_OPTIONS[request.method]}Options", "", causes, "meta.k8s.io")
    manager = request.arg("fieldManager") or request.headers.get("user-agent", "unknown").partition("/")[0]
    return Call(manager[:_MANAGER], subresource, "dryRun" in request.query, validation or "Warn", user=request.user)


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


async def delete_options(request: Request) -> DeleteOptions:
    """From the body or the query."""
    data = await request.body()
    sent = body(data, request.headers.get("content-type", "")) if data.strip() else {}
    if not isinstance(sent, dict):
        raise BadRequest("DeleteOptions must be an object")
    conditions = sent.get("preconditions") or {}
    propagation = str(sent.get("propagationPolicy") or request.arg("propagationPolicy"))
    orphan = sent.get("orphanDependents")
    if orphan is not None and not propagation:
        propagation = "Orphan" if orphan else "Background"
    if propagation not in ("", "Orphan", "Background", "Foreground"):
        text = f'Unsupported value: "{propagation}": supported values: "Foreground", "Background", "Orphan", "nil"'
        raise refused_option(request, "propagationPolicy", "FieldValueNotSupported", text)
    grace = sent.get("gracePeriodSeconds")
    if grace is None and request.arg("gracePeriodSeconds"):
        grace = int(request.arg("gracePeriodSeconds"))
    if sent.get("dryRun"):
        request.query["dryRun"] = [str(value) for value in sent["dryRun"]]
    return DeleteOptions(propagation, grace, conditions.get("uid", ""), conditions.get("resourceVersion", ""))
