"""Which Pods an object stands for, by the selector in its spec."""

from collections.abc import Mapping

from kube.objects import KubeObject
from kube.selectors import from_labels, from_selector
from resources.state.health import mapping, text

_WORKLOADS = ("Deployment", "ReplicaSet", "StatefulSet", "DaemonSet", "Job")


def pod_selector(obj: KubeObject) -> str:
    """The label selector of the Pods that a workload or Service stands for, '' for other kinds."""
    spec = mapping(obj.get("spec"))
    selector = spec.get("selector")
    if obj.get("kind") in ("Service", "ReplicationController") and isinstance(selector, Mapping):
        return from_labels({str(key): text(value) for key, value in selector.items()})
    if obj.get("kind") in _WORKLOADS and isinstance(selector, Mapping):
        return from_selector(selector)
    return ""
