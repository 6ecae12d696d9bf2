"""Where a forward of an object may lead: itself, or what it owns that has ports.

Services first, since they name their ports.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from kube.objects import KubeObject, name_of, namespace_of
from resources.forward.targets import WORKLOADS, ForwardTarget, Port, ports
from resources.tree.owners import belongings

#: Longer lists are useless to choose from.
MOST = 30


@dataclass(frozen=True, slots=True)
class ForwardChoice:
    """One thing that can be forwarded to, with the ports it declares."""

    target: ForwardTarget
    ports: tuple[Port, ...]


def choices(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> tuple[ForwardChoice, ...]:
    """None where there is nothing (yet)."""
    namespace = namespace_of(obj)
    if own(type_):
        return (ForwardChoice(ForwardTarget(type_.kind, namespace, name_of(obj)), ports({**obj, "kind": type_.kind})),)
    found = sorted(_owned(client, type_, obj), key=_for_browsers)
    return tuple(found)[:MOST]


def _for_browsers(choice: ForwardChoice) -> bool:
    """False, and so first, for a Service at a browser's usual port: what most people want to open."""
    return not (choice.target.kind == "Service" and any(port.number in (80, 443) for port in choice.ports))


def own(type_: ResourceType) -> bool:
    """Whether a forward leads to objects of this kind themselves."""
    return (type_.kind in ("Pod", "Service") and not type_.group) or WORKLOADS.get(type_.kind) == type_.group


def _owned(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> Iterator[ForwardChoice]:
    rows = [row for row in belongings(client, type_, obj).rows if own(row.type)]
    # A Pod of a workload is reached by the workload, which outlives it.
    controlled = {row.depth for row in rows if row.type.kind in WORKLOADS}
    rank = {"Service": 0, "Deployment": 1, "StatefulSet": 2, "DaemonSet": 3, "Pod": 5}
    for row in sorted(rows, key=lambda row: rank.get(row.type.kind, 4)):
        if row.type.kind == "ReplicaSet" or (row.type.kind == "Pod" and controlled and row.depth > min(controlled)):
            continue
        target = ForwardTarget(row.type.kind, namespace_of(row.object), name_of(row.object))
        whole = {**row.object, "kind": row.type.kind}
        if row.type.kind == "Service":
            # Of Services only the metadata was read.
            try:
                whole = client.get(row.type, target.name, target.namespace)
            except KubeError:
                continue
        yield ForwardChoice(target, ports({**whole, "kind": row.type.kind}))
