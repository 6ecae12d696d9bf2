"""Why an object that is being deleted is still there: each finalizer, who probably has to do its work, and whether
that one runs.

managedFields say who added a finalizer; those of Kubernetes itself are known. Whether a controller runs is read from
the Deployments of the operator that owns the kind. All of it is worded as a likelihood, since the API server only has
the names. https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from kube.objects import KubeObject, mapping
from kube.reader import read
from kube.types.meta import ManagedFieldsEntry, ManagedMeta, Object
from kube.types.olm import ClusterServiceVersion
from kube.types.workloads import Workload
from resources.state.kind_health import health

_CONTROL_PLANE = gettext_lazy("the Kubernetes control plane")
#: By the name, or what stands before its "/".
_KNOWN = {
    "kubernetes": (
        gettext_lazy("the namespace controller"),
        gettext_lazy("deletes all objects in the namespace first"),
    ),
    "foregroundDeletion": (
        gettext_lazy("the garbage collector"),
        gettext_lazy("deletes the owned objects first"),
    ),
    "orphan": (
        gettext_lazy("the garbage collector"),
        gettext_lazy("removes the owner reference from the owned objects first"),
    ),
    "kubernetes.io/pvc-protection": (_CONTROL_PLANE, gettext_lazy("waits until no Pod uses the claim")),
    "kubernetes.io/pv-protection": (_CONTROL_PLANE, gettext_lazy("waits until no claim is bound to the volume")),
    "batch.kubernetes.io/job-tracking": (_CONTROL_PLANE, gettext_lazy("waits until the Job has counted the Pod")),
    "service.kubernetes.io/load-balancer-cleanup": (
        gettext_lazy("the cloud's service controller"),
        gettext_lazy("removes the load balancer first"),
    ),
    "customresourcecleanup.apiextensions.k8s.io": (
        gettext_lazy("the API server"),
        gettext_lazy("deletes all objects of the resource type first"),
    ),
    "external-attacher": (gettext_lazy("the storage driver"), gettext_lazy("detaches the volume first")),
    "finalizers.fluxcd.io": (gettext_lazy("the Flux controller for this resource type"), ""),
    "resources-finalizer.argocd.argoproj.io": (
        gettext_lazy("Argo CD's application controller"),
        gettext_lazy("deletes the objects that the Application deployed first"),
    ),
    "foreground-finalizer.argocd.argoproj.io": (
        gettext_lazy("Argo CD's application controller"),
        gettext_lazy("deletes the objects that the Application deployed first"),
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller:
    """A Deployment that probably does the work. `state`: its state word; `reason`: why it does not run.

    `is_running`: False only where that is known.
    """

    type: ResourceType
    namespace: str
    name: str
    state: str
    reason: str
    is_running: bool = True


@dataclass(frozen=True, slots=True)
class Finalizer:
    """`who`: in words, '' where nothing is known; `why`: what is waited for; `manager`: who put it there."""

    name: str
    who: str
    why: str
    manager: str

    @property
    def by_hand(self) -> bool:
        """A person put it there, who knows what for; no controller need be behind it."""
        return self.manager.startswith(("kubectl", "operator-console"))


def finalizers(obj: KubeObject) -> tuple[Finalizer, ...]:
    """Those that are still there, in their order."""
    managed_fields = read(obj.get("metadata"), ManagedMeta).managed_fields
    found = []
    for name in read(obj, Object).metadata.finalizers:
        known = _KNOWN.get(name) or _KNOWN.get(name.partition("/")[0])
        who, why = (str(known[0]), str(known[1])) if known else ("", "")
        found.append(Finalizer(name, who, why, _manager(managed_fields, name)))
    return tuple(found)


def _manager(managed_fields: Iterable[ManagedFieldsEntry], finalizer: str) -> str:
    """The last one that wrote this finalizer, by its own name."""
    found = ""
    for entry in managed_fields:
        fields = mapping(mapping(entry.fields_v1.get("f:metadata")).get("f:finalizers"))
        if f'v:"{finalizer}"' in fields or (not any(key.startswith("v:") for key in fields) and fields):
            found = entry.manager
    return found


def controllers(client: ClusterClient, type_: ResourceType) -> tuple[Controller, ...]:
    """The Deployments of the operator that owns the kind, as its ClusterServiceVersion names them.

    Empty where that is not known.
    """
    try:
        type_csv = client.find("operators.coreos.com", "v1alpha1", "clusterserviceversions")
        csvs = client.list(type_csv, labels="!olm.copiedFrom").items
        deployments = client.find("apps", "v1", "deployments")
    except KubeError:
        return ()
    found: list[Controller] = []
    for obj in csvs:
        csv = read(obj, ClusterServiceVersion)
        if any(owned.name == type_.qualified for owned in csv.spec.customresourcedefinitions.owned):
            names = [deployment.name for deployment in csv.spec.install.spec.deployments]
            found += (_controller(client, deployments, csv.metadata.namespace, name) for name in names)
    return tuple(found)


def _controller(client: ClusterClient, type_: ResourceType, namespace: str, name: str) -> Controller:
    try:
        obj = client.get(type_, name, namespace)
    except KubeError as error:
        gone = error.code == 404
        return Controller(
            type=type_,
            namespace=namespace,
            name=name,
            state=_("deleted") if gone else "",
            reason=str(error),
            is_running=not gone,
        )
    state = health(obj)
    deployment = read(obj, Workload)
    is_running = deployment.status.ready_replicas > 0
    reason = state.reason if is_running or state.reason else _("no Pods are ready")
    return Controller(
        type=type_,
        namespace=namespace,
        name=deployment.metadata.name,
        state=state.label,
        reason=reason,
        is_running=is_running,
    )


def removal(obj: KubeObject, name: str) -> list[dict[str, Any]]:
    """A JSON patch that removes the finalizer, and fails if the list or the object has changed since."""
    metadata = read(obj, Object).metadata
    at = metadata.finalizers.index(name)
    return [
        {"op": "test", "path": "/metadata/uid", "value": metadata.uid},
        {"op": "test", "path": f"/metadata/finalizers/{at}", "value": name},
        {"op": "remove", "path": f"/metadata/finalizers/{at}"},
    ]
