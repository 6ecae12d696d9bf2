"""What the client wants back (Accept) and what it sends (Content-Type)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
import yaml

from .errors import BadRequest, NotAcceptable, UnsupportedMediaType
from .protobuf import MAGIC, decode_protobuf

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
PATCHES = (JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY_PATCH)
_READABLE = ("application/json", "application/yaml", "application/vnd.kubernetes.protobuf", "application/cbor")
_OFFERED = "application/json, application/yaml, application/vnd.kubernetes.protobuf"


@dataclass(frozen=True, slots=True)
class Wanted:
    """``shape``: empty for plain objects, ``Table``, ``PartialObjectMetadata`` or ``PartialObjectMetadataList``."""

    shape: str = ""
    yaml: bool = False


def wanted(accept: str) -> Wanted:
    """The first form in an Accept header that can be served; NotAcceptable when there is none."""
    if not accept:
        return Wanted()
    for part in accept.split(","):
        media, *parameters = (piece.strip() for piece in part.split(";"))
        options = dict(piece.split("=", 1) for piece in parameters if "=" in piece)
        shape = options.get("as", "")
        if media in ("application/json", "application/*", "*/*", "application/yaml"):
            if shape in ("Table", "PartialObjectMetadata", "PartialObjectMetadataList"):
                if options.get("g", "meta.k8s.io") == "meta.k8s.io" and options.get("v", "v1") == "v1":
                    return Wanted(shape)
            elif not shape or shape.startswith("APIGroupDiscovery"):
                return Wanted(yaml=media == "application/yaml")
    raise NotAcceptable(
        f"406: Not Acceptable\n\nAvailable representations: {_OFFERED}, application/json;stream=watch, "
        "application/vnd.kubernetes.protobuf;stream=watch",
        {},
    )


def media_type(content_type: str) -> str:
    """Without parameters, lower case."""
    return content_type.partition(";")[0].strip().lower()


def body(data: bytes, content_type: str, kind: str = "object") -> Any:
    """The object of a create or update. BadRequest when it cannot be read, UnsupportedMediaType for other types."""
    media = media_type(content_type) or "application/json"
    if data.startswith(MAGIC):
        return decode_protobuf(data)
    if media == "application/yaml":
        return from_yaml(data, kind)
    if media not in ("application/json", "text/plain", "application/x-www-form-urlencoded"):
        raise UnsupportedMediaType(
            f"the body of the request was in an unknown format - accepted media types include: {_OFFERED}"
        )
    return from_json(data, kind)


def from_json(data: bytes, kind: str = "object") -> Any:
    """BadRequest when it is none."""
    try:
        return msgspec.json.decode(data)
    except msgspec.DecodeError as problem:
        text = str(problem)
        if "truncated" in text:
            text = "unexpected end of JSON input"
        shown = data[:64].decode(errors="replace")
        raise BadRequest(
            f"the object provided is unrecognized (must be of type {kind}): couldn't get version/kind; json parse error: "
            f"{text} ({shown})"
        ) from None


def from_yaml(data: bytes, kind: str = "object") -> Any:
    """BadRequest when it is none. JSON is YAML too."""
    if data[:1] in (b"{", b"["):
        return from_json(data, kind)
    try:
        return _plain(yaml.load(data, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))  # noqa: S506
    except yaml.YAMLError as problem:
        text = getattr(problem, "problem", None) or str(problem)
        raise BadRequest(f"the object provided is unrecognized (must be of type {kind}): yaml: {text}") from None


def _plain(value: Any) -> Any:
    """YAML's dates become the text they were, keys become strings."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
