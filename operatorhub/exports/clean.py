"""Objects of an export: without fields that only servers set (kube/clean.py), and moved to another namespace. Pure."""

from kube import clean as portable
from kube.objects import KubeObject
from operatorhub.csv import mapping, strings, text


def clean(obj: KubeObject, old: str = "", new: str = "") -> KubeObject:
    """A copy; where a namespace `new` is given, what named the `old` one names it (placement, OperatorGroups'
    targets, the Namespace itself).
    """
    found = portable.clean(obj)
    return moved(found, old, new) if new and new != old else found


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
            "targetNamespaces": [
                new if namespace == old else namespace for namespace in strings(spec["targetNamespaces"])
            ],
        }
    if obj["kind"] == "Subscription" and text(spec.get("sourceNamespace")) == old:
        found["spec"] = {**spec, "sourceNamespace": new}
    if obj["kind"] in ("RoleBinding", "ClusterRoleBinding"):
        subjects = [
            {**subject, "namespace": new} if subject.get("namespace") == old else subject
            for subject in found.get("subjects") or []
        ]
        found["subjects"] = subjects
    return found
