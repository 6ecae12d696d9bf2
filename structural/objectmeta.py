"""The types of metadata's fields, refused in the words of Go's decoder (apimachinery pkg/apis/meta/v1 ObjectMeta)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .causes import Fault, Place

_MAPS = ("labels", "annotations")
_TEXTS = ("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion")
_NUMBERS = ("generation", "deletionGracePeriodSeconds")
_TIMES = ("creationTimestamp", "deletionTimestamp")
_OWNER = ("apiVersion", "kind", "name", "uid")
_OWNER_FLAGS = ("controller", "blockOwnerDeletion")


def type_faults(metadata: Any, place: Place = ("metadata",), inside: str = "") -> Iterator[Fault]:
    """The fields of a wrong type, as Go says it of the first.

    ``inside`` is ``metadata.`` where Go decodes whole objects.
    """
    if not isinstance(metadata, dict):
        yield Fault(place, f"json: cannot unmarshal {_go(metadata)} into Go value of type v1.ObjectMeta")
        return
    for name, value in metadata.items():
        at = (*place, name)
        wrong = list(_unexpected(name, value))
        for wanted, given, where in wrong:
            text = (
                f"json: cannot unmarshal {_go(given)} into Go struct field ObjectMeta.{inside}{name} of type {wanted}"
            )
            yield Fault((*at, *where), text)
        if name in _TIMES and isinstance(value, str) and not value[:4].isdigit():
            yield Fault(at, f'parsing time "{value}" as "2006-01-02T15:04:05Z07:00": cannot parse "{value}" as "2006"')
        if name == "ownerReferences" and not wrong:
            for index, owner in enumerate(value or []):
                yield from _owner_faults(owner, (*at, index), inside)


def _unexpected(name: str, value: Any) -> Iterator[tuple[str, Any, Place]]:
    """(Go's type, the value that is not of it, where below the field) of what Go would not take."""
    if value is None:
        return
    if name in _MAPS:
        yield from _container(value, dict, "map[string]string", value.items() if isinstance(value, dict) else ())
    elif name == "finalizers":
        yield from _container(value, list, "[]string", enumerate(value) if isinstance(value, list) else ())
    elif name == "ownerReferences" and not isinstance(value, list):
        yield "[]v1.OwnerReference", value, ()
    elif name in _TEXTS and not isinstance(value, str):
        yield ("types.UID" if name == "uid" else "string"), value, ()
    elif name in _NUMBERS and (not isinstance(value, int) or isinstance(value, bool)):
        yield "int64", value, ()


def _container(
    value: Any, kind: type, shown: str, entries: Iterable[tuple[str | int, Any]]
) -> Iterator[tuple[str, Any, Place]]:
    if not isinstance(value, kind):
        yield shown, value, ()
    for key, item in entries:
        if item is not None and not isinstance(item, str):
            yield "string", item, (key,)


def _owner_faults(owner: Any, place: Place, inside: str) -> Iterator[Fault]:
    if not isinstance(owner, dict):
        where = f"ObjectMeta.{inside}ownerReferences of type v1.OwnerReference"
        yield Fault(place, f"json: cannot unmarshal {_go(owner)} into Go struct field {where}")
        return
    for name in (*_OWNER, *_OWNER_FLAGS):
        value = owner.get(name)
        wanted = bool if name in _OWNER_FLAGS else str
        if value is not None and not isinstance(value, wanted):
            kind = "types.UID" if name == "uid" else "bool" if wanted is bool else "string"
            where = f"OwnerReference.{inside}ownerReferences.{name} of type {kind}"
            yield Fault((*place, name), f"json: cannot unmarshal {_go(value)} into Go struct field {where}")


def _go(value: Any) -> str:
    """Go's name for a JSON value of this type."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        return "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"
