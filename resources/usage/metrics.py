"""PodMetrics and NodeMetrics (metrics.k8s.io), as metrics-server and others in its place serve them.

https://kubernetes.io/docs/tasks/debug/debug-cluster/resource-metrics-pipeline/
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from kube.objects import KubeObject, name_of, namespace_of
from resources.quantities import cores, number, size

GROUP = "metrics.k8s.io"
PODS, NODES = "pods", "nodes"
#: What the nodes can give to Pods, by their own status.
ALLOCATABLE = "allocatable"
_PLURALS = {("", "Pod"): PODS, ("", "Node"): NODES}


@dataclass(frozen=True, slots=True)
class Usage:
    """`cores` of CPU, over the window of the measurement; `memory`: bytes; `containers`: of a Pod, by name."""

    cores: float = 0.0
    memory: int = 0
    containers: "tuple[tuple[str, Usage], ...]" = ()

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.cores + other.cores, self.memory + other.memory)

    @property
    def cpu_text(self) -> str:
        return cpu_text(self.cores)

    @property
    def memory_text(self) -> str:
        return memory_text(self.memory)


#: (namespace, name) → what it uses; the namespace of a node is ''.
Usages = Mapping[tuple[str, str], Usage]


def cpu_text(value: float) -> str:
    """'12m', '1', '0'; what is more than nothing is never '0'."""
    millicores = round(value * 1000) or int(value > 0)
    return cores(Decimal(millicores) / 1000)


def memory_text(value: float) -> str:
    """'34 MiB'."""
    return size(Decimal(round(value)))


def plural_of(type_: ResourceType) -> str:
    """What is measured of objects of this type: PODS, NODES or ''."""
    return _PLURALS.get((type_.group, type_.kind), "")


def served(client: ClusterClient, plural: str) -> ResourceType | None:
    """The type of the measurements, None where the cluster serves none. Asks nothing beyond what pages know already."""
    try:
        types = client.types()
    except KubeError:
        return None
    found = {
        (type_.group, type_.plural): type_ for type_ in types if type_.plural in (PODS, NODES) and "list" in type_.verbs
    }
    if plural == ALLOCATABLE:
        return found.get(("", NODES)) if (GROUP, NODES) in found else None
    return found.get((GROUP, plural))


def usages(items: Iterable[KubeObject]) -> dict[tuple[str, str], Usage]:
    """What can't be read as a measurement is left out."""
    found = ((namespace_of(item), name_of(item), usage(item)) for item in items)
    return {(namespace, name): used for namespace, name, used in found if used is not None}


def usage(item: KubeObject) -> Usage | None:
    """Of one PodMetrics or NodeMetrics; of a Node, what it can give."""
    if item.get("kind") == "Node":
        return allocatable(item)
    containers = item.get("containers")
    if not isinstance(containers, list):
        return _used(item.get("usage"))
    named = [
        (str(container.get("name") or ""), _used(container.get("usage")))
        for container in containers
        if isinstance(container, dict)
    ]
    known = tuple((name, used) for name, used in named if used is not None)
    if len(known) < len(containers):
        return None
    return Usage(sum(used.cores for _name, used in known), sum(used.memory for _name, used in known), known)


def allocatable(node: KubeObject) -> Usage | None:
    """What a Node can give to Pods."""
    status = node.get("status")
    return _used(status.get("allocatable")) if isinstance(status, dict) else None


def _used(value: Any) -> Usage | None:
    if not isinstance(value, dict):
        return None
    cpu, memory = (number(str(value.get(key, ""))) for key in ("cpu", "memory"))
    if cpu is None or memory is None or min(cpu, memory) < 0:
        return None
    return Usage(float(cpu), int(memory))
