"""Kubernetes objects as the sandbox keeps them: JSON bytes that begin with kind and apiVersion.

That fixed beginning lets a list leave it out and another version of a CRD put its own there, without decoding.
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from typing import Any

import msgspec

from .conversion import to_core, to_events
from .resources import Resource
from .store import NO_LABELS, StoreEntry

Object = dict[str, Any]

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode

#: What kube-apiserver draws generated names from: no vowels, nothing that looks alike.
_NAME_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
MAX_GENERATED_BASE = 58


def encode(obj: Object) -> bytes:
    """Bytes with kind, apiVersion and metadata first."""
    ordered: Object = {"kind": obj.get("kind", ""), "apiVersion": obj.get("apiVersion", "")}
    ordered["metadata"] = obj.get("metadata") or {}
    for key, value in obj.items():
        if key not in ordered:
            ordered[key] = value
    return _encode(ordered)


def decode(data: bytes) -> Object:
    """A fresh object."""
    value = _decode(data)
    assert isinstance(value, dict)
    return value


def copy(value: Any) -> Any:
    """A private copy of JSON-like data (quicker than copy.deepcopy)."""
    if isinstance(value, dict):
        return {key: copy(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copy(item) for item in value]
    return value


# fmt: off
_METADATA_ORDER = (
    "name", "generateName", "namespace", "selfLink", "uid", "resourceVersion", "generation", "creationTimestamp",
    "deletionTimestamp", "deletionGracePeriodSeconds", "labels", "annotations", "ownerReferences", "finalizers",
    "managedFields",
)
# fmt: on


def in_order(resource: Resource, obj: Object) -> Object:
    """The object as a JSON patch of Go leaves it: keys sorted, metadata of built-in kinds still as the struct has
    it.
    """
    result: Object = {key: obj[key] for key in sorted(obj)} if not resource.custom else _sorted(obj)
    metadata = obj.get("metadata")
    if not resource.custom and isinstance(metadata, dict):
        first = [name for name in _METADATA_ORDER if name in metadata]
        result["metadata"] = {name: metadata[name] for name in dict.fromkeys([*first, *metadata])}
    return result


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def go_text(value: Any) -> str:
    """A value as Go's %v prints it: ``map[a:1 b:[x y]]``."""
    if isinstance(value, dict):
        return f"map[{' '.join(f'{key}:{go_text(value[key])}' for key in sorted(value))}]"
    if isinstance(value, list):
        return f"[{' '.join(map(go_text, value))}]"
    if value is None:
        return "<nil>"
    return str(value).lower() if isinstance(value, bool) else str(value)


def prefix(kind: str, api_version: str) -> bytes:
    """The first bytes of every object of this kind and version, with the comma."""
    return _encode({"kind": kind, "apiVersion": api_version})[:-1] + b","


def at_version(entry: StoreEntry, resource: Resource) -> bytes:
    """The entry's bytes in the version that ``resource`` serves."""
    if resource.converting is not None:
        resource.converting(resource.storage_api_version)
    if resource.reading is not None and (resource.reshaped or entry.version < resource.since):
        return resource.reading(resource, entry)
    if resource.shares:
        return encode(to_events(decode(entry.data)))
    if resource.api_version == resource.storage_api_version:
        return entry.data
    stored = prefix(resource.kind, resource.storage_api_version)
    return prefix(resource.kind, resource.api_version) + entry.data[len(stored) :]


def entry_of(resource: Resource, obj: Object, version: int) -> StoreEntry:
    """An entry; writes ``version`` into the object."""
    metadata = obj["metadata"]
    metadata["resourceVersion"] = str(version)
    labels = metadata.get("labels") or NO_LABELS
    stored = to_core(obj) if resource.shares else {**obj, "apiVersion": resource.storage_api_version}
    return StoreEntry(
        namespace=metadata.get("namespace", ""),
        name=metadata["name"],
        version=version,
        data=encode(stored),
        labels=dict(labels),
        uid=metadata.get("uid", ""),
    )


def now() -> str:
    """This second, as metav1.Time is written."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def now_micro() -> str:
    """Now, as metav1.MicroTime is written."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def parse_time(text: str) -> datetime | None:
    """A metav1.Time; None when the text isn't one."""
    try:
        return datetime.fromisoformat(text.replace("Z", "+00:00"))
    except (ValueError, AttributeError):
        return None


def generate_name(base: str) -> str:
    """``base`` (cut to 58 characters) and five random letters."""
    return base[:MAX_GENERATED_BASE] + "".join(secrets.choice(_NAME_LETTERS) for _ in range(5))


def dig(obj: Any, *path: str) -> Any:
    """The value at a path of keys, None where there is none."""
    for key in path:
        if not isinstance(obj, dict):
            return None
        obj = obj.get(key)
    return obj
