"""Objects as a person would have written them: without what the API server, OLM or another tool adds by itself. Pure.

Defaults stay: nobody here knows which of them somebody meant.
"""

from collections.abc import Mapping
from typing import Any

from kube import copies
from kube.objects import KubeObject
from operatorhub.csv import mapping, strings, text
from resources.writing.draft import SERVERS

_GONE = (*SERVERS, "ownerReferences", "finalizers")
#: Labels and annotations that OLM, kubectl and this console write for themselves.
_PREFIXES = (
    "olm.",
    "operators.coreos.com/",
    "kubectl.kubernetes.io/",
    "operator-console.dev/run-bundle",
    "console.openshift.io/operator-monitoring",
)
_NAMES = frozenset(
    ["kubernetes.io/metadata.name", "operatorframework.io/properties", "deployment.kubernetes.io/revision"]
)


def clean(obj: KubeObject, old: str = "", new: str = "") -> KubeObject:
    """A copy; where a namespace `new` is given, what named the `old` one names it (placement, OperatorGroups' targets, the Namespace itself)."""
    meta: dict[str, Any] = {key: value for key, value in mapping(obj.get("metadata")).items() if key not in _GONE}
    for key in ("labels", "annotations"):
        kept = {name: value for name, value in copies.without(meta.get(key)).items() if not _ours(str(name))}
        meta.pop(key, None)
        if kept:
            meta[key] = kept
    found: KubeObject = {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": _ordered(meta)}
    found |= {key: value for key, value in obj.items() if key not in ("apiVersion", "kind", "metadata", "status")}
    if found["kind"] == "Namespace":
        found.pop("spec", None)
    return moved(found, old, new) if new and new != old else found


def _ours(name: str) -> bool:
    return name.startswith(_PREFIXES) or name in _NAMES


def _ordered(meta: Mapping[str, Any]) -> dict[str, Any]:
    """name and namespace first, as people write it."""
    first = {key: meta[key] for key in ("name", "namespace") if key in meta}
    return {**first, **meta}


def moved(obj: KubeObject, old: str, new: str) -> KubeObject:
    """The same in another namespace."""
    meta = dict(obj["metadata"])
    if meta.get("namespace") == old:
        meta["namespace"] = new
    if obj["kind"] == "Namespace" and meta.get("name") == old:
        meta["name"] = new
    found = {**obj, "metadata": meta}
    spec = mapping(found.get("spec"))
    if obj["kind"] == "OperatorGroup" and spec.get("targetNamespaces"):
        found["spec"] = {
            **spec,
            "targetNamespaces": [new if one == old else one for one in strings(spec["targetNamespaces"])],
        }
    if obj["kind"] == "Subscription" and text(spec.get("sourceNamespace")) == old:
        found["spec"] = {**spec, "sourceNamespace": new}
    if obj["kind"] in ("RoleBinding", "ClusterRoleBinding"):
        subjects = [
            {**one, "namespace": new} if one.get("namespace") == old else one for one in found.get("subjects") or []
        ]
        found["subjects"] = subjects
    return found
