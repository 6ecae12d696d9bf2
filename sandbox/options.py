"""What a request says beside its object: DeleteOptions, and the patch as a function."""

from __future__ import annotations

from collections.abc import Callable

from .errors import BadRequest, Invalid, UnsupportedMediaType
from .http import Request
from .negotiation import (
    JSON_PATCH,
    MERGE_PATCH,
    PATCHES,
    STRATEGIC_PATCH,
    body,
    from_json,
    from_yaml,
)
from .objects import Object
from .patching import json_patch, merge_patch, strategic_patch
from .resources import Resource
from .verbs import DeleteOptions

Change = Callable[[Object], Object]


def scale_patch(media: str, data: bytes) -> Change:
    """The patch of a Scale, whose fields have no lists."""
    operations = from_yaml(data)
    if media == JSON_PATCH:
        return lambda old: json_patch(old, operations)
    return lambda old: merge_patch(old, operations)


def patch_of(resource: Resource, media: str, data: bytes) -> Change:
    """A patch as a function. UnsupportedMediaType says which there are."""
    if media == STRATEGIC_PATCH and not resource.custom:
        patch = from_json(data)
        return lambda old: strategic_patch(old, patch)
    if media == MERGE_PATCH:
        patch = from_json(data)
        if not isinstance(patch, dict):
            raise BadRequest(
                "error decoding patch: json: cannot unmarshal into Go value of type map[string]interface {}"
            )
        return lambda old: merge_patch(old, patch)
    if media == JSON_PATCH:
        patch = from_json(data)
        return lambda old: json_patch(old, patch)
    if media not in PATCHES:
        raise UnsupportedMediaType("415: Unsupported Media Type", {})
    offered = [name for name in PATCHES if not (resource.custom and name == STRATEGIC_PATCH)]
    raise UnsupportedMediaType(
        "the body of the request was in an unknown format - accepted media types include: " + ", ".join(offered)
    )


def refused_option(request: Request, field: str, reason: str, text: str) -> Invalid:
    """422 about a query parameter or option."""
    kind = {"POST": "Create", "PUT": "Update", "PATCH": "Patch", "DELETE": "Delete"}[request.method]
    return Invalid(f"{kind}Options", "", [(field, reason, text)], "meta.k8s.io")


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
        request.query.setdefault("dryRun", ["All"])
    return DeleteOptions(propagation, grace, conditions.get("uid", ""), conditions.get("resourceVersion", ""))
