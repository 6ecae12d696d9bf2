"""A custom resource definition's schema as it was written, from the OpenAPI document that the API server makes of it.

Publishing adds what every object has (apiVersion, kind, metadata; in embedded resources too), which the server itself
checks by other rules: apiextensions-apiserver, pkg/controller/openapi/builder.
"""

from collections.abc import Mapping
from typing import Any

from resources.forms.schema import Node

_META = "io.k8s.apimachinery.pkg.apis.meta.v1."
#: Groups with a dot that are Kubernetes' own; CRDs may use *.k8s.io as well.
_OWN = frozenset(
    f"{name}.k8s.io"
    for name in (
        "admissionregistration",
        "apiextensions",
        "apiregistration",
        "authentication",
        "authorization",
        "certificates",
        "coordination",
        "discovery",
        "events",
        "flowcontrol.apiserver",
        "internal.apiserver",
        "metrics",
        "networking",
        "node",
        "rbac.authorization",
        "resource",
        "scheduling",
        "storage",
        "storagemigration",
    )
)
_TYPE_META = ("apiVersion", "kind")


def is_custom(root: Node, components: Mapping[str, Any]) -> bool:
    """Whether the document is a CRD's.

    Kinds of aggregated servers are as good as built in: their servers' code decides.
    """
    if any(not name.startswith(_META) for name in components):
        return False
    kinds = root.get("x-kubernetes-group-version-kind")
    group = str(kinds[0].get("group") or "") if isinstance(kinds, list) and kinds else None
    return group is None or ("." in group and group not in _OWN)


def stored(root: Node) -> dict[str, Any]:
    """The schema without what publishing added. Parts without embedded resources are the same objects as before."""
    made = {name: value for name, value in _embedded(root).items() if name != "components"}
    own = {name: value for name, value in (made.get("properties") or {}).items() if name not in _TYPE_META}
    if "metadata" in own:
        own["metadata"] = {"type": "object"}
    return {**made, "properties": own}


def _embedded(node: Any) -> Any:
    """`node` with what publishing gave to embedded resources taken back."""
    if not isinstance(node, Mapping):
        return node
    changed: dict[str, Any] = {}
    properties = node.get("properties")
    if isinstance(properties, Mapping):
        made = {name: _embedded(inner) for name, inner in properties.items()}
        if node.get("x-kubernetes-embedded-resource"):
            made = {name: inner for name, inner in made.items() if name not in (*_TYPE_META, "metadata")}
        if any(made.get(name) is not inner for name, inner in properties.items()):
            changed["properties"] = made
    for name in ("items", "additionalProperties"):
        inner = node.get(name)
        if isinstance(inner, Mapping) and (made_ := _embedded(inner)) is not inner:
            changed[name] = made_
    if node.get("x-kubernetes-embedded-resource"):
        changed["required"] = [name for name in node.get("required") or () if name not in _TYPE_META]
    return {**node, **changed} if changed else node
