"""What may be in metadata: names, labels, annotations, finalizers, owners (apimachinery/pkg/api/validation)."""

from __future__ import annotations

import json
import re
from typing import Any

from .errors import Cause
from .objects import Object, dig
from .resources import Resource

_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS_LABEL = re.compile(f"^{_LABEL}$")
_DNS_SUBDOMAIN = re.compile(rf"^{_LABEL}(\.{_LABEL})*$")
_DNS_1035 = re.compile(r"^[a-z]([-a-z0-9]*[a-z0-9])?$")
_QUALIFIED = re.compile(r"^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$")
_LABEL_VALUE = re.compile(r"^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$")

_SUBDOMAIN_TEXT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_LABEL_TEXT = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
_LABEL_1035_TEXT = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')"
)
_QUALIFIED_TEXT = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_KEY_TEXT = (
    "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. "
    "'example.com/MyName')"
)
_VALUE_TEXT = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
ANNOTATIONS_LIMIT = 256 * 1024


def causes_of(resource: Resource, obj: Object, old: Object | None, names: str) -> list[Cause]:
    """What is wrong with the metadata."""
    metadata = obj["metadata"]
    causes: list[Cause] = []
    if old is None:
        if prefix := str(metadata.get("generateName") or ""):
            masked = prefix[:-2] + "a" if len(prefix) > 1 and prefix.endswith("-") else prefix
            causes += _name_causes("metadata.generateName", masked, names, prefix)
        causes += _name_causes("metadata.name", str(metadata.get("name") or ""), names)
    causes += shape_causes(metadata, "metadata")
    causes += _owner_causes(metadata.get("ownerReferences") or [])
    strict = not resource.custom and resource.group != "apiextensions.k8s.io"
    for index, finalizer in enumerate(metadata.get("finalizers") or []):
        causes += _finalizer_name(index, str(finalizer), strict)
    if {"orphan", "foregroundDeletion"} <= set(metadata.get("finalizers") or []):
        text = "finalizer orphan and foregroundDeletion cannot be both set"
        causes.append(_invalid("metadata.finalizers", metadata["finalizers"], text))
    if old is not None and dig(old, "metadata", "deletionTimestamp"):
        causes += _finalizer_causes(metadata, old["metadata"])
    return causes


_OWNER_FIELDS = ("apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion")

_EMPTY = {"apiVersion": "version must not be empty"}


def _owner_causes(owners: list[Any]) -> list[Cause]:
    """Each whole, none of them an Event, one controller at most."""
    field = "metadata.ownerReferences"
    causes: list[Cause] = []
    controller = ""
    shown = [{name: owner[name] for name in _OWNER_FIELDS if name in owner} for owner in owners]
    for owner, whole in zip(owners, shown, strict=True):
        missing = [name for name in _OWNER_FIELDS[:4] if not owner.get(name)]
        causes += [_invalid(f"{field}.{name}", "", _EMPTY.get(name, "must not be empty")) for name in missing]
        if (owner.get("apiVersion"), owner.get("kind")) == ("v1", "Event"):
            causes.append(_invalid(field, whole, "/v1, Kind=Event is disallowed from being an owner"))
        if not owner.get("controller"):
            continue
        name = f"{owner.get('kind')}/{owner.get('name')}"
        if controller:
            text = f'Only one reference can have Controller set to true. Found "true" in references for {controller} and {name}'
            causes.append(_invalid(field, shown, text))
        controller = controller or name
    return causes


def shape_causes(metadata: Object, path: str) -> list[Cause]:
    """What is wrong with labels and annotations, of an object or of one inside another."""
    causes: list[Cause] = []
    for key, value in (metadata.get("labels") or {}).items():
        causes += _label_causes(f"{path}.labels", key, value)
    annotations = metadata.get("annotations") or {}
    for key in annotations:
        causes += _key_causes(f"{path}.annotations", key.lower(), key)
    if sum(len(key) + len(str(value)) for key, value in annotations.items()) > ANNOTATIONS_LIMIT:
        causes.append(
            Cause(
                f"{path}.annotations", "FieldValueTooLong", f"Too long: may not be more than {ANNOTATIONS_LIMIT} bytes"
            )
        )
    return causes


