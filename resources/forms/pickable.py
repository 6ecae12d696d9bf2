"""Whose name a text is: of a Secret, a storage class, a service account …, as the property's name says it.

A guess that is wrong costs nothing: a picker offers names, and takes any text.
"""

import re

from resources.forms.descriptors import Descriptor
from resources.forms.paths import Path

#: What the end of a property's name says, kind by kind ("group/Kind"); the first that matches holds.
_BY_END = (
    ("core/Secret", ("secretname", "secretref", "secretkeyref", "secretkeyselector", "pullsecret", "pullsecrets")),
    ("core/ConfigMap", ("configmapname", "configmapref", "configmapkeyref", "configmapkeyselector")),
    ("core/ServiceAccount", ("serviceaccountname", "serviceaccountref", "serviceaccount")),
    ("storage.k8s.io/StorageClass", ("storageclassname", "storageclass")),
    ("core/PersistentVolumeClaim", ("pvcname", "existingclaim", "persistentvolumeclaim", "volumeclaimname")),
    ("networking.k8s.io/IngressClass", ("ingressclassname",)),
    ("scheduling.k8s.io/PriorityClass", ("priorityclassname",)),
    ("node.k8s.io/RuntimeClass", ("runtimeclassname",)),
    ("core/Namespace", ("namespace", "namespacename")),
)
_EXACT = {
    "claimName": "core/PersistentVolumeClaim",
    "nodeName": "core/Node",
    "serviceName": "core/Service",
    "secret": "core/Secret",
    "configMap": "core/ConfigMap",
}
#: Objects of these names refer by a `name` of their own.
_REFERRERS = (
    ("core/Secret", ("secret", "secrets", "secretref", "secretkeyref", "secretkeyselector", "pullsecrets")),
    ("core/ConfigMap", ("configmap", "configmaps", "configmapref", "configmapkeyref")),
    ("core/ServiceAccount", ("serviceaccount", "serviceaccountref")),
    ("storage.k8s.io/StorageClass", ("storageclassref",)),
)
_GROUPS = {
    "Secret": "core",
    "ConfigMap": "core",
    "ServiceAccount": "core",
    "Service": "core",
    "Namespace": "core",
    "Node": "core",
    "Pod": "core",
    "PersistentVolumeClaim": "core",
    "PersistentVolume": "core",
    "StorageClass": "storage.k8s.io",
    "IngressClass": "networking.k8s.io",
    "PriorityClass": "scheduling.k8s.io",
    "RuntimeClass": "node.k8s.io",
    "Deployment": "apps",
    "StatefulSet": "apps",
}
# What follows `io.kubernetes:` in real bundles without being a kind whose names can be offered.
_NO_KIND = frozenset({"", "custom", "text", "Probe", "SecretReference", "ConfigMapKeySelector", "SecretKeySelector"})
_KIND = re.compile(r"[A-Z][A-Za-z0-9]{0,62}")


def described(descriptor: Descriptor | None) -> tuple[str, str]:
    """("group/Kind", label selector) that `io.kubernetes:…` or `selector:…` of a descriptor says; group '' where it
    leaves it open.
    """
    if descriptor is None:
        return "", ""
    text, _, selector = (descriptor.kubernetes or descriptor.selector).partition("?")
    *group, kind = text.split(":")
    if kind in _NO_KIND or not _KIND.fullmatch(kind):
        return "", ""
    return f"{group[0] if group else _GROUPS.get(kind, '')}/{kind}", selector


def by_name(path: Path) -> str:
    """ "group/Kind" whose name the text at `path` is, by the property's name and its parent's; '' for none."""
    names = [part for part in path if isinstance(part, str)]
    if not names:
        return ""
    last = names[-1]
    if last == "name" and len(names) > 1:
        return _referred(names[-2])
    if last in _EXACT:
        return _EXACT[last]
    lower = last.lower()
    return next((kind for kind, ends in _BY_END if lower.endswith(ends)), "")


def key_of(path: Path) -> str:
    """ "group/Kind" in whose data the text at `path` is a key: `secretKeyRef.key`; its object's name stands beside it
    as `name`.
    """
    names = [part for part in path if isinstance(part, str)]
    kind = _referred(names[-2]) if len(names) > 1 and names[-1] == "key" else ""
    return kind if kind in ("core/Secret", "core/ConfigMap") else ""


def _referred(parent: str) -> str:
    lower = parent.lower()
    return next((kind for kind, ends in _REFERRERS if lower.endswith(ends)), "")
