"""Answers as JSON. What is none, or none of Kubernetes', is the fault of what stands at the cluster's address, and said so.

A captive portal, a sign-in page or a proxy answers 200 with HTML, with a redirect or with JSON of its own.
"""

from typing import Any, TypeVar

import msgspec

from kube.errors import InvalidAnswer
from untrusted import json_bounds

T = TypeVar("T")
#: Every document of the API has a kind, but for /version.
_MARKS = ("kind", "gitVersion")


def decode_as(body: bytes, kind: type[T], ref: str = "") -> T:
    """The answer as a msgspec.Struct. Raises InvalidAnswer."""
    try:
        return json_bounds.load_as(body, kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise invalid(body, error, ref) from error


def decode(body: bytes, ref: str = "") -> Any:
    """The answer as plain values. Raises InvalidAnswer."""
    try:
        return json_bounds.load(body)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise invalid(body, error, ref) from error


def document(body: bytes, ref: str = "") -> dict[str, Any]:
    """The answer as an object, a list of objects, a Table or a Status. Raises InvalidAnswer."""
    found = decode(body, ref)
    if isinstance(found, dict) and any(mark in found for mark in _MARKS):
        return found
    raise invalid(body, "there is no kind in it", ref)


def invalid(body: bytes, why: object, ref: str = "") -> InvalidAnswer:
    """The error, with how the answer begins where that is text of a page."""
    page = body[:200].lstrip()[:9].lower().startswith((b"<!doctype", b"<html", b"<?xml"))
    reason = "it is a page for browsers" if page else str(why)
    return InvalidAnswer(
        f"What answers at the cluster's address isn't a Kubernetes API server{f' ({ref})' if ref else ''}: {reason}. "
        "A proxy or a sign-in page may answer in its place: check server and proxy-url in the kubeconfig.",
        object_ref=ref,
    )
