"""An object ready to be applied elsewhere: without the fields that the API server, controllers, OLM or tools add. Pure.

Defaults stay: whether a user set them isn't recorded. The fields are those that kubectl-neat and `velero restore` leave
out.
"""

from collections.abc import Mapping
from typing import Any

from kube.objects import KubeObject, mapping, without_last_applied

#: metadata that the server writes.
SERVER_METADATA = (
    "resourceVersion",
    "uid",
    "creationTimestamp",
    "generation",
    "managedFields",
    "selfLink",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
)
# Of the cluster that the object comes from: owners (by their uid) and finalizers.
_METADATA = (*SERVER_METADATA, "ownerReferences", "finalizers", "generateName")
#: Labels and annotations that Kubernetes, OLM, kubectl and this console write for themselves.
_PREFIXES = (
    "olm.",
    "operators.coreos.com/",
    "kubectl.kubernetes.io/",
    "operator-console.dev/run-bundle",
    "console.openshift.io/operator-monitoring",
    "pv.kubernetes.io/",
    "volume.kubernetes.io/",
    "volume.beta.kubernetes.io/storage-provisioner",
    "control-plane.alpha.kubernetes.io/",
    "deprecated.daemonset.template.generation",
)
_NAMES = frozenset(
    [
        "kubernetes.io/metadata.name",
        "operatorframework.io/properties",
        "deployment.kubernetes.io/revision",
        "batch.kubernetes.io/controller-uid",
        "batch.kubernetes.io/job-name",
        "batch.kubernetes.io/job-tracking",
        "controller-uid",
        "job-name",
        "pod-template-hash",
        "controller-revision-hash",
        "statefulset.kubernetes.io/pod-name",
        "apps.kubernetes.io/pod-index",
        "kubernetes.io/service-account.uid",
    ]
)
# What the cluster gave it, by kind.
_GIVEN = {
    ("v1", "Service"): ("clusterIP", "clusterIPs", "ipFamilies", "healthCheckNodePort"),
    ("v1", "Pod"): ("nodeName", "serviceAccount"),
    ("v1", "PersistentVolumeClaim"): ("volumeName",),
    ("v1", "PersistentVolume"): ("claimRef",),
    ("v1", "Namespace"): ("finalizers",),
}
_TOKENS = "kube-api-access-"


def clean(obj: KubeObject) -> KubeObject:
    """A copy, apiVersion, kind, metadata.name and namespace first. What was made by generateName keeps its name."""
    head: KubeObject = {key: obj[key] for key in ("apiVersion", "kind") if key in obj}
    found: KubeObject = {**head, "metadata": _metadata(obj.get("metadata"))}
    found |= {key: value for key, value in obj.items() if key not in (*head, "metadata", "status")}
    if isinstance(found.get("spec"), Mapping):
        found["spec"] = _spec((str(obj.get("apiVersion")), str(obj.get("kind"))), found["spec"])
        if not found["spec"]:
            del found["spec"]
    return found


def _metadata(value: Any) -> dict[str, Any]:
    meta = {key: part for key, part in mapping(value).items() if key not in _METADATA and part is not None}
    for key in ("labels", "annotations"):
        others = without_last_applied(meta.pop(key, None))
        own = {name: part for name, part in others.items() if not _is_generated(str(name))}
        if own:
            meta[key] = own
    return {**{key: meta[key] for key in ("name", "namespace") if key in meta}, **meta}


def _is_generated(name: str) -> bool:
    return name.startswith(_PREFIXES) or name in _NAMES


def _spec(kind: tuple[str, str], value: Mapping[str, Any]) -> dict[str, Any]:
    gone = set(_GIVEN.get(kind, ()))
    if value.get("clusterIP") == "None":  # a headless Service is meant to be one
        gone -= {"clusterIP"}
    spec = {key: part for key, part in value.items() if key not in gone}
    if kind == ("v1", "Pod"):
        spec = _without_tokens(spec)
    if kind == ("batch/v1", "Job") and value.get("manualSelector") is not True:
        spec.pop("selector", None)
    template = spec.get("template")
    if isinstance(template, Mapping) and isinstance(template.get("metadata"), Mapping):
        spec["template"] = {**template, "metadata": _metadata(template["metadata"])}
    if isinstance(spec.get("volumeClaimTemplates"), list):
        spec["volumeClaimTemplates"] = [
            clean(claim) if isinstance(claim, dict) else claim for claim in spec["volumeClaimTemplates"]
        ]
    return spec


def _without_tokens(spec: dict[str, Any]) -> dict[str, Any]:
    """Without the volume of the ServiceAccount's token that admission puts into each Pod."""
    found = {**spec, "volumes": _others(spec.get("volumes"))}
    for key in ("containers", "initContainers"):
        if isinstance(spec.get(key), list):
            found[key] = [_unmounted(container) for container in spec[key]]
    return {key: part for key, part in found.items() if part or key != "volumes"}


def _unmounted(container: Any) -> Any:
    if not isinstance(container, Mapping) or "volumeMounts" not in container:
        return container
    mounts = _others(container["volumeMounts"])
    rest = {key: part for key, part in container.items() if key != "volumeMounts"}
    return {**rest, "volumeMounts": mounts} if mounts else rest


def _others(value: Any) -> list[Any]:
    items = value if isinstance(value, list) else []
    return [item for item in items if not str(mapping(item).get("name", "")).startswith(_TOKENS)]
