"""Small workloads for the tests, and what of them is comparable between clusters."""

from collections.abc import Callable
from typing import Any

from tests.api import Api

from .observations import Seen

#: No node has this program: Pods of it become Running in name.
IMAGE = "example.com/app:1"
_GROUPS = {
    "deployments": "apis/apps/v1",
    "replicasets": "apis/apps/v1",
    "statefulsets": "apis/apps/v1",
    "daemonsets": "apis/apps/v1",
    "controllerrevisions": "apis/apps/v1",
    "jobs": "apis/batch/v1",
    "cronjobs": "apis/batch/v1",
    "poddisruptionbudgets": "apis/policy/v1",
    "endpointslices": "apis/discovery.k8s.io/v1",
}


def path(namespace: str, plural: str, name: str = "") -> str:
    """Of a kind's objects in a namespace, or of one of them."""
    return f"/{_GROUPS.get(plural, 'api/v1')}/namespaces/{namespace}/{plural}{'/' if name else ''}{name}"


def container(name: str = "c", **fields: Any) -> dict[str, Any]:
    return {"name": name, "image": IMAGE, **fields}


def pod(name: str = "a", **spec: Any) -> dict[str, Any]:
    """A Pod of one container, unless ``spec`` says otherwise."""
    return {"metadata": {"name": name, "labels": {"app": name}}, "spec": {"containers": [container()], **spec}}


def template(app: str = "a", **spec: Any) -> dict[str, Any]:
    return {"metadata": {"labels": {"app": app}}, "spec": {"containers": [container()], **spec}}


def workload(name: str = "a", **spec: Any) -> dict[str, Any]:
    """A Deployment, ReplicaSet, StatefulSet or DaemonSet: selector and template, and what ``spec`` adds."""
    return {
        "metadata": {"name": name},
        "spec": {"selector": {"matchLabels": {"app": name}}, "template": template(name), **spec},
    }


def settled(obj: Any) -> bool:
    """A Deployment whose rollout is complete, and whose status says so."""
    status, wanted = obj.get("status") or {}, obj["spec"]["replicas"]
    counts = [status.get(name, 0) for name in ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")]
    reasons = [condition.get("reason") for condition in status.get("conditions") or []]
    complete = counts == [wanted] * 4 and "NewReplicaSetAvailable" in reasons
    return complete and status.get("observedGeneration") == obj["metadata"]["generation"]


def conditions(obj: Any) -> dict[str, Any]:
    """Conditions by type, without their times."""
    found = (obj.get("status") or {}).get("conditions") or []
    return {item["type"]: {key: item[key] for key in ("status", "reason", "message") if key in item} for item in found}


def items(api: Api, namespace: str, plural: str, query: str = "") -> list[Any]:
    """The objects of a kind, oldest first."""
    found: list[Any] = api.get(path(namespace, plural) + query).json["items"]
    return sorted(found, key=lambda item: (item["metadata"]["creationTimestamp"], item["metadata"]["name"]))


def replica_sets(api: Api, seen: Seen, namespace: str) -> dict[str, Any]:
    """ReplicaSets of the namespace by revision; their hashes stand as <hash of revision N> afterwards."""
    found = {}
    for replicaset in items(api, namespace, "replicasets"):
        revision = replicaset["metadata"].get("annotations", {}).get("deployment.kubernetes.io/revision", "")
        if hashed := replicaset["metadata"]["labels"].get("pod-template-hash"):
            seen.alias("hash", hashed)
        found[revision] = replicaset
    return found


def events(api: Api, namespace: str, name: str, wanted: Callable[[list[str]], Any] = bool) -> list[str]:
    """Type, reason and message of the Events about an object, as soon as they are ``wanted``; sorted."""

    def event_lines(body: Any) -> list[str]:
        about = [item for item in body["items"] if item["involvedObject"]["name"] == name]
        return sorted(f"{item['type']} {item['reason']}: {item['message']}" for item in about)

    return event_lines(api.until(path(namespace, "events"), lambda body: wanted(event_lines(body))))
