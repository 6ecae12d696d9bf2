"""One object as its page shows it: its owners and manager, its state and why, and the panels of its kind
(resources/kinds/).

Everything here reads what some operator wrote: a part with another shape than expected is left out, and never an error.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject, name_of, namespace_of, without_last_applied
from kube.reader import read
from kube.selectors import pod_selector
from kube.types.meta import ObjectMeta, ObjectReference, OwnerReference
from resources.causes.engine import explained_health
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
    rbac,
    storage,
    workloads,
)
from resources.state.health import Condition, Health, conditions
from resources.types.manager import Manager, manager

SIMULATED = "operator-console.dev/simulated"
_LABELS = 100


@dataclass(frozen=True, slots=True)
class Link:
    """An object that another one names. `type`: None where the cluster doesn't (or no longer) serve the kind."""

    kind: str
    name: str
    namespace: str
    type: ResourceType | None


@dataclass(frozen=True, slots=True)
class Fact:
    """A printer column of the kind, with its value for this object."""

    name: str
    text: str
    help: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """`pods`: the label selector of the Pods that the object stands for, '' if it has none."""

    type: ResourceType
    name: str
    namespace: str
    created: str
    deleted: str
    health: Health
    labels: tuple[tuple[str, str], ...]
    annotations: tuple[tuple[str, str], ...]
    finalizers: tuple[str, ...]
    owners: tuple[Link, ...]
    conditions: tuple[Condition, ...]
    facts: tuple[Fact, ...]
    pods: str
    simulated: bool
    manager: Manager | None = None


def detail(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> Detail:
    """All of it from the object, and one more question to the API server: what its printer columns say."""
    metadata = read(obj.get("metadata"), ObjectMeta)
    return Detail(
        type=type_,
        name=metadata.name,
        namespace=metadata.namespace,
        created=metadata.creation_timestamp,
        deleted=metadata.deletion_timestamp,
        health=explained_health(obj),
        labels=_pairs(metadata.labels),
        annotations=_pairs(without_last_applied(metadata.annotations)),
        finalizers=metadata.finalizers,
        owners=tuple(link(client, reference, metadata.namespace) for reference in metadata.owner_references),
        conditions=conditions(obj),
        facts=facts(client, type_, obj),
        pods=pod_selector(obj),
        simulated=is_simulated(obj),
        manager=manager(obj) if not metadata.owner_references else None,
    )


def is_simulated(obj: Mapping[str, Any]) -> bool:
    """Whether the embedded cluster only pretends to run this Pod, since it can't run its image."""
    return read(obj.get("metadata"), ObjectMeta).annotations.get(SIMULATED) == "true"


def link(client: ClusterClient, reference: OwnerReference | ObjectReference, namespace: str) -> Link:
    """By apiVersion, kind and name."""
    group, _, version = reference.api_version.rpartition("/")
    kind, name = reference.kind, reference.name
    try:
        found = client.find_kind(group, kind, version)
    except NotFound:
        return Link(kind, name, namespace, None)
    return Link(kind, name, namespace if found.namespaced else "", found if name else None)


def facts(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> tuple[Fact, ...]:
    """The columns that `kubectl get -o wide` prints, but name and age. None when the API server does not tell."""
    if "list" not in type_.verbs:
        return ()
    field = f"metadata.name={name_of(obj)}"
    try:
        table = client.table(type_, namespace_of(obj), fields=field, limit=1, include="None")
    except KubeError:
        return ()
    if not table.rows:
        return ()
    pairs = zip(table.columns, table.rows[0].cells, strict=False)
    return tuple(
        Fact(column.name, str(cell), column.description)
        for column, cell in pairs
        if column.name not in ("Name", "Age", "Created At", "Labels", "Data")
        and cell not in (None, "", "<none>", "<unset>")
    )


def _pairs(values: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(values.items()))[:_LABELS]


_MAKERS: dict[tuple[str, str], Maker] = {
    kind: maker
    for family in (
        crds,
        pods,
        workloads,
        jobs,
        network,
        configs,
        storage,
        namespaces,
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


def without_panel_fields(type_: ResourceType, obj: KubeObject) -> KubeObject:
    """The object without what its panels already show."""
    shown = _TOLD.get((type_.group, type_.kind), frozenset())
    return {key: value for key, value in obj.items() if key not in shown}


def panels(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> tuple[Panel, ...]:
    """None for kinds that have nothing special."""
    make = _MAKERS.get((type_.group, type_.kind))
    return tuple(make(client, type_, obj)) if make else ()
