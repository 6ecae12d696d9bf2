"""The forms in which objects leave: whole lists as bytes, metadata only, the Status of a deletion."""

from __future__ import annotations

from . import listing
from .errors import NotAcceptable
from .negotiation import Wanted
from .objects import Object, at_version, decode, encode, prefix
from .resources import Resource


def check_shape(form: Wanted, resource: Resource, verb: str) -> None:
    """Metadata of one and of many are different shapes."""
    if verb == "watch" or (form.shape == "PartialObjectMetadataList") == (verb in ("list", "deletecollection")):
        return
    group = resource.group.partition(".")[0] or "core"
    if form.shape == "PartialObjectMetadataList":
        name = "unstructured.Unstructured" if resource.custom else f"{group}.{resource.kind}"
        raise NotAcceptable(f"you requested {form.shape}, but the requested object is not a list (*{name})")
    if form.shape == "PartialObjectMetadata":
        name = "unstructured.UnstructuredList" if resource.custom else f"{group}.{resource.collection_kind}"
        raise NotAcceptable(f"you requested {form.shape}, but the requested object is a list (*{name})")


def partial(data: bytes) -> bytes:
    metadata = decode(data)["metadata"]
    return encode({"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata})


def collection(resource: Resource, page: listing.ResultPage, metadata_only: bool) -> bytes:
    """A list as bytes: items of built-in kinds leave out kind and apiVersion, as the API server does."""
    metadata: Object = {"resourceVersion": str(page.version)}
    if resource.custom and not metadata_only:
        metadata["continue"] = ""
    if page.continue_:
        metadata["continue"] = page.continue_
    if page.remaining:
        metadata["remainingItemCount"] = page.remaining
    kind, api_version = resource.collection_kind, resource.api_version
    items = [at_version(entry, resource) for entry in page.entries]
    if metadata_only:
        kind, api_version = "PartialObjectMetadataList", "meta.k8s.io/v1"
        items = [partial(item) for item in items]
    elif not resource.custom:
        cut = len(prefix(resource.kind, resource.api_version))
        items = [b"{" + item[cut:] for item in items]
    head = encode({"kind": kind, "apiVersion": api_version, "metadata": metadata})[:-1]
    return head + b',"items":[' + b",".join(items) + b"]}"


def deleted(resource: Resource, obj: Object) -> Object:
    """The Status of a deletion that is done."""
    details = {"name": obj["metadata"]["name"], "kind": resource.plural, "uid": obj["metadata"]["uid"]}
    if resource.group:
        details = {"name": details["name"], "group": resource.group, "kind": resource.plural, "uid": details["uid"]}
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}
