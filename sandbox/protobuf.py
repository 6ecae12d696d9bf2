"""Reads the protobuf bodies that ``kubectl create <generator>`` sends: nothing else here speaks protobuf.

A wire decoder driven by the field tables of protofields.py. Answers are always JSON, which kubectl accepts.
"""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from typing import Any

from .errors import UnsupportedMediaType
from .protofields import KINDS, MESSAGES

#: "k8s" and a zero byte, then a runtime.Unknown message.
MAGIC = b"k8s\x00"
#: Fields that are sent only when they were set, so that their zero means something. Other zeros mean "not set".
POINTERS = frozenset(
    (
        "replicas",
        "minReplicas",
        "completions",
        "parallelism",
        "backoffLimit",
        "backoffLimitPerIndex",
        "ttlSecondsAfterFinished",
        "terminationGracePeriodSeconds",
        "activeDeadlineSeconds",
        "gracePeriodSeconds",
        "successfulJobsHistoryLimit",
        "failedJobsHistoryLimit",
        "suspend",
        "immutable",
        "optional",
        "automountServiceAccountToken",
        "enableServiceLinks",
        "runAsUser",
        "runAsGroup",
        "fsGroup",
        "runAsNonRoot",
        "privileged",
        "readOnlyRootFilesystem",
        "allowPrivilegeEscalation",
        "defaultMode",
        "controller",
        "blockOwnerDeletion",
        "maxUnavailable",
        "minAvailable",
        "maxSurge",
        "orphanDependents",
    )
)


def decode_protobuf(data: bytes) -> dict[str, Any]:
    """The object as JSON would have it; UnsupportedMediaType for kinds without a table (kubectl then says why)."""
    envelope = _fields(data[len(MAGIC) :])
    type_meta = {number: value for number, _, value in _fields(envelope_value(envelope, 1))}
    api_version = bytes(type_meta.get(1, b"")).decode()
    kind = bytes(type_meta.get(2, b"")).decode()
    message = KINDS.get((api_version, kind))
    if message is None:
        raise UnsupportedMediaType(f"protobuf is not read for {kind} of {api_version}: send application/json")
    obj: dict[str, Any] = {"kind": kind, "apiVersion": api_version}
    obj.update(_message(envelope_value(envelope, 2), message))
    return obj


def envelope_value(fields: list[tuple[int, int, Any]], number: int) -> bytes:
    """The last bytes field with this number."""
    return next((bytes(value) for found, _, value in reversed(fields) if found == number), b"")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7


def _fields(data: bytes) -> list[tuple[int, int, Any]]:
    """(number, wire type, raw value) of each field."""
    found, at = [], 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire = tag >> 3, tag & 7
        value: Any
        if wire == 0:
            value, at = _varint(data, at)
        elif wire == 2:
            size, at = _varint(data, at)
            value, at = data[at : at + size], at + size
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
            value, at = int.from_bytes(data[at : at + size], "little"), at + size
        else:
            raise UnsupportedMediaType("the protobuf body is damaged: send application/json")
        found.append((number, wire, value))
    return found


def _message(data: bytes, name: str) -> dict[str, Any]:
    table = MESSAGES[name]
    result: dict[str, Any] = {}
    for number, _, raw in _fields(data):
        field = table.get(number)
        if field is None:
            continue
        json_name, kind = field
        if json_name == "-":
            result |= _message(raw, kind)
        elif kind.startswith("map:"):
            key, value = _pair(raw, kind[4:])
            result.setdefault(json_name, {})[key] = value
        elif kind.startswith("[]"):
            result.setdefault(json_name, []).append(_value(raw, kind[2:]))
        else:
            value = _value(raw, kind)
            if kind in MESSAGES and not value and kind != "EmptyDirVolumeSource":
                continue
            if kind == "string" and value == "":
                continue
            if value is not None and (value not in (False, 0) or json_name in POINTERS):
                result[json_name] = value
    return result


def _pair(raw: bytes, kind: str) -> tuple[str, Any]:
    fields = _fields(raw)
    return envelope_value(fields, 1).decode(), _value(envelope_value(fields, 2), kind)


def _value(raw: Any, kind: str) -> Any:
    if kind == "string":
        return bytes(raw).decode()
    if kind == "bytes":
        return base64.b64encode(bytes(raw)).decode()
    if kind == "bool":
        return bool(raw)
    if kind == "int":
        return raw - (1 << 64) if raw >> 63 else raw
    if kind == "time":
        seconds = next((value for number, _, value in _fields(raw) if number == 1), 0)
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if 0 < seconds < 1 << 62 else None
    if kind == "quantity":
        return envelope_value(_fields(raw), 1).decode()
    if kind == "intstr":
        parts = {number: value for number, _, value in _fields(raw)}
        return bytes(parts.get(3, b"")).decode() if parts.get(1) else int(parts.get(2, 0))
    return _message(raw, kind)
