"""The panels of one object's page, by its kind (resources/kinds/)."""

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject
from resources.kinds import (
    Maker,
    Panel,
    configs,
    crds,
    jobs,
    namespaces,
    network,
    nodes,
    pods,
    quotas,
    rbac,
    secrets,
    services,
    storage,
    workloads,
)

_MAKERS: dict[tuple[str, str], Maker] = {
    kind: maker
    for family in (
        crds, pods, workloads, jobs, services, network, configs, secrets, storage, namespaces, quotas, rbac, nodes,
    )
    for kind, maker in family.PANELS.items()
}  # fmt: skip


def panels(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> tuple[Panel, ...]:
    """None for kinds that have nothing special."""
    make = _MAKERS.get((type_.group, type_.kind))
    return tuple(make(client, type_, obj)) if make else ()
