"""Names, labels and annotations: what may be in them (apimachinery pkg/api/validation and pkg/util/validation)."""

from __future__ import annotations

import json
import re
from typing import Any

from .causes import FieldCause

_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS_LABEL = re.compile(_LABEL)
_DNS_SUBDOMAIN = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_DNS_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_QUALIFIED = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_LABEL_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")

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


def given_names(metadata: dict[str, Any], names: str) -> list[FieldCause]:
    """Causes for an invalid name or generateName of a new object. ``names``: subdomain, label, label1035 or path."""
    causes: list[FieldCause] = []
    if prefix := str(metadata.get("generateName") or ""):
        masked = prefix[:-2] + "a" if len(prefix) > 1 and prefix.endswith("-") else prefix
        causes += name_causes("metadata.generateName", masked, names, prefix)
    return causes + name_causes("metadata.name", str(metadata.get("name") or ""), names)


def shape_causes(metadata: dict[str, Any], path: str) -> list[FieldCause]:
    """Causes for invalid labels and annotations, of an object or an embedded one."""
    causes: list[FieldCause] = []
    for key, value in (metadata.get("labels") or {}).items():
        causes += _label_causes(f"{path}.labels", key, value)
    annotations = metadata.get("annotations") or {}
    for key in annotations:
        causes += key_causes(f"{path}.annotations", key.lower(), key)
    if sum(len(key) + len(str(value)) for key, value in annotations.items()) > ANNOTATIONS_LIMIT:
        causes.append(
            FieldCause(
                f"{path}.annotations", "FieldValueTooLong", f"Too long: may not be more than {ANNOTATIONS_LIMIT} bytes"
            )
        )
    return causes


def name_causes(field: str, name: str, names: str, shown: str = "") -> list[FieldCause]:
    """``shown``: what the value was before it was made comparable."""
    shown = shown or name
    if not name:
        return [FieldCause(field, "FieldValueRequired", "Required value: name or generateName is required")]
    limit = 253 if names == "subdomain" else 63
    if names == "path":
        if name in (".", ".."):
            return [invalid(field, shown, f"may not be '{name}'")]
        return [invalid(field, shown, f"may not contain '{char}'") for char in "/%" if char in name]
    pattern, text = {
        "subdomain": (_DNS_SUBDOMAIN, _SUBDOMAIN_TEXT),
        "label": (_DNS_LABEL, _LABEL_TEXT),
        "label1035": (_DNS_1035, _LABEL_1035_TEXT),
    }[names]
    causes = []
    if len(name) > limit:
        unit = "bytes" if names == "label1035" else "characters"
        causes.append(invalid(field, shown, f"must be no more than {limit} {unit}"))
    if not pattern.fullmatch(name):
        dotted = names == "label" and _DNS_SUBDOMAIN.fullmatch(name)
        causes.append(invalid(field, shown, "must not contain dots" if dotted else text))
    return causes


def invalid(field: str, value: Any, text: str) -> FieldCause:
    shown = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return FieldCause(field, "FieldValueInvalid", f"Invalid value: {shown}: {text}")


def key_causes(field: str, key: str, shown: str = "") -> list[FieldCause]:
    """``shown``: the key as it was given."""
    return [invalid(field, shown or key, fault) for fault in qualified_name_faults(key)]


def qualified_name_faults(key: str) -> list[str]:
    """The faults of a label's key (apimachinery IsQualifiedName)."""
    prefix, slash, name = key.rpartition("/")
    if "/" in prefix:
        return [_KEY_TEXT]
    faults = []
    if slash and not prefix:
        faults.append("prefix part must be non-empty")
    elif slash:
        if len(prefix) > 253:
            faults.append("prefix part must be no more than 253 bytes")
        if not _DNS_SUBDOMAIN.fullmatch(prefix):
            faults.append(f"prefix part {_SUBDOMAIN_TEXT}")
    if not name:
        faults.append("name part must be non-empty")
    elif len(name) > 63:
        faults.append("name part must be no more than 63 bytes")
    if not _QUALIFIED.fullmatch(name):
        faults.append(_QUALIFIED_TEXT)
    return faults


def label_value_faults(value: str) -> list[str]:
    """The faults of a label's value (apimachinery IsValidLabelValue)."""
    faults = ["must be no more than 63 bytes"] if len(value) > 63 else []
    return faults if _LABEL_VALUE.fullmatch(value) else [*faults, _VALUE_TEXT]


def _label_causes(field: str, key: str, value: Any) -> list[FieldCause]:
    return key_causes(field, key) + [invalid(field, str(value), fault) for fault in label_value_faults(str(value))]
