"""Kubernetes' own types, where a custom resource's schema only promises one: "any object" under a descriptor or name
that says which.

Only what a form needs, written by us; whatever else stands in such an object is kept as a field that the schema does
not name. https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/ and its Pod page are the source.
"""

import re
from collections.abc import Mapping
from typing import Any

from resources.forms.descriptors import Descriptor
from resources.forms.paths import Path

Node = Mapping[str, Any]

_TEXT: Node = {"type": "string"}
_FLAG: Node = {"type": "boolean"}
_COUNT: Node = {"type": "integer", "format": "int32"}
_TEXTS: Node = {"type": "array", "items": _TEXT, "x-kubernetes-list-type": "atomic"}
_LABELS: Node = {"type": "object", "additionalProperties": _TEXT}
_SHARE: Node = {"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": True}
QUANTITY: Node = {
    **_SHARE,
    "pattern": (
        r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
    ),
}


def _object(required: tuple[str, ...] = (), /, **properties: Node) -> Node:
    return {"type": "object", "properties": properties, **({"required": list(required)} if required else {})}


def _list(items: Node, **more: Any) -> Node:
    return {"type": "array", "items": items, **more}


def _one_of(*words: str) -> Node:
    return {"type": "string", "enum": list(words)}


_REQUIREMENTS = _list(
    _object(("key", "operator"), key=_TEXT, operator=_one_of("In", "NotIn", "Exists", "DoesNotExist"), values=_TEXTS)
)
_SELECTOR = _object(matchLabels=_LABELS, matchExpressions=_REQUIREMENTS)
_NODE_EXPRESSIONS = _list(
    _object(
        ("key", "operator"),
        key=_TEXT,
        operator=_one_of("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"),
        values=_TEXTS,
    )
)
_NODE_TERM = _object(matchExpressions=_NODE_EXPRESSIONS, matchFields=_NODE_EXPRESSIONS)
_NODE_AFFINITY = _object(
    requiredDuringSchedulingIgnoredDuringExecution=_object(("nodeSelectorTerms",), nodeSelectorTerms=_list(_NODE_TERM)),
    preferredDuringSchedulingIgnoredDuringExecution=_list(
        _object(
            ("weight", "preference"),
            weight={**_COUNT, "minimum": 1, "maximum": 100},
            preference=_NODE_TERM,
        )
    ),
)
_POD_TERM = _object(
    ("topologyKey",),
    topologyKey=_TEXT,
    labelSelector=_SELECTOR,
    namespaces=_TEXTS,
    namespaceSelector=_SELECTOR,
)
_POD_AFFINITY = _object(
    requiredDuringSchedulingIgnoredDuringExecution=_list(_POD_TERM),
    preferredDuringSchedulingIgnoredDuringExecution=_list(
        _object(
            ("weight", "podAffinityTerm"), weight={**_COUNT, "minimum": 1, "maximum": 100}, podAffinityTerm=_POD_TERM
        )
    ),
)
_AMOUNTS: Node = {"type": "object", "additionalProperties": QUANTITY}
_RESOURCES = _object(requests=_AMOUNTS, limits=_AMOUNTS)
#: In a node: keys that it does not name are drawn as rows with a key of their own, not as YAML.
FREE_KEYS = "x-console-free-keys"
_CONTAINER_RESOURCES = ("cpu", "memory", "ephemeral-storage")
_CLAIM_RESOURCES = ("storage",)
#: The fields of a PersistentVolumeClaim's spec, and those that operators put beside them.
_CLAIM_FIELDS = frozenset({"accessModes", "accessMode", "storageClassName", "volumeName", "volumeMode"})
_CLAIM_COMPANY = _CLAIM_FIELDS | set(
    re.findall(
        r"\w+",
        "resources selector dataSource dataSourceRef volumeAttributesClassName storageClass name metadata labels"
        " annotations enabled",
    )
)
#: Fields of what runs containers: its `resources` are theirs, whatever it says of volumes.
_WORKLOAD_FIELDS = frozenset({"image", "replicas", "env", "tolerations", "affinity", "nodeSelector", "securityContext"})
_CLAIM_NAME = re.compile("volumeclaim|pvc", re.I)
_ACCESS_MODES = ("ReadWriteOnce", "ReadWriteOncePod", "ReadOnlyMany", "ReadWriteMany")
_VOLUME_MODES = ("Filesystem", "Block")
_KEY = _object(("key",), name=_TEXT, key=_TEXT, optional=_FLAG)
_ENV = _object(
    ("name",),
    name=_TEXT,
    value=_TEXT,
    valueFrom=_object(
        secretKeyRef=_KEY,
        configMapKeyRef=_KEY,
        fieldRef=_object(("fieldPath",), fieldPath=_TEXT, apiVersion=_TEXT),
        resourceFieldRef=_object(("resource",), resource=_TEXT, containerName=_TEXT, divisor=QUANTITY),
    ),
)
_TOLERATION = _object(
    key=_TEXT,
    operator=_one_of("Exists", "Equal"),
    value=_TEXT,
    effect=_one_of("NoSchedule", "PreferNoSchedule", "NoExecute"),
    tolerationSeconds={"type": "integer", "format": "int64"},
)
_STRATEGY = _object(
    type=_one_of("RollingUpdate", "Recreate"), rollingUpdate=_object(maxUnavailable=_SHARE, maxSurge=_SHARE)
)

