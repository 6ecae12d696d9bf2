"""The Pods that an object stands for: itself, those its selector finds, or those it owns, however far down."""

from typing import Any

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject, name_of, namespace_of
from resources.pod_selectors import pod_selector
from resources.tree.owners import belongings
from resources.types.types import is_custom

#: The logs of more Pods are too much to read as one text.
MOST = 30


def pods_of(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> tuple[KubeObject, ...]:
    """By name, MOST + 1 at most: so that it shows when there are more.

    Raises Forbidden if the user can't list Pods.
    """
    if type_.kind == "Pod" and not type_.group:
        return (obj,)
    found: list[dict[str, Any]]
    if labels := selector(type_, obj):
        pods = client.find("", "v1", "pods")
        found = client.list(pods, namespace_of(obj), labels=labels, limit=MOST + 1).items
    else:
        found = [row.object for row in belongings(client, type_, obj).rows if row.type.kind == "Pod"]
    return tuple(sorted(found, key=name_of)[: MOST + 1])


def selector(type_: ResourceType, obj: KubeObject) -> str:
    """The labels by which its Pods are found, '' where they are found by their owner."""
    return pod_selector({**obj, "kind": type_.kind})


def may_have(type_: ResourceType) -> bool:
    """Whether objects of this kind can stand for Pods: what runs them, Services, and everything that operators
    bring.
    """
    return type_.kind in _KINDS if not is_custom(type_.group) else type_.namespaced


_KINDS = frozenset(
    {"Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job", "CronJob", "Service", "ReplicationController"}
)
