"""Decodes answers as JSON. Anything else, or JSON that isn't Kubernetes', is reported as a fault of the server at
the cluster's address.

A captive portal, a sign-in page or a proxy answers 200 with HTML, with a redirect or with JSON of its own.
"""

import contextlib
from typing import Any, TypeVar

import msgspec

from kube import limits
from kube.errors import InvalidAnswer, TooDeepAnswer
from untrusted import json_bounds

T = TypeVar("T")
#: Every document of the API has a kind, but for /version.
_MARKS = ("kind", "gitVersion")
#: From a list to what may be left out of it: rows, row, object, metadata, managedFields.
_LEVELS_OF_LIST = 5

_TOO_DEEP = "{ref} has more than {levels} levels of lists and mappings: too deep for the console."


def decode_as(body: bytes, kind: type[T], ref: str = "") -> T:
    """The answer as a msgspec.Struct. Raises InvalidAnswer."""
    try:
        return json_bounds.load_as(body, kind)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise invalid(body, error, ref) from error


def decode(body: bytes, ref: str = "") -> Any:
    """The answer as plain values.

    Raises InvalidAnswer; TooDeepAnswer where the API server sent an object past ANSWER_LEVELS.
    """
    try:
        return json_bounds.load(body, limits.ANSWER_LEVELS.value)
    except json_bounds.TooDeep as error:
        raise TooDeepAnswer(_TOO_DEEP.format(ref=ref or "an object", levels=limits.ANSWER_LEVELS.value)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise invalid(body, error, ref) from error


def document(body: bytes, ref: str = "") -> dict[str, Any]:
    """The answer as an object, a list of objects, a Table or a Status. Raises InvalidAnswer."""
    found = decode(body, ref)
    if isinstance(found, dict) and any(mark in found for mark in _MARKS):
        return found
    raise invalid(body, "there is no kind in it", ref)


def listed(body: bytes, ref: str = "") -> dict[str, Any]:
    """The same of a Table, which is shown and never written back.

    An object that is too deep lacks its deep fields and keeps its row, so that one object makes no list unreadable.
    Raises InvalidAnswer.
    """
    try:
        return document(body, ref)
    except TooDeepAnswer:
        try:
            shallow = msgspec.json.encode(_shallow(body, _LEVELS_OF_LIST))
        except (json_bounds.TooDeep, msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            raise invalid(body, error, ref) from error
        return document(shallow, ref)


def _shallow(raw: msgspec.Raw | bytes, levels: int) -> Any:
    """The value, without what is too deep in the outer `levels` of it. Raises TooDeep where nothing is left."""
    try:
        return json_bounds.load(bytes(raw), limits.ANSWER_LEVELS.value - _LEVELS_OF_LIST)
    except json_bounds.TooDeep:
        if not levels:
            raise
    parts = msgspec.json.decode(raw, type=dict[str, msgspec.Raw] | list[msgspec.Raw])
    found: list[tuple[Any, Any]] = []
    for key, part in parts.items() if isinstance(parts, dict) else enumerate(parts):
        with contextlib.suppress(json_bounds.TooDeep):
            found.append((key, _shallow(part, levels - 1)))
    return dict(found) if isinstance(parts, dict) else [value for _key, value in found]


def invalid(body: bytes, why: object, ref: str = "") -> InvalidAnswer:
    """The error, with how the answer begins where that is text of a page."""
    page = body[:200].lstrip()[:9].lower().startswith((b"<!doctype", b"<html", b"<?xml"))
    reason = "it is a page for browsers" if page else str(why)
    return InvalidAnswer(
        f"What answers at the cluster's address isn't a Kubernetes API server{f' ({ref})' if ref else ''}: {reason}. "
        "A proxy or a sign-in page may answer in its place: check server and proxy-url in the kubeconfig.",
        object_ref=ref,
    )
