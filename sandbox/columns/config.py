"""ConfigMaps, Secrets, ServiceAccounts, claims and volumes, quotas, RBAC."""

from __future__ import annotations

from typing import Any

from ..objects import dig
from .column import AGE, NAME, UNSET, Column, Object, cell, containers, labels_text, text

_MODES = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}


def _modes(modes: Any) -> str:
    return ",".join(short for name, short in _MODES.items() if name in (modes or []))


def _volume_status(obj: Object) -> str:
    return "Terminating" if obj["metadata"].get("deletionTimestamp") else str(dig(obj, "status", "phase") or "")


def _claim(obj: Object) -> str:
    claim = dig(obj, "spec", "claimRef") or {}
    return f"{claim.get('namespace', '')}/{claim.get('name', '')}" if claim else ""


def _claim_bound(obj: Object, *path: str) -> Any:
    return dig(obj, *path) if dig(obj, "spec", "volumeName") else None


def _quota(obj: Object, prefix: bool) -> str:
    used = dig(obj, "status", "used") or {}
    hard = dig(obj, "status", "hard") or dig(obj, "spec", "hard") or {}
    names = [name for name in sorted(hard) if name.startswith("limits.") == prefix]
    return ", ".join(f"{name}: {used.get(name, 0)}/{hard[name]}" for name in names)


def _subjects(kind: str) -> Any:
    def names(obj: Object) -> str:
        found = []
        for subject in obj.get("subjects") or []:
            if subject.get("kind") == kind:
                prefix = f"{subject.get('namespace', '')}/" if kind == "ServiceAccount" else ""
                found.append(prefix + subject.get("name", ""))
        return ", ".join(found)

    return names


_CREATED = Column(name="Created At", cell=lambda obj: obj["metadata"].get("creationTimestamp", ""), type="date")
_BINDING: tuple[Column, ...] = (
    NAME,
    cell("Role", lambda obj: f"{dig(obj, 'roleRef', 'kind')}/{dig(obj, 'roleRef', 'name')}"),
    AGE,
    cell("Users", _subjects("User"), priority=1),
    cell("Groups", _subjects("Group"), priority=1),
    cell("ServiceAccounts", _subjects("ServiceAccount"), priority=1),
)

COLUMNS: dict[str, tuple[Column, ...]] = {
    "configmaps": (
        NAME,
        cell("Data", lambda obj: len(obj.get("data") or {}) + len(obj.get("binaryData") or {}), "string"),
        AGE,
    ),
    "secrets": (NAME, text("Type", "type"), cell("Data", lambda obj: len(obj.get("data") or {}), "string"), AGE),
    "persistentvolumeclaims": (
        NAME,
        cell("Status", _volume_status),
        text("Volume", "spec", "volumeName"),
        cell("Capacity", lambda obj: _claim_bound(obj, "status", "capacity", "storage") or ""),
        cell("Access Modes", lambda obj: _modes(_claim_bound(obj, "status", "accessModes"))),
        text("StorageClass", "spec", "storageClassName"),
        text("VolumeAttributesClass", "spec", "volumeAttributesClassName", default=UNSET),
        AGE,
        text("VolumeMode", "spec", "volumeMode", default=UNSET, priority=1),
    ),
    "persistentvolumes": (
        NAME,
        text("Capacity", "spec", "capacity", "storage"),
        cell("Access Modes", lambda obj: _modes(dig(obj, "spec", "accessModes"))),
        text("Reclaim Policy", "spec", "persistentVolumeReclaimPolicy"),
        cell("Status", _volume_status),
        cell("Claim", _claim),
        text("StorageClass", "spec", "storageClassName"),
        text("VolumeAttributesClass", "spec", "volumeAttributesClassName", default=UNSET),
        text("Reason", "status", "reason"),
        AGE,
        text("VolumeMode", "spec", "volumeMode", default=UNSET, priority=1),
    ),
    "resourcequotas": (
        NAME,
        cell("Request", lambda obj: _quota(obj, prefix=False)),
        cell("Limit", lambda obj: _quota(obj, prefix=True)),
        AGE,
    ),
    "limitranges": (NAME, _CREATED),
    "roles.rbac.authorization.k8s.io": (NAME, _CREATED),
    "clusterroles.rbac.authorization.k8s.io": (NAME, _CREATED),
    "rolebindings.rbac.authorization.k8s.io": _BINDING,
    "clusterrolebindings.rbac.authorization.k8s.io": _BINDING,
    "leases.coordination.k8s.io": (NAME, text("Holder", "spec", "holderIdentity"), AGE),
    "podtemplates": (
        NAME,
        cell("Containers", lambda obj: containers(dig(obj, "template", "spec"), "name")),
        cell("Images", lambda obj: containers(dig(obj, "template", "spec"), "image")),
        cell("Pod Labels", lambda obj: labels_text(dig(obj, "template", "metadata", "labels"))),
    ),
}
