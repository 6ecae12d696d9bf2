"""Validation of metadata: names, labels, annotations, finalizers, owners (apimachinery/pkg/api/validation)."""

from __future__ import annotations

from typing import Any

from structural.causes import FieldCause
from structural.metadata import given_names, invalid, key_causes, shape_causes

from .objects import Object, dig
from .resources import Resource


def causes_of(resource: Resource, obj: Object, old: Object | None, names: str) -> list[FieldCause]:
    """The causes for invalid metadata."""
    metadata = obj["metadata"]
    causes: list[FieldCause] = []
    if old is None:
        causes += given_names(metadata, names)
    causes += shape_causes(metadata, "metadata")
    causes += _owner_causes(metadata.get("ownerReferences") or [])
    strict = not resource.custom and resource.group != "apiextensions.k8s.io"
    for index, finalizer in enumerate(metadata.get("finalizers") or []):
        causes += _finalizer_name(index, str(finalizer), strict)
    if {"orphan", "foregroundDeletion"} <= set(metadata.get("finalizers") or []):
        text = "finalizer orphan and foregroundDeletion cannot be both set"
        causes.append(invalid("metadata.finalizers", metadata["finalizers"], text))
    if old is not None and dig(old, "metadata", "deletionTimestamp"):
        causes += _finalizer_causes(metadata, old["metadata"])
    return causes


_OWNER_FIELDS = ("apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion")

_EMPTY = {"apiVersion": "version must not be empty"}


def _owner_causes(owners: list[Any]) -> list[FieldCause]:
    """Each whole, none of them an Event, one controller at most."""
    field = "metadata.ownerReferences"
    causes: list[FieldCause] = []
    controller = ""
    shown = [{name: owner[name] for name in _OWNER_FIELDS if name in owner} for owner in owners]
    for owner, whole in zip(owners, shown, strict=True):
        missing = [name for name in _OWNER_FIELDS[:4] if not owner.get(name)]
        causes += [invalid(f"{field}.{name}", "", _EMPTY.get(name, "must not be empty")) for name in missing]
        if (owner.get("apiVersion"), owner.get("kind")) == ("v1", "Event"):
            causes.append(invalid(field, whole, "/v1, Kind=Event is disallowed from being an owner"))
        if not owner.get("controller"):
            continue
        name = f"{owner.get('kind')}/{owner.get('name')}"
        if controller:
            text = (
                f'Only one reference can have Controller set to true. Found "true" in references for {controller} and'
                f" {name}"
            )
            causes.append(invalid(field, shown, text))
        controller = controller or name
    return causes


def finalizer_warnings(resource: Resource, obj: Object) -> list[str]:
    """Custom resources can have finalizers without a path, with a warning."""
    if not resource.custom:
        return []
    end = "to avoid accidental conflicts with other finalizer writers"
    names = obj["metadata"].get("finalizers") or []
    plain = [n for n in names if "/" not in n and n not in ("orphan", "foregroundDeletion", "kubernetes")]
    path = " including a path (/)"
    return [
        f'metadata.finalizers: "{name}": prefer a domain-qualified finalizer name{path if "." in name else ""} {end}'
        for name in plain
    ]


def _finalizer_name(index: int, name: str, strict: bool) -> list[FieldCause]:
    causes = key_causes("metadata.finalizers", name)
    if strict and not causes and "/" not in name and name not in ("orphan", "foregroundDeletion", "kubernetes"):
        causes.append(
            invalid(
                f"metadata.finalizers[{index}]",
                name,
                "name is neither a standard finalizer name nor is it fully qualified",
            )
        )
    return causes


def _finalizer_causes(metadata: Object, stored: Object) -> list[FieldCause]:
    added = [name for name in metadata.get("finalizers") or [] if name not in (stored.get("finalizers") or [])]
    if not added:
        return []
    listed = ", ".join(f'"{name}"' for name in added)
    text = "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"
    return [FieldCause("metadata.finalizers", "FieldValueForbidden", text + listed + "}")]
