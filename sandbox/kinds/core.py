"""Namespaces, Services, Secrets, ConfigMaps, ServiceAccounts, claims, volumes, classes, nodes."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from ..errors import BadRequest, Cause
from ..objects import decode, dig
from .strategy import Object, Strategy

if TYPE_CHECKING:
    from ..store import Store

CLUSTER_IPS = "10.96"
NODE_PORTS = range(30000, 32768)


# Namespaces


def _namespace(obj: Object, _: Any) -> None:
    obj.setdefault("spec", {})["finalizers"] = ["kubernetes"]
    obj["status"] = {"phase": "Active"}


def _namespace_label(obj: Object) -> None:
    labels = obj["metadata"].setdefault("labels", {})
    labels["kubernetes.io/metadata.name"] = obj["metadata"]["name"]


def _namespace_kept(obj: Object, old: Object) -> None:
    if "finalizers" not in (obj.get("spec") or {}):
        obj["spec"] = {**(obj.get("spec") or {}), "finalizers": dig(old, "spec", "finalizers") or []}


# Services


def _service(obj: Object) -> None:
    spec = obj.setdefault("spec", {})
    spec.setdefault("type", "ClusterIP")
    spec.setdefault("sessionAffinity", "None")
    for port in spec.get("ports") or []:
        port.setdefault("protocol", "TCP")
        if not port.get("targetPort"):
            port["targetPort"] = port.get("port")
        if not port.get("nodePort"):
            port.pop("nodePort", None)
    if spec["type"] != "ExternalName":
        spec.setdefault("internalTrafficPolicy", "Cluster")
    if spec["type"] in ("NodePort", "LoadBalancer"):
        spec.setdefault("externalTrafficPolicy", "Cluster")
    if spec["type"] == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)


def _service_create(obj: Object, store: Store) -> None:
    obj["status"] = {"loadBalancer": {}}
    spec = obj["spec"]
    if spec["type"] == "ExternalName":
        return
    services = [decode(entry.data)["spec"] for entry in store.scan("services")]
    if not spec.get("clusterIP"):
        spec["clusterIP"] = _free_address({str(other.get("clusterIP")) for other in services})
    spec["clusterIPs"] = [spec["clusterIP"]]
    both = spec["clusterIP"] == "None" and not spec.get("selector")
    spec.setdefault("ipFamilies", ["IPv4", "IPv6"] if both else ["IPv4"])
    spec.setdefault("ipFamilyPolicy", "RequireDualStack" if both else "SingleStack")
    _node_ports(spec, services)


def _node_ports(spec: Object, services: list[Object]) -> None:
    if spec["type"] not in ("NodePort", "LoadBalancer"):
        return
    used = {port.get("nodePort") for other in services for port in other.get("ports") or []}
    for port in spec.get("ports") or []:
        if not port.get("nodePort"):
            port["nodePort"] = next(number for number in NODE_PORTS if number not in used)
        used.add(port["nodePort"])


def _free_address(used: set[str]) -> str:
    for number in range(10, 65000):
        address = f"{CLUSTER_IPS}.{number >> 8}.{number & 255}"
        if number & 255 and address not in used:
            return address
    raise RuntimeError("no cluster address is free")


def _service_update(obj: Object, old: Object) -> None:
    spec, before = obj["spec"], old.get("spec") or {}
    if spec["type"] == "ExternalName":
        return
    for field in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
        if not spec.get(field) and before.get(field):
            spec[field] = before[field]
    known = {(port.get("port"), port.get("protocol")): port.get("nodePort") for port in before.get("ports") or []}
    if spec["type"] in ("NodePort", "LoadBalancer"):
        for port in spec.get("ports") or []:
            kept = known.get((port.get("port"), port.get("protocol")))
            if kept and not port.get("nodePort"):
                port["nodePort"] = kept
        _node_ports(spec, [])


def _service_causes(obj: Object, old: Object | None) -> list[Cause]:
    spec = obj.get("spec") or {}
    causes: list[Cause] = []
    ports = spec.get("ports") or []
    if not ports and spec.get("type") != "ExternalName" and spec.get("clusterIP") != "None":
        causes.append(Cause("spec.ports", "FieldValueRequired", "Required value"))
    for index, port in enumerate(ports):
        if len(ports) > 1 and not port.get("name"):
            causes.append(Cause(f"spec.ports[{index}].name", "FieldValueRequired", "Required value"))
        number = port.get("port")
        if not isinstance(number, int) or not 1 <= number <= 65535:
            text = f"Invalid value: {number}: must be between 1 and 65535, inclusive"
            causes.append(Cause(f"spec.ports[{index}].port", "FieldValueInvalid", text))
        target = port.get("targetPort")
        if isinstance(target, int) and not 1 <= target <= 65535:
            text = f"Invalid value: {target}: must be between 1 and 65535, inclusive"
            causes.append(Cause(f"spec.ports[{index}].targetPort", "FieldValueInvalid", text))
    if old is not None and dig(old, "spec", "clusterIP") and spec.get("type") != "ExternalName":
        before = dig(old, "spec", "clusterIP")
        if spec.get("clusterIP") != before and dig(old, "spec", "type") != "ExternalName":
            text = f'Invalid value: ["{spec.get("clusterIP")}"]: may not change once set'
            causes.append(Cause("spec.clusterIPs[0]", "FieldValueInvalid", text))
    return causes


# Secrets and ConfigMaps


def _secret(obj: Object) -> None:
    obj.setdefault("type", "Opaque")
    for value in (obj.get("data") or {}).values():
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


def _data_causes(obj: Object, old: Object | None) -> list[Cause]:
    causes: list[Cause] = []
    for field in ("data", "binaryData"):
        for key in obj.get(field) or {}:
            if not key or any(not (c.isalnum() or c in "-_.") for c in key):
                text = (
                    f"Invalid value: \"{key}\": a valid config key must consist of alphanumeric characters, '-', '_' "
                    "or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "
                    "'[-._a-zA-Z0-9]+')"
                )
                causes.append(Cause(f"{field}[{key}]", "FieldValueInvalid", text))
    if old is not None and old.get("immutable"):
        text = "Forbidden: field is immutable when `immutable` is set"
        changed = [field for field in ("data", "binaryData") if obj.get(field) != old.get(field)]
        if not obj.get("immutable"):
            changed.insert(0, "immutable")
        causes += [Cause(field, "FieldValueForbidden", text) for field in changed]
    if old is not None and obj.get("kind") == "Secret" and obj.get("type") != old.get("type"):
        causes.append(Cause("type", "FieldValueInvalid", f'Invalid value: "{obj.get("type")}": field is immutable'))
    return causes


def _is_base64(value: Any) -> bool:
    try:
        base64.b64decode(str(value), validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


# Volumes


def _claim(obj: Object) -> None:
    obj.setdefault("spec", {}).setdefault("volumeMode", "Filesystem")


def _claim_create(obj: Object, store: Store) -> None:
    obj["status"] = {"phase": "Pending"}
    finalizers = obj["metadata"].setdefault("finalizers", [])
    if "kubernetes.io/pvc-protection" not in finalizers:
        finalizers.append("kubernetes.io/pvc-protection")
    if "storageClassName" in obj["spec"]:
        return
    for entry in store.scan("storageclasses.storage.k8s.io"):
        notes = decode(entry.data)["metadata"].get("annotations") or {}
        if notes.get("storageclass.kubernetes.io/is-default-class") == "true":
            obj["spec"]["storageClassName"] = entry.name


def _claim_causes(obj: Object, old: Object | None) -> list[Cause]:
    spec = obj.get("spec") or {}
    causes: list[Cause] = []
    if not spec.get("accessModes"):
        causes.append(
            Cause("spec.accessModes", "FieldValueRequired", "Required value: at least 1 access mode is required")
        )
    if dig(spec, "resources", "requests", "storage") is None:
        causes.append(Cause("spec.resources[storage]", "FieldValueRequired", "Required value"))
    if old is not None:
        before = old.get("spec") or {}
        fixed = {key for key in {*spec, *before} if spec.get(key) != before.get(key)}
        fixed -= {"resources", "volumeAttributesClassName"}
        if "volumeName" in fixed and not before.get("volumeName"):
            fixed -= {"volumeName"}
        if fixed:
            text = (
                "Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName "
                "for bound claims"
            )
            causes.append(Cause("spec", "FieldValueForbidden", text))
    return causes


def _volume(obj: Object) -> None:
    spec = obj.setdefault("spec", {})
    spec.setdefault("persistentVolumeReclaimPolicy", "Retain")
    spec.setdefault("volumeMode", "Filesystem")


def _volume_create(obj: Object, _: Any) -> None:
    obj["status"] = {"phase": "Pending"}
    finalizers = obj["metadata"].setdefault("finalizers", [])
    if "kubernetes.io/pv-protection" not in finalizers:
        finalizers.append("kubernetes.io/pv-protection")


def _class(obj: Object) -> None:
    obj.setdefault("reclaimPolicy", "Delete")
    obj.setdefault("volumeBindingMode", "Immediate")


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
    "namespaces": Strategy(defaults=_namespace_label, create=_namespace, update=_namespace_kept, names="label"),
    "services": Strategy(
        defaults=_service,
        create=_service_create,
        update=_service_update,
        validate=_service_causes,
        returns_deleted=True,
        creates_on_update=True,
        names="label",
    ),
    "secrets": Strategy(defaults=_secret, validate=_data_causes),
    "configmaps": Strategy(validate=_data_causes),
    "serviceaccounts": Strategy(returns_deleted=True),
    "persistentvolumeclaims": Strategy(
        defaults=_claim, create=_claim_create, validate=_claim_causes, returns_deleted=True
    ),
    "persistentvolumes": Strategy(defaults=_volume, create=_volume_create, returns_deleted=True),
    "storageclasses.storage.k8s.io": Strategy(defaults=_class, returns_deleted=True),
    "resourcequotas": Strategy(returns_deleted=True),
    "endpoints": Strategy(creates_on_update=True),
    "limitranges": Strategy(creates_on_update=True),
    "leases.coordination.k8s.io": Strategy(creates_on_update=True),
}
