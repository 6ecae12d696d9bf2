"""Why an object that is being deleted is still there: each finalizer, who probably has to do its work, and whether
that one runs.

managedFields say who added a finalizer; those of Kubernetes itself are known. Whether a controller runs is read from
the Deployments of the operator that owns the kind. All of it is worded as a likelihood, since the API server only has
the names. https://kubernetes.io/docs/concepts/overview/working-with-objects/finalizers/
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from kube.objects import KubeObject, items, mapping, name_of, namespace_of, text
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
    metadata = mapping(obj.get("metadata"))
    names = metadata.get("finalizers")
    found = []
    for name in names if isinstance(names, list) else ():
        name = text(name)
        known = _KNOWN.get(name) or _KNOWN.get(name.partition("/")[0])
        who, why = (str(known[0]), str(known[1])) if known else ("", "")
        found.append(Finalizer(name, who, why, _manager(metadata, name)))
    return tuple(found)


def _manager(metadata: Mapping[str, Any], finalizer: str) -> str:
    """The last one that wrote this finalizer, by its own name."""
    found = ""
    for entry in items(metadata.get("managedFields")):
        of = mapping(mapping(mapping(entry.get("fieldsV1")).get("f:metadata")).get("f:finalizers"))
        if f'v:"{finalizer}"' in of or (not any(key.startswith("v:") for key in of) and of):
            found = text(entry.get("manager"))
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
    for csv in csvs:
        if not _owns(csv, type_):
            continue
        install = mapping(mapping(mapping(csv.get("spec")).get("install")).get("spec"))
        names = [text(entry.get("name")) for entry in items(install.get("deployments"))]
        found += (_controller(client, deployments, namespace_of(csv), name) for name in names)
    return tuple(found)


def _owns(csv: KubeObject, type_: ResourceType) -> bool:
    owned = items(mapping(mapping(csv.get("spec")).get("customresourcedefinitions")).get("owned"))
    return any(text(entry.get("name")) == f"{type_.plural}.{type_.group}" for entry in owned)


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
    replicas = mapping(obj.get("status")).get("readyReplicas")
    reason = state.reason if replicas or state.reason else _("no Pods are ready")
    return Controller(
        type=type_, namespace=namespace, name=name_of(obj), state=state.label, reason=reason, is_running=bool(replicas)
    )


def removal(obj: KubeObject, name: str) -> list[dict[str, Any]]:
    """A JSON patch that removes the finalizer, and fails if the list or the object has changed since."""
    metadata = mapping(obj.get("metadata"))
    names = [text(finalizer) for finalizer in metadata.get("finalizers") or ()]
    at = names.index(name)
    return [
        {"op": "test", "path": "/metadata/uid", "value": text(metadata.get("uid"))},
        {"op": "test", "path": f"/metadata/finalizers/{at}", "value": name},
        {"op": "remove", "path": f"/metadata/finalizers/{at}"},
    ]
