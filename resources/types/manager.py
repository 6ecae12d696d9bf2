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
from django.urls import reverse

from kube.client import ClusterClient
from kube.errors import KubeError
from kube.reader import read
from kube.types.meta import Object, ObjectMeta

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

    @property
    def url(self) -> str:
        """The page of an operator or an extension; '' for all others."""
        if self.namespace:
            return reverse("operatorhub:operator", args=(self.namespace, self.name))
        return reverse("operatorhub:extension", args=(self.name,)) if self.what == "ClusterExtension" else ""


def manager(obj: Mapping[str, Any]) -> Manager | None:
    """The nearest one; None for an object of which nothing says so."""
    return _manager(read(obj, Object).metadata)


def _manager(metadata: ObjectMeta) -> Manager | None:
    if (owner := metadata.controller).name:
        return Manager(owner.kind, owner.name)
    return _olm(metadata) or _noted_operator(metadata) or _tool(metadata)


def alongside(obj: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """(namespace, CSV) of the operators that brought a definition, each of their versions; () for any other object."""
    return _alongside(read(obj, Object).metadata)


def _alongside(metadata: ObjectMeta) -> tuple[tuple[str, str], ...]:
    notes = sorted(metadata.annotations.items())
    found = (value.partition("/") for key, value in notes if key.startswith(_ALONGSIDE))
    return tuple((namespace, name) for namespace, _slash, name in found if namespace and name)


def _noted_operator(metadata: ObjectMeta) -> Manager | None:
    """Where there are notes of several versions or operators, definition_owner() finds out which one is there."""
    brought = _alongside(metadata)
    return Manager("ClusterServiceVersion", brought[0][1], brought[0][0]) if len(brought) == 1 else None


def _olm(metadata: ObjectMeta) -> Manager | None:
    """OLM labels what it makes for a ClusterServiceVersion, also where an owner can not be named since it lives in a
    namespace.

    https://github.com/operator-framework/operator-lifecycle-manager/blob/master/pkg/lib/ownerutil/util.go
    """
    labels = metadata.labels
    if labels.get("olm.owner.kind", "") not in ("ClusterServiceVersion", ""):
        return None
    if extension := labels.get("olm.operatorframework.io/owner-name"):
        return Manager("ClusterExtension", extension)
    name = labels.get("olm.owner")
    if not name:
        return None
    return Manager("ClusterServiceVersion", name, labels.get("olm.owner.namespace") or metadata.namespace)


def _tool(metadata: ObjectMeta) -> Manager | None:
    labels, annotations = metadata.labels, metadata.annotations
    if release := annotations.get("meta.helm.sh/release-name"):
        return Manager("Helm", release)
    if application := annotations.get(_ARGO, "").partition(":")[0]:
        return Manager("Argo CD", application)
    for kind, key in (
        ("Flux Kustomization", "kustomize.toolkit.fluxcd.io/name"),
        ("Flux HelmRelease", "helm.toolkit.fluxcd.io/name"),
    ):
        if name := labels.get(key):
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
    found = [read(row.object, Object).metadata for row in rows]
    there = _csvs(client) if any(_alongside(metadata) for metadata in found) else frozenset()
    owners = {metadata.name: owner for metadata in found if (owner := _definition_owner(metadata, there))}
    return Definitions(frozenset(metadata.name for metadata in found), owners)


def definition_owner(client: ClusterClient, definition: Mapping[str, Any]) -> Manager | None:
    """The manager of one definition."""
    metadata = read(definition, Object).metadata
    return _definition_owner(metadata, _csvs(client) if len(_alongside(metadata)) > 1 else frozenset())


def _definition_owner(metadata: ObjectMeta, there: frozenset[tuple[str, str]]) -> Manager | None:
    brought = _alongside(metadata)
    if not brought:
        return _manager(metadata)
    namespace, name = next((csv for csv in brought if csv in there), brought[-1])
    return Manager("ClusterServiceVersion", name, namespace)


def _csvs(client: ClusterClient) -> frozenset[tuple[str, str]]:
    """(namespace, name) of all but the copies that OLM makes for other namespaces."""
    try:
        rows = client.table(client.find(*_CSVS), labels="!olm.copiedFrom").rows
    except KubeError:
        return frozenset()
    found = [read(row.object, Object).metadata for row in rows]
    return frozenset((metadata.namespace, metadata.name) for metadata in found)