_TYPES: dict[str, Node] = {
    "ResourceRequirements": _RESOURCES,
    "LabelSelector": _SELECTOR,
    "NodeAffinity": _NODE_AFFINITY,
    "PodAffinity": _POD_AFFINITY,
    "Affinity": _object(nodeAffinity=_NODE_AFFINITY, podAffinity=_POD_AFFINITY, podAntiAffinity=_POD_AFFINITY),
    "Toleration": _TOLERATION,
    "Tolerations": _list(_TOLERATION, **{"x-kubernetes-list-type": "atomic"}),
    "EnvVar": _ENV,
    "EnvVars": _list(_ENV, **{"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}),
    "UpdateStrategy": _STRATEGY,
    "KeySelector": _KEY,
    "LocalReference": _object(name=_TEXT),
}
_BY_DESCRIPTOR = {
    "resourceRequirements": "ResourceRequirements",
    "nodeAffinity": "NodeAffinity",
    "podAffinity": "PodAffinity",
    "podAntiAffinity": "PodAffinity",
    "updateStrategy": "UpdateStrategy",
    "namespaceSelector": "LabelSelector",
}
_BY_NAME = {
    "resources": "ResourceRequirements",
    "affinity": "Affinity",
    "nodeAffinity": "NodeAffinity",
    "podAffinity": "PodAffinity",
    "podAntiAffinity": "PodAffinity",
    "tolerations": "Tolerations",
    "env": "EnvVars",
    "labelSelector": "LabelSelector",
    "namespaceSelector": "LabelSelector",
    "podSelector": "LabelSelector",
}
_ORDERS = (
    ("name", "key", "namespace", "optional"),
    ("type", "rollingUpdate"),
    ("key", "operator", "value", "effect", "tolerationSeconds"),
    ("name", "value", "valueFrom"),
)
_KEPT = ("description", "default", "nullable", "x-kubernetes-validations", "x-kubernetes-preserve-unknown-fields")


def schema(name: str) -> Node | None:
    """Kubernetes' schema of that type, None when it is not here."""
    return _TYPES.get(name)


def name_of(descriptor: Descriptor | None, path: Path) -> str:
    """The Kubernetes type that an operator or the property's own name speaks of; '' for none."""
    if descriptor is not None:
        for widget in descriptor.widgets:
            if widget in _BY_DESCRIPTOR:
                return _BY_DESCRIPTOR[widget]
    last = path[-1] if path else ""
    return _BY_NAME.get(last, "") if isinstance(last, str) else ""


def better(node: Node, descriptor: Descriptor | None, path: Path, *, in_claim: bool = False) -> Node:
    """The node, or what to draw in its place: the Kubernetes type that it leaves open, or amounts of known resources
    by name.

    `in_claim`: the node is a field of a PersistentVolumeClaim's spec (`is_claim`).
    """
    if in_claim and (found := _claim_field(node, path)) is not None:
        return found
    name = name_of(descriptor, path)
    if not name:
        return _sorted(node)
    if name == "UpdateStrategy":
        return _with_strategies(_open_type(node, _TYPES[name]))
    if name != "ResourceRequirements":
        return _open_type(node, _TYPES[name])
    resources = _CLAIM_RESOURCES if in_claim else _CONTAINER_RESOURCES
    node = _open_type(node, _TYPES[name])
    if not _is_resources(node):
        return node
    return {**node, "properties": {key: _amounts(child, resources) for key, child in node["properties"].items()}}


def is_claim(node: Node, path: Path) -> bool:
    """Whether the object is a PersistentVolumeClaim's spec, whose `resources` are those of storage."""
    properties = node.get("properties")
    if not isinstance(properties, Mapping) or "resources" not in properties:
        return False
    names = [part for part in path if isinstance(part, str)][-2:]
    if "accessModes" in properties or any(_CLAIM_NAME.search(name) for name in names):
        return not _WORKLOAD_FIELDS & set(properties)
    return bool(_CLAIM_FIELDS & set(properties)) and set(properties) <= _CLAIM_COMPANY


def _claim_field(node: Node, path: Path) -> Node | None:
    """Access modes and the volume mode with their values, where the schema takes any text; None for other fields."""
    last = path[-1] if path else ""
    items = node.get("items")
    if last == "accessModes" and isinstance(items, Mapping) and items.get("type") == "string" and "enum" not in items:
        return {**node, "items": {**items, "enum": list(_ACCESS_MODES)}}
    modes = {"accessMode": _ACCESS_MODES, "volumeMode": _VOLUME_MODES}.get(last) if isinstance(last, str) else None
    if modes and node.get("type") == "string" and "enum" not in node:
        return {**node, "enum": list(modes)}
    return None


def _open_type(node: Node, found: Node) -> Node:
    """Kubernetes' type where the node leaves its shape open."""
    if not _says_nothing(node) or node.get("type", found["type"]) != found["type"]:
        return node
    return {**found, **{key: node[key] for key in _KEPT if key in node}}


def _with_strategies(node: Node) -> Node:
    """The strategies to choose from, where the schema has its `type` as any text."""
    node = _sorted(node)
    properties = node.get("properties")
    free = {"type", "description"}
    if not isinstance(properties, Mapping) or not properties.get("type") or properties["type"].keys() - free:
        return node
    return {**node, "properties": {**properties, "type": {**_STRATEGY["properties"]["type"], **properties["type"]}}}


def _sorted(node: Node) -> Node:
    """Small types in the order in which a person thinks, whatever the alphabet says: whose key it is, what kind of
    strategy.
    """
    properties = node.get("properties")
    if not isinstance(properties, Mapping) or len(properties) > 5:
        return node
    for order in _ORDERS:
        if set(order[:2]) <= set(properties) <= set(order):
            return {**node, "properties": {name: properties[name] for name in order if name in properties}}
    return node


def _says_nothing(node: Node) -> bool:
    """No shape of its own, while the API server keeps whatever is put there."""
    if any(node.get(key) for key in ("properties", "items", "enum", "anyOf", "oneOf", "allOf", "$ref", "format")):
        return False
    if isinstance(node.get("additionalProperties"), Mapping):
        return False
    return bool(node.get("x-kubernetes-preserve-unknown-fields") or node.get("additionalProperties") is True)


def _is_resources(node: Node) -> bool:
    properties = node.get("properties")
    return isinstance(properties, Mapping) and any(
        isinstance(properties.get(key), Mapping) and _is_amounts(properties[key]) for key in ("limits", "requests")
    )


def _is_amounts(node: Node) -> bool:
    """A map of quantities: numbers or texts under free keys."""
    entry = node.get("additionalProperties")
    return (
        isinstance(entry, Mapping)
        and not node.get("properties")
        and bool(entry.get("x-kubernetes-int-or-string") or "quantity" in str(entry.get("$ref", "")).lower())
    )


def _amounts(node: Any, resources: tuple[str, ...]) -> Any:
    """Each known resource as a field of its own, all others as rows."""
    if not isinstance(node, Mapping) or not _is_amounts(node):
        return node
    entry = node["additionalProperties"]
    return {**node, "properties": dict.fromkeys(resources, entry), FREE_KEYS: True}
