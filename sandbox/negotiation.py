"""Content negotiation: Accept and Content-Type."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import NotAcceptable

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"
PATCHES = (JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY_PATCH)
#: The media types of objects.
OFFERED = "application/json, application/yaml, application/vnd.kubernetes.protobuf"
_STREAMED = f"{OFFERED}, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"
_MEDIA = frozenset(OFFERED.split(", "))
#: Those that are really written here; protobuf is only understood.
_WRITTEN = ("application/json", "application/yaml")
_SHAPES = ("Table", "PartialObjectMetadata", "PartialObjectMetadataList")


@dataclass(frozen=True, slots=True)
class Wanted:
    """``shape``: empty for plain objects, ``Table``, ``PartialObjectMetadata`` or ``PartialObjectMetadataList``."""

    shape: str = ""
    yaml: bool = False


def media_type(content_type: str) -> str:
    """Without parameters, lower case."""
    return content_type.partition(";")[0].strip().lower()


def _clauses(accept: str) -> list[tuple[str, dict[str, str]]]:
    """(media type, parameters) of an Accept header, those of the highest quality first."""
    found = []
    for part in accept.split(","):
        media, *parameters = (piece.strip() for piece in part.split(";"))
        options = dict(piece.split("=", 1) for piece in parameters if "=" in piece)
        try:
            quality = float(options.pop("q", "1"))
        except ValueError:
            quality = 1.0
        found.append((-quality, media.lower(), options))
    return [(media, options) for _, media, options in sorted(found, key=lambda clause: clause[0])]


def wanted(accept: str, custom: bool = False, many: bool = False) -> Wanted:
    """The best form in an Accept header that can be served; NotAcceptable when there is none.

    For built-in kinds two layers check it: the routes, by media type only, and then the serializers, as for custom
    ones. ``many``: a list, which may be watched.
    """
    if not accept:
        return Wanted()
    clauses = _clauses(accept)
    if not custom and not any(media in _MEDIA or media == "*/*" for media, _ in clauses):
        raise NotAcceptable(f"406: Not Acceptable\n\nAvailable representations: {_STREAMED if many else OFFERED}", {})
    for media, options in clauses:
        written = next((served for served in _WRITTEN if media in (served, "application/*", "*/*")), "")
        if written and (found := _form(written, options)) is not None:
            return found
    raise NotAcceptable(f"only the following media types are accepted: {OFFERED}")


def _form(media: str, options: dict[str, str]) -> Wanted | None:
    shape, yaml = options.get("as", ""), media == "application/yaml"
    if shape in _SHAPES:
        fits = options.get("g") == "meta.k8s.io" and options.get("v") == "v1"
        return Wanted(shape, yaml) if fits else None
    return Wanted(yaml=yaml) if not shape or shape.startswith("APIGroupDiscovery") else None


def wants_yaml(accept: str) -> bool:
    """Whether a response other than an object (a Status) is written as YAML too."""
    try:
        return wanted(accept, custom=True).yaml
    except NotAcceptable:
        return False
