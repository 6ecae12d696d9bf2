"""What the client wants back (Accept) and what it sends (Content-Type)."""

from __future__ import annotations

import json
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
#: Bodies up to this size are searched for keys that come twice.
DUPLICATES_LIMIT = 512 * 1024
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


def duplicates(data: bytes, content_type: str) -> tuple[str, ...]:
    """``duplicate field "a.b"`` for each key that a JSON body has twice in one object. Larger bodies are not looked at."""
    if media_type(content_type) not in ("application/json", MERGE_PATCH) or len(data) > DUPLICATES_LIMIT:
        return ()
    twice: list[tuple[int, str]] = []

    def gather(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            names = [name for name, _ in pairs]
            twice.extend((id(found), name) for name in dict.fromkeys(names) if names.count(name) > 1)
            kept.append(found)
        return found

    kept: list[dict[str, Any]] = []
    try:
        obj = json.loads(data, object_pairs_hook=gather)
    except ValueError:
        return ()
    return tuple(f'duplicate field "{path}"' for path in _paths(obj, "", twice)) if twice else ()


def _paths(value: Any, path: str, twice: list[tuple[int, str]]) -> list[str]:
    found: list[str] = []
    if isinstance(value, dict):
        found = [f"{path}.{name}".lstrip(".") for owner, name in twice if owner == id(value)]
        for key, item in value.items():
            found += _paths(item, f"{path}.{key}", twice)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            found += _paths(item, f"{path}[{index}]", twice)
    return found


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
