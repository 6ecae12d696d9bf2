"""Objects of an export, cleaned (kube/clean.py) and moved to another namespace, as a kustomize folder: operator/ and
instances/, each with its kustomization.yaml, resources in their order. Pure.

Two parts, because the kinds of the instances are there only when OLM has installed the operator.
https://kubectl.docs.kubernetes.io/references/kustomize/
"""

import io
import re
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass

from kube.clean import clean
from kube.objects import KubeObject, name_of
from operatorhub.csv import mapping, strings, text
from operatorhub.exports.operator_objects import Item
from resources import yamltext

_ORDER = (
    "Namespace",
    "CustomResourceDefinition",
    "CatalogSource",
    "OperatorGroup",
    "ServiceAccount",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "Secret",
    "ConfigMap",
    "Service",
    "Subscription",
    "ClusterServiceVersion",
)
_SORT = "sortOptions:\n  order: fifo\n"

_HEAD = """\
# Apply operator/ first and wait until it is installed: the kinds of instances/ come with it.
#   kubectl apply -k operator/
#   kubectl apply -k instances/
"""


@dataclass(frozen=True, slots=True)
class File:
    path: str
    text: str


def files(
    found: Iterable[tuple[Item, KubeObject]], namespace: str, *, into: str = "", pinned: str = ""
) -> tuple[File, ...]:
    """The folder's files, kustomizations first.

    `into`: another namespace; `pinned`: the version that Subscriptions begin with.
    """
    parts: dict[str, list[KubeObject]] = {"operator": [], "instances": []}
    for item, obj in found:
        made = export_object(obj, namespace, into)
        if made["kind"] == "Subscription" and pinned:
            made["spec"] = {**made["spec"], "startingCSV": pinned}
        parts[item.part].append(made)
    used = {part: sorted(objects, key=_rank) for part, objects in parts.items() if objects}
    listed = [File("kustomization.yaml", _kustomization([f"{part}/" for part in used], _HEAD))]
    for part, objects in used.items():
        named = _named(objects)
        listed.append(File(f"{part}/kustomization.yaml", _kustomization(list(named))))
        listed += [File(f"{part}/{name}", yamltext.dump(obj)) for name, obj in named.items()]
    return tuple(listed)


def zipped(name: str, listed: Iterable[File]) -> bytes:
    """The same files give the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in listed:
            info = zipfile.ZipInfo(f"{name}/{file.path}", (2000, 1, 1, 0, 0, 0))
            info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(info, file.text)
    return out.getvalue()


def export_object(obj: KubeObject, old: str = "", new: str = "") -> KubeObject:
    """A copy without fields that only servers set.

    With `new`, what named the namespace `old` names that one: placement, OperatorGroups' targets, the Namespace itself.
    """
    found = clean(obj)
    return move_object(found, old, new) if new and new != old else found


def move_object(obj: KubeObject, old: str, new: str) -> KubeObject:
    """The same object in another namespace."""
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


def _rank(obj: KubeObject) -> int:
    return _ORDER.index(obj["kind"]) if obj["kind"] in _ORDER else len(_ORDER)


def _kustomization(resources: list[str], head: str = "") -> str:
    lines = "".join(f"  - {resource}\n" for resource in resources)
    return f"{head}apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n{lines}{_SORT}"


def _named(objects: list[KubeObject]) -> dict[str, KubeObject]:
    """File names that sort as they are applied and say what is in them."""
    found: dict[str, KubeObject] = {}
    for number, obj in enumerate(objects):
        words = re.sub(r"[^A-Za-z0-9.-]+", "-", f"{obj['kind'].lower()}-{name_of(obj)}")[:120].strip("-")
        found[f"{number:02d}-{words}.yaml"] = obj
    return found
