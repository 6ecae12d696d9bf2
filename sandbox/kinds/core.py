"""Namespaces, Secrets, ConfigMaps, Events."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from ..errors import BadRequest
from .checks import config_map, secret
from .strategy import Object, Strategy

if TYPE_CHECKING:
    pass


# Namespaces


def _namespace(obj: Object, _: Any) -> None:
    spec = obj.setdefault("spec", {})
    spec["finalizers"] = list(dict.fromkeys([*(spec.get("finalizers") or []), "kubernetes"]))
    obj["status"] = {"phase": "Active"}


def _namespace_label(obj: Object) -> None:
    labels = obj["metadata"].setdefault("labels", {})
    labels["kubernetes.io/metadata.name"] = obj["metadata"]["name"]


# Secrets and ConfigMaps


def _secret(obj: Object) -> None:
    obj["type"] = obj.get("type") or "Opaque"
    data = obj.get("data") or {}
    for key, value in data.items():
        if isinstance(value, str) and ("\n" in value or "\r" in value):
            data[key] = value = value.replace("\n", "").replace("\r", "")
        if isinstance(value, str) and not _is_base64(value):
            letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
            at = next((index for index, letter in enumerate(value) if letter not in letters), len(value))
            why = f"illegal base64 data at input byte {at}"
            raise BadRequest(f'Secret in version "v1" cannot be handled as a Secret: {why}')
    plain = obj.pop("stringData", None)
    if plain:
        data = obj.get("data") or {}
        data |= {key: base64.b64encode(str(value).encode()).decode() for key, value in plain.items()}
        obj["data"] = data


def _is_base64(value: Any) -> bool:
    try:
        base64.b64decode(str(value), validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _event(obj: Object, _: Any) -> None:
    for name, value in (
        ("source", {}),
        ("firstTimestamp", None),
        ("lastTimestamp", None),
        ("eventTime", None),
        ("reportingComponent", ""),
        ("reportingInstance", ""),
    ):
        if obj.get("apiVersion") == "v1":
            obj.setdefault(name, value)


STRATEGIES = {
    "events": Strategy(create=_event, creates_on_update=True),
    "namespaces": Strategy(defaults=_namespace_label, create=_namespace, names="label"),
    "secrets": Strategy(defaults=_secret, validate=secret),
    "configmaps": Strategy(validate=config_map),
    "serviceaccounts": Strategy(returns_deleted=True),
    "resourcequotas": Strategy(returns_deleted=True),
    "limitranges": Strategy(creates_on_update=True),
    "leases.coordination.k8s.io": Strategy(creates_on_update=True),
}
