"""Which lists of the built-in kinds are maps, and by which keys: the patch-merge-key and list-map-keys of k8s.io/api.

Field names tell it nearly alone; where one name means different lists, the field that holds it decides.
"""

from __future__ import annotations

#: Merge key of strategic merge patch. Empty: a set of plain values that are merged.
_MERGE_KEYS = {
    "containers": "name",
    "initContainers": "name",
    "ephemeralContainers": "name",
    "volumes": "name",
    "env": "name",
    "volumeMounts": "mountPath",
    "volumeDevices": "devicePath",
    "imagePullSecrets": "name",
    "secrets": "name",
    "hostAliases": "ip",
    "conditions": "type",
    "ownerReferences": "uid",
    "finalizers": "",
    "topologySpreadConstraints": "topologyKey",
    "podIPs": "ip",
    "hostIPs": "ip",
    "resourceClaims": "name",
    "schedulingGates": "name",
    "webhooks": "name",
    "addresses": "type",
}

#: Keys of server-side apply where they differ from the merge key.
_MAP_KEYS = {
    "topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
}

#: Maps and lists that are owned as a whole.
ATOMIC_MAPS = frozenset(
    (
        "selector",
        "labelSelector",
        "nodeSelector",
        "namespaceSelector",
        "podSelector",
        "matchLabels",
        "roleRef",
        "involvedObject",
        "regarding",
        "related",
        "claimRef",
        "targetRef",
        "configMapKeyRef",
        "secretKeyRef",
        "fieldRef",
        "resourceFieldRef",
    )
)


def merge_key(path: tuple[str, ...]) -> str | None:
    """The key of the list at ``path`` (field names, no indexes); None: the list is replaced as a whole."""
    last = path[-1]
    if last == "ports":
        parent = path[-2] if len(path) > 1 else ""
        if parent in ("containers", "initContainers", "ephemeralContainers"):
            return "containerPort"
        return "port" if parent == "spec" and len(path) == 2 else None
    if last == "addresses" and path[0] != "status":
        return None
    if last == "conditions" and path[0] != "status":
        return None
    return _MERGE_KEYS.get(last)


def map_keys(path: tuple[str, ...]) -> tuple[str, ...] | None:
    """Keys of the list at ``path`` in server-side apply; () for a set; None when the list is atomic."""
    key = merge_key(path)
    if key is None:
        return None
    if key == "":
        return ()
    if key in ("containerPort", "port"):
        return (key, "protocol")
    return _MAP_KEYS.get(path[-1], (key,))