def finalizer_warnings(resource: Resource, obj: Object) -> list[str]:
    """Custom resources may have finalizers without a path, but are told not to."""
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


def _finalizer_name(index: int, name: str, strict: bool) -> list[Cause]:
    causes = _key_causes("metadata.finalizers", name)
    if strict and not causes and "/" not in name and name not in ("orphan", "foregroundDeletion", "kubernetes"):
        causes.append(
            _invalid(
                f"metadata.finalizers[{index}]",
                name,
                "name is neither a standard finalizer name nor is it fully qualified",
            )
        )
    return causes


def _finalizer_causes(metadata: Object, stored: Object) -> list[Cause]:
    added = [name for name in metadata.get("finalizers") or [] if name not in (stored.get("finalizers") or [])]
    if not added:
        return []
    listed = ", ".join(f'"{name}"' for name in added)
    text = "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"
    return [Cause("metadata.finalizers", "FieldValueForbidden", text + listed + "}")]


def _name_causes(field: str, name: str, names: str, shown: str = "") -> list[Cause]:
    """``shown``: what the value was before it was made comparable."""
    shown = shown or name
    if not name:
        return [Cause(field, "FieldValueRequired", "Required value: name or generateName is required")]
    limit = 253 if names == "subdomain" else 63
    if names == "path":
        if name in (".", ".."):
            return [_invalid(field, shown, f"may not be '{name}'")]
        return [_invalid(field, shown, f"may not contain '{char}'") for char in "/%" if char in name]
    pattern, text = {
        "subdomain": (_DNS_SUBDOMAIN, _SUBDOMAIN_TEXT),
        "label": (_DNS_LABEL, _LABEL_TEXT),
        "label1035": (_DNS_1035, _LABEL_1035_TEXT),
    }[names]
    causes = []
    if len(name) > limit:
        unit = "bytes" if names == "label1035" else "characters"
        causes.append(_invalid(field, shown, f"must be no more than {limit} {unit}"))
    if not pattern.match(name):
        dotted = names == "label" and _DNS_SUBDOMAIN.match(name)
        causes.append(_invalid(field, shown, "must not contain dots" if dotted else text))
    return causes


def _invalid(field: str, value: Any, text: str) -> Cause:
    shown = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return Cause(field, "FieldValueInvalid", f"Invalid value: {shown}: {text}")


def _key_causes(field: str, key: str, shown: str = "") -> list[Cause]:
    """``shown``: the key as it was given."""
    return [_invalid(field, shown or key, fault) for fault in qualified_name_faults(key)]


def qualified_name_faults(key: str) -> list[str]:
    """What is wrong with a label's key (apimachinery IsQualifiedName)."""
    prefix, slash, name = key.rpartition("/")
    if "/" in prefix:
        return [_KEY_TEXT]
    faults = []
    if slash and not prefix:
        faults.append("prefix part must be non-empty")
    elif slash:
        if len(prefix) > 253:
            faults.append("prefix part must be no more than 253 bytes")
        if not _DNS_SUBDOMAIN.match(prefix):
            faults.append(f"prefix part {_SUBDOMAIN_TEXT}")
    if not name:
        faults.append("name part must be non-empty")
    elif len(name) > 63:
        faults.append("name part must be no more than 63 bytes")
    if not _QUALIFIED.match(name):
        faults.append(_QUALIFIED_TEXT)
    return faults


def label_value_faults(value: str) -> list[str]:
    """What is wrong with a label's value (apimachinery IsValidLabelValue)."""
    faults = ["must be no more than 63 bytes"] if len(value) > 63 else []
    return faults if _LABEL_VALUE.match(value) else [*faults, _VALUE_TEXT]


def _label_causes(field: str, key: str, value: Any) -> list[Cause]:
    return _key_causes(field, key) + [_invalid(field, str(value), fault) for fault in label_value_faults(str(value))]
