"""What may be in metadata: names, labels, annotations, finalizers, owners (apimachinery/pkg/api/validation)."""

from __future__ import annotations

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
        causes += _name_causes(metadata.get("name", ""), names)
    causes += shape_causes(metadata, "metadata")
    strict = not resource.custom and resource.group != "apiextensions.k8s.io"
    for index, finalizer in enumerate(metadata.get("finalizers") or []):
        causes += _finalizer_name(f"metadata.finalizers[{index}]", str(finalizer), strict)
    if old is not None and dig(old, "metadata", "deletionTimestamp"):
        causes += _finalizer_causes(metadata, old["metadata"])
    for index, owner in enumerate(metadata.get("ownerReferences") or []):
        for name in ("apiVersion", "kind", "name", "uid"):
            if not owner.get(name):
                causes.append(
                    Cause(
                        f"metadata.ownerReferences[{index}].{name}",
                        "FieldValueInvalid",
                        f'Invalid value: "": {name} must not be empty',
                    )
                )
    return causes


def shape_causes(metadata: Object, path: str) -> list[Cause]:
    """What is wrong with labels and annotations, of an object or of one inside another."""
    causes: list[Cause] = []
    for key, value in (metadata.get("labels") or {}).items():
        causes += _label_causes(f"{path}.labels", key, value)
    annotations = metadata.get("annotations") or {}
    for key in annotations:
        causes += _key_causes(f"{path}.annotations", key.lower())
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


def _finalizer_name(field: str, name: str, strict: bool) -> list[Cause]:
    causes = _key_causes(field, name)
    if strict and not causes and "/" not in name and name not in ("orphan", "foregroundDeletion", "kubernetes"):
        causes.append(_invalid(field, name, "name is neither a standard finalizer name nor is it fully qualified"))
    return causes


def _finalizer_causes(metadata: Object, stored: Object) -> list[Cause]:
    added = [name for name in metadata.get("finalizers") or [] if name not in (stored.get("finalizers") or [])]
    if not added:
        return []
    listed = ", ".join(f'"{name}"' for name in added)
    text = "Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"
    return [Cause("metadata.finalizers", "FieldValueForbidden", text + listed + "}")]


def _name_causes(name: str, names: str) -> list[Cause]:
    limit = 253 if names == "subdomain" else 63
    if names == "path":
        bad = "/" in name or "%" in name or name in (".", "..")
        return [_invalid("metadata.name", name, "may not contain '/' or '%'")] if bad else []
    pattern, text = {
        "subdomain": (_DNS_SUBDOMAIN, _SUBDOMAIN_TEXT),
        "label": (_DNS_LABEL, _LABEL_TEXT),
        "label1035": (_DNS_1035, _LABEL_1035_TEXT),
    }[names]
    causes = []
    if len(name) > limit:
        causes.append(_invalid("metadata.name", name, f"must be no more than {limit} bytes"))
    if not pattern.match(name):
        causes.append(_invalid("metadata.name", name, text))
    return causes


def _invalid(field: str, value: str, text: str) -> Cause:
    return Cause(field, "FieldValueInvalid", f'Invalid value: "{value}": {text}')


def _key_causes(field: str, key: str) -> list[Cause]:
    prefix, slash, name = key.rpartition("/")
    causes = []
    if "/" in prefix:
        return [_invalid(field, key, _KEY_TEXT)]
    if slash and not _DNS_SUBDOMAIN.match(prefix):
        causes.append(_invalid(field, key, f"prefix part {_SUBDOMAIN_TEXT}"))
    if not name:
        causes.append(_invalid(field, key, "name part must be non-empty"))
    elif len(name) > 63:
        causes.append(_invalid(field, key, "name part must be no more than 63 bytes"))
    elif not _QUALIFIED.match(name):
        causes.append(_invalid(field, key, _QUALIFIED_TEXT))
    return causes


def _label_causes(field: str, key: str, value: Any) -> list[Cause]:
    causes = _key_causes(field, key)
    text = str(value)
    if len(text) > 63:
        causes.append(_invalid(field, text, "must be no more than 63 bytes"))
    elif not _LABEL_VALUE.match(text):
        causes.append(_invalid(field, text, _VALUE_TEXT))
    return causes
