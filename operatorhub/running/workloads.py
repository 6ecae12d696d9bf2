"""The workloads of an operator: its Deployments and their Pods, each with a state and the reason."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import Forbidden, NotFound
from kube.reader import read
from kube.types.core import Pod
from kube.types.olm import ClusterServiceVersionSpec
from kube.types.workloads import Workload
from operatorhub import olm
from resources.state.health import condition_of

DONE, RUNNING, WAITING, FAILED, ASKS = "done", "running", "waiting", "failed", "asks"
_SHOWN_PODS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class StagePart:
    """One object of a stage: `state` as above, `url` '' where it has no page yet."""

    kind: str
    name: str
    state: str
    words: str
    url: str = ""


def page_of(plural: str, namespace: str, name: str, group: str = olm.GROUP, version: str = olm.VERSION) -> str:
    """The address of an object's own page."""
    return reverse(
        "resources:detail",
        kwargs={
            "group": group or "core",
            "version": version,
            "plural": plural,
            "namespace": namespace or "-",
            "name": name,
        },
    )


def deployments(found: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the Deployments that a CSV makes."""
    spec = read(found.get("spec"), ClusterServiceVersionSpec)
    return tuple(deployment.name for deployment in spec.install.spec.deployments if deployment.name)


def read_workloads(
    client: ClusterClient, namespace: str, found: Mapping[str, Any]
) -> tuple[tuple[StagePart, ...], tuple[StagePart, ...]]:
    """The CSV's Deployments and the Pods of the existing ones; objects that can't be read are omitted."""
    shown: list[StagePart] = []
    pods: list[StagePart] = []
    for name in deployments(found):
        try:
            obj = client.get(client.find("apps", "v1", "deployments"), name, namespace)
        except (NotFound, Forbidden):
            shown.append(deployment_part(namespace, name, None))
            continue
        deployment = read(obj, Workload)
        shown.append(deployment_part(namespace, name, deployment))
        if labels := deployment.spec.selector.match_labels:
            pods += _pods(client, namespace, ",".join(f"{key}={value}" for key, value in labels.items()))
    return tuple(shown), tuple(pods)


def _pods(client: ClusterClient, namespace: str, selector: str) -> list[StagePart]:
    try:
        listed = client.list(client.find("", "v1", "pods"), namespace, labels=selector, limit=_SHOWN_PODS).items
    except Forbidden:
        return []
    return [pod_part(namespace, read(pod, Pod)) for pod in listed]


def deployment_part(namespace: str, name: str, deployment: Workload | None) -> StagePart:
    if deployment is None:
        return StagePart(kind="Deployment", name=name, state=WAITING, words=_("pending"))
    url = page_of("deployments", namespace, name, "apps", "v1")
    if failure := condition_of(deployment.status.conditions, "ReplicaFailure", "True"):
        return StagePart(kind="Deployment", name=name, state=FAILED, words=failure.message, url=url)
    wanted, ready = deployment.spec.replicas, deployment.status.available_replicas
    words = _("%(ready)d of %(wanted)d ready") % {"ready": ready, "wanted": wanted}
    return StagePart(kind="Deployment", name=name, state=DONE if ready >= wanted else RUNNING, words=words, url=url)


def pod_part(namespace: str, pod: Pod) -> StagePart:
    status, name = pod.status, pod.metadata.name
    ready = condition_of(status.conditions, "Ready", "True")
    reasons = [
        f"{state.reason} {state.message}".strip()
        for container in (*status.init_container_statuses, *status.container_statuses)
        for state in (container.state.waiting, container.state.terminated)
        if state and state.reason not in ("", "Completed", "ContainerCreating", "PodInitializing")
    ]
    unscheduled = [
        condition.message
        for condition in status.conditions
        if condition.type == "PodScheduled" and condition.status == "False"
    ]
    words = "; ".join(reasons or unscheduled) or (_("ready") if ready else status.phase or _("pending"))
    state = DONE if ready else FAILED if reasons or unscheduled or status.phase == "Failed" else RUNNING
    return StagePart(
        kind="Pod",
        name=name,
        state=state,
        words=words,
        url=page_of("pods", namespace, name, "core", "v1"),
    )
