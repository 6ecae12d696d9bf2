"""ConfigMaps and Secrets."""

from __future__ import annotations

import base64
from typing import Any

from ...gojson import complaint
from ...objects import dig
from .basics import Causes, Object, config_key, forbidden, invalid, required, too_long

LIMIT = 1024 * 1024
_FROZEN = "field is immutable when `immutable` is set"
_ACCOUNT = "kubernetes.io/service-account.name"
_NEEDED = {
    "kubernetes.io/ssh-auth": ("ssh-privatekey",),
    "kubernetes.io/tls": ("tls.crt", "tls.key"),
    "kubernetes.io/dockercfg": (".dockercfg",),
    "kubernetes.io/dockerconfigjson": (".dockerconfigjson",),
}


def _size(value: Any) -> int:
    text = str(value)
    return len(text) * 3 // 4 - text[-2:].count("=")


def config_map(obj: Object, old: Object | None) -> Causes:
    """A ConfigMap."""
    data, binary = obj.get("data") or {}, obj.get("binaryData") or {}
    for key in sorted(data):
        yield from config_key(f"data[{key}]", key)
        if key in binary:
            yield invalid(f"data[{key}]", key, "duplicate of key present in binaryData")
    for key in sorted(binary):
        yield from config_key(f"binaryData[{key}]", key)
    if sum(len(str(value).encode()) for value in data.values()) + sum(map(_size, binary.values())) > LIMIT:
        yield too_long("[]", LIMIT)
    yield from _kept(obj, old, ("data", "binaryData"))


def secret(obj: Object, old: Object | None) -> Causes:
    """A Secret."""
    data, kind = obj.get("data") or {}, obj.get("type")
    for key in sorted(data):
        yield from config_key(f"data[{key}]", key)
    if sum(map(_size, data.values())) > LIMIT:
        yield too_long("data", LIMIT)
    if old is not None and kind != old.get("type"):
        yield invalid("type", kind, "field is immutable")
    yield from _kept(obj, old, ("data",))
    yield from _of_type(obj, str(kind), data)


def _of_type(obj: Object, kind: str, data: Object) -> Causes:
    """What a known type needs."""
    if kind == "kubernetes.io/service-account-token" and not (dig(obj, "metadata", "annotations") or {}).get(_ACCOUNT):
        yield required(f"metadata.annotations[{_ACCOUNT}]")
    if kind == "kubernetes.io/basic-auth" and not {"username", "password"} & set(data):
        yield required("data[username]")
        yield required("data[password]")
    for key in _NEEDED.get(kind, ()):
        if key not in data:
            yield required(f"data[{key}]")
        elif key.startswith(".docker") and (fault := complaint(base64.b64decode(data[key]))):
            yield invalid(f"data[{key}]", "<secret contents redacted>", fault)


def _kept(obj: Object, old: Object | None, fields: tuple[str, ...]) -> Causes:
    """Once immutable, for ever."""
    if old is None or not old.get("immutable"):
        return
    if not obj.get("immutable"):
        yield forbidden("immutable", _FROZEN)
    for field in fields:
        if (obj.get(field) or {}) != (old.get(field) or {}):
            yield forbidden(field, _FROZEN)


def secret_warnings(obj: Object, old: Object | None) -> list[str]:
    """A TLS Secret that no server can use."""
    if obj.get("type") != "kubernetes.io/tls":
        return []
    for key, words in (("tls.crt", "certificate"), ("tls.key", "key")):
        if b"-----BEGIN " not in base64.b64decode((obj.get("data") or {}).get(key) or ""):
            return [f"tls: failed to find any PEM data in {words} input"]
    return []
