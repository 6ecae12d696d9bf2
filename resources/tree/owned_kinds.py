"""The kinds among which to look for what an object owns."""

from collections.abc import Iterable

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import NotFound
from resources.types.types import is_custom

# Kinds that operators make. FULL: their state, or what they select, is in the object; of the others only the metadata
# is read.
FULL = (
    ("apps", "Deployment"),
    ("apps", "ReplicaSet"),
    ("apps", "StatefulSet"),
    ("apps", "DaemonSet"),
    ("batch", "CronJob"),
    ("batch", "Job"),
    ("", "Pod"),
    ("", "PersistentVolumeClaim"),
    ("", "Service"),
)
_METADATA = (
    ("", "ConfigMap"),
    ("", "Secret"),
    ("", "ServiceAccount"),
    ("networking.k8s.io", "Ingress"),
    ("networking.k8s.io", "NetworkPolicy"),
    ("policy", "PodDisruptionBudget"),
    ("rbac.authorization.k8s.io", "Role"),
    ("rbac.authorization.k8s.io", "RoleBinding"),
)
# What the kinds of Kubernetes own; kinds that operators brought may own anything.
_OWNED: dict[tuple[str, str], tuple[tuple[str, str], ...]] = {
    ("apps", "Deployment"): (("apps", "ReplicaSet"), ("", "Pod")),
    ("apps", "ReplicaSet"): (("", "Pod"),),
    ("apps", "DaemonSet"): (("", "Pod"),),
    ("apps", "StatefulSet"): (("", "Pod"), ("", "PersistentVolumeClaim")),
    ("batch", "CronJob"): (("batch", "Job"), ("", "Pod")),
    ("batch", "Job"): (("", "Pod"),),
    ("", "ReplicationController"): (("", "Pod"),),
}
_SIBLINGS = 20


def owned_types(
    client: ClusterClient, type_: ResourceType, declared: Iterable[tuple[str, str]] = ()
) -> tuple[ResourceType, ...]:
    """None for kinds that own nothing.

    `declared`: (apiVersion or version, kind) of the kinds that its operator says it makes, also of other groups.
    """
    custom = is_custom(type_.group)
    wanted = (*FULL, *_METADATA) if custom else _OWNED.get((type_.group, type_.kind), ())
    found: list[ResourceType] = []
    for group, kind in wanted:
        try:
            found.append(client.find_kind(group, kind))
        except NotFound:
            continue
    if custom:
        found += _siblings(client, type_)
        found += _told(client, declared)
    once: dict[tuple[str, str], ResourceType] = {}
    for owned_type in found:
        once.setdefault((owned_type.group, owned_type.plural), owned_type)
    return tuple(once.values())


def _siblings(client: ClusterClient, type_: ResourceType) -> list[ResourceType]:
    """Kinds of the same API group: operators build their larger kinds of their smaller ones.

    What is in no namespace owns both sorts.
    """
    found: dict[str, ResourceType] = {}
    for other in client.types():
        if other.group == type_.group and "list" in other.verbs and (other.namespaced or not type_.namespaced):
            found.setdefault(other.plural, other)
    return list(found.values())[:_SIBLINGS]


def _told(client: ClusterClient, declared: Iterable[tuple[str, str]]) -> list[ResourceType]:
    """A ClusterServiceVersion names kinds with their version only, or with group and version: the first that fits is
    meant.
    """
    found: list[ResourceType] = []
    for version, kind in list(declared)[:50]:
        fitting = (
            type_
            for type_ in client.types()
            if type_.kind == kind
            and "list" in type_.verbs
            and type_.namespaced
            and version in (type_.version, type_.api_version)
        )
        first = next(fitting, None)
        if first is not None and first.kind not in ("Event", "PackageManifest"):
            found.append(first)
    return found[:_SIBLINGS]
