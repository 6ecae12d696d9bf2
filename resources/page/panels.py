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
    kudo,
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
        crds,
        pods,
        workloads,
        jobs,
        services,
        network,
        configs,
        secrets,
        storage,
        namespaces,
        quotas,
        rbac,
        nodes,
        kudo,
    )
    for kind, maker in family.PANELS.items()
}


# Parts of an object that its panels show whole: the tree of its values need not say them again.
_TOLD: dict[tuple[str, str], frozenset[str]] = {
    ("", "ConfigMap"): frozenset({"data", "binaryData", "immutable"}),
    ("", "Secret"): frozenset({"data", "type", "immutable"}),
    ("", "Endpoints"): frozenset({"subsets"}),
    ("discovery.k8s.io", "EndpointSlice"): frozenset({"endpoints", "ports"}),
    **{(rbac.GROUP, kind): frozenset({"rules"}) for kind in ("Role", "ClusterRole")},
    **{(rbac.GROUP, kind): frozenset({"subjects", "roleRef"}) for kind in ("RoleBinding", "ClusterRoleBinding")},
}


def untold(type_: ResourceType, obj: KubeObject) -> KubeObject:
    """The object without what its panels already show."""
    shown = _TOLD.get((type_.group, type_.kind), frozenset())
    return {key: value for key, value in obj.items() if key not in shown}


def panels(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> tuple[Panel, ...]:
    """None for kinds that have nothing special."""
    make = _MAKERS.get((type_.group, type_.kind))
    return tuple(make(client, type_, obj)) if make else ()
