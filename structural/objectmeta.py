"""The types of metadata's fields, refused in the words of Go's decoder (apimachinery pkg/apis/meta/v1 ObjectMeta)."""

from __future__ import annotations

from typing import Any

_MAPS = ("labels", "annotations")
_TEXTS = ("name", "generateName", "namespace", "selfLink", "uid", "resourceVersion")
_NUMBERS = ("generation", "deletionGracePeriodSeconds")
_TIMES = ("creationTimestamp", "deletionTimestamp")
_OWNER = ("apiVersion", "kind", "name", "uid")
_OWNER_FLAGS = ("controller", "blockOwnerDeletion")


def type_fault(metadata: Any, inside: str = "") -> str:
    """The first field of a wrong type, as Go says it; empty when all fit. ``inside`` is ``metadata.`` where Go decodes whole objects."""
    if not isinstance(metadata, dict):
        return f"json: cannot unmarshal {_go(metadata)} into Go value of type v1.ObjectMeta"
    for name, value in metadata.items():
        wanted, given = _expected(name, value)
        if given is not None:
            return (
                f"json: cannot unmarshal {_go(given)} into Go struct field ObjectMeta.{inside}{name} of type {wanted}"
            )
        if name in _TIMES and isinstance(value, str) and not value[:4].isdigit():
            return f'parsing time "{value}" as "2006-01-02T15:04:05Z07:00": cannot parse "{value}" as "2006"'
        if name == "ownerReferences":
            for owner in value or []:
                if fault := _owner_fault(owner, inside):
                    return fault
    return ""


def _expected(name: str, value: Any) -> tuple[str, Any]:
    """(Go's type, the value that is not of it); None for a value that is."""
    if value is None:
        return "", None
    if name in _MAPS:
        return _container(value, dict, "map[string]string", value.values() if isinstance(value, dict) else ())
    if name == "finalizers":
        return _container(value, list, "[]string", value if isinstance(value, list) else ())
    if name == "ownerReferences":
        return ("[]v1.OwnerReference", None if isinstance(value, list) else value)
    if name in _TEXTS:
        return ("types.UID" if name == "uid" else "string", None if isinstance(value, str) else value)
    if name in _NUMBERS:
        fits = isinstance(value, int) and not isinstance(value, bool)
        return ("int64", None if fits else value)
    return "", None


def _container(value: Any, kind: type, shown: str, items: Any) -> tuple[str, Any]:
    if not isinstance(value, kind):
        return shown, value
    wrong = [item for item in items if item is not None and not isinstance(item, str)]
    return "string", wrong[0] if wrong else None


def _owner_fault(owner: Any, inside: str) -> str:
    if not isinstance(owner, dict):
        where = f"ObjectMeta.{inside}ownerReferences of type v1.OwnerReference"
        return f"json: cannot unmarshal {_go(owner)} into Go struct field {where}"
    for name in (*_OWNER, *_OWNER_FLAGS):
        value = owner.get(name)
        wanted = bool if name in _OWNER_FLAGS else str
        if value is not None and not isinstance(value, wanted):
            kind = "types.UID" if name == "uid" else "bool" if wanted is bool else "string"
            where = f"OwnerReference.{inside}ownerReferences.{name} of type {kind}"
            return f"json: cannot unmarshal {_go(value)} into Go struct field {where}"
    return ""


def _go(value: Any) -> str:
    """What Go calls a JSON value of this type."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        return "number"
    return "string" if isinstance(value, str) else "array" if isinstance(value, list) else "object"
