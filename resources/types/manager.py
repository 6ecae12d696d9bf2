"""The manager of an object: a controller or tool that may overwrite manual changes; of a CustomResourceDefinition, the
operator that brought it.

An object's is read from its controlling owner reference, or from the marks that tools leave on objects. No requests.

Definitions are read all in one request. OLM notes on a definition every version of every operator that brought it, and
takes no note away: of several the one counts whose ClusterServiceVersion is still there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from cachetools import TTLCache, cached

from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import items, mapping, name_of, namespace_of, text

#: Where definitions are found: group, version, plural.
DEFINITIONS = ("apiextensions.k8s.io", "v1", "customresourcedefinitions")
_CSVS = ("operators.coreos.com", "v1alpha1", "clusterserviceversions")
#: On a definition, by OLM: "<namespace>/<csv>" of an operator that brought it.
_ALONGSIDE = "operatorframework.io/installed-alongside-"
_ARGO = "argocd.argoproj.io/tracking-id"
_KEEP_SECONDS = 10.0
_KEPT = 64


@dataclass(frozen=True, slots=True)
class Manager:
    """`what`: a kind or a tool, `name`: its name. `namespace`: an operator's, '' for all others."""

    what: str
    name: str
    namespace: str = ""

    @property
    def words(self) -> str:
        return f"{self.what} {self.name}".strip()


def manager(obj: Mapping[str, Any]) -> Manager | None:
    """The nearest one; None for an object of which nothing says so."""
    metadata = mapping(obj.get("metadata"))
    labels, notes = mapping(metadata.get("labels")), mapping(metadata.get("annotations"))
    for owner in items(metadata.get("ownerReferences")):
        if owner.get("controller"):
            return Manager(text(owner.get("kind")), text(owner.get("name")))
    return _olm(obj, labels) or _noted_operator(obj) or _tool(labels, notes)


def alongside(obj: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """(namespace, CSV) of the operators that brought a definition, each of their versions; () for any other object."""
    notes = mapping(mapping(obj.get("metadata")).get("annotations"))
    found = (text(value).partition("/") for key, value in sorted(notes.items()) if str(key).startswith(_ALONGSIDE))
    return tuple((namespace, name) for namespace, _slash, name in found if namespace and name)


def _noted_operator(obj: Mapping[str, Any]) -> Manager | None:
    """Where there are notes of several versions or operators, definition_owner() finds out which one is there."""
    brought = alongside(obj)
    return Manager("ClusterServiceVersion", brought[0][1], brought[0][0]) if len(brought) == 1 else None


def _olm(obj: Mapping[str, Any], labels: Mapping[str, Any]) -> Manager | None:
    """OLM labels what it makes for a ClusterServiceVersion, also where an owner can not be named since it lives in a
    namespace.

    https://github.com/operator-framework/operator-lifecycle-manager/blob/master/pkg/lib/ownerutil/util.go
    """
    if text(labels.get("olm.owner.kind")) not in ("ClusterServiceVersion", ""):
        return None
    if extension := text(labels.get("olm.operatorframework.io/owner-name")):
        return Manager("ClusterExtension", extension)
    name = text(labels.get("olm.owner"))
    namespace = text(labels.get("olm.owner.namespace")) or namespace_of(dict(obj))
    if not name:
        return None
    return Manager("ClusterServiceVersion", name, namespace)


def _tool(labels: Mapping[str, Any], notes: Mapping[str, Any]) -> Manager | None:
    if release := text(notes.get("meta.helm.sh/release-name")):
        return Manager("Helm", release)
    if application := text(notes.get(_ARGO)).partition(":")[0]:
        return Manager("Argo CD", application)
    for kind, key in (
        ("Flux Kustomization", "kustomize.toolkit.fluxcd.io/name"),
        ("Flux HelmRelease", "helm.toolkit.fluxcd.io/name"),
    ):
        if name := text(labels.get(key)):
            return Manager(kind, name)
    return None


@dataclass(frozen=True, slots=True)
class Definitions:
    """All definitions by `names` ('plural.group'), and the `owners` of those that say so."""

    names: frozenset[str] = frozenset()
    owners: Mapping[str, Manager] = field(default_factory=dict)


@cached(TTLCache(_KEPT, _KEEP_SECONDS), key=lambda client: (client.host, client.who), lock=Lock())
def read_definitions(client: ClusterClient) -> Definitions:
    """All of the cluster; nothing for users who can't list them. At most ten seconds old."""
    try:
        rows = client.table(client.find(*DEFINITIONS)).rows
    except KubeError:
        rows = ()
    objects = [row.object for row in rows]
    there = _csvs(client) if any(alongside(item) for item in objects) else frozenset()
    brought = {name_of(item): owner for item in objects if (owner := _definition_owner(item, there))}
    return Definitions(frozenset(name_of(item) for item in objects), brought)


def definition_owner(client: ClusterClient, definition: Mapping[str, Any]) -> Manager | None:
    """The manager of one definition."""
    return _definition_owner(definition, _csvs(client) if len(alongside(definition)) > 1 else frozenset())


def _definition_owner(definition: Mapping[str, Any], there: frozenset[tuple[str, str]]) -> Manager | None:
    brought = alongside(definition)
    if not brought:
        return manager(definition)
    namespace, name = next((csv for csv in brought if csv in there), brought[-1])
    return Manager("ClusterServiceVersion", name, namespace)


def _csvs(client: ClusterClient) -> frozenset[tuple[str, str]]:
    """(namespace, name) of all but the copies that OLM makes for other namespaces."""
    try:
        rows = client.table(client.find(*_CSVS), labels="!olm.copiedFrom").rows
    except KubeError:
        return frozenset()
    objects = [mapping(row.object) for row in rows]
    return frozenset((namespace_of(dict(item)), name_of(dict(item))) for item in objects)
