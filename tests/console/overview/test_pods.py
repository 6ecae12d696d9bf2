"""What Pods bring to “Needs attention”: also the Deployments that can't make any."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from console.overview import pods
from console.overview.part import WARNING, CardProblem, find_causes
from console.web.clusters import console_client
from kube.client import ClusterClient
from kube.objects import uid_of
from resources.place import Place
from tests.eventually import until

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(cluster_kubeconfig: Path) -> ClusterClient:
    return console_client()


@pytest.fixture
def namespace(client: ClusterClient) -> Iterator[str]:
    name, spaces = f"attention-{uuid4().hex[:6]}", client.find("", "v1", "namespaces")
    client.create(spaces, {"metadata": {"name": name}})
    yield name
    client.delete(spaces, name)


def _deployment(client: ClusterClient, namespace: str, name: str, **spec: object) -> None:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "x/y:1"}], **spec}}
    body = {"metadata": {"name": name}, "spec": {"selector": {"matchLabels": labels}, "template": template}}
    client.create(client.find("apps", "v1", "deployments"), body, namespace)


def test_a_deployment_without_pods_is_in_trouble(client: ClusterClient, namespace: str) -> None:
    _deployment(client, namespace, "alone", serviceAccountName="nobody")
    _deployment(client, namespace, "well")

    def titles() -> list[str]:
        return [trouble.title for trouble in pods.collect(client).troubles if namespace in trouble.title]

    until(lambda: titles() == [f"Deployment alone in {namespace}"], seconds=60)
    (row,) = [trouble for trouble in pods.collect(client).troubles if namespace in trouble.title]
    assert "nobody" in row.reason and row.url.endswith(f"/deployments/{namespace}/alone/")


def test_one_whose_pods_fail_is_told_once(client: ClusterClient, namespace: str) -> None:
    image = "operator-console.dev/sampledb-engine:7"
    missing = [{"name": "c", "image": image, "envFrom": [{"configMapRef": {"name": "absent"}}]}]
    _deployment(client, namespace, "web", containers=missing)

    def titles() -> list[str]:
        return [trouble.title for trouble in pods.collect(client).troubles if namespace in trouble.title]

    until(lambda: any(title.startswith("Pod web-") for title in titles()), seconds=60)
    assert len(titles()) == 1


def test_a_pod_that_never_gets_ready_is_named_with_its_cause(client: ClusterClient, namespace: str) -> None:
    types = {kind: client.find("", "v1", kind) for kind in ("pods", "events")}
    probed = {"name": "web", "image": "x/y:1", "readinessProbe": {"httpGet": {"port": 8080}}}
    made = {}
    for name, minutes in (("slow", 6), ("starting", 1)):
        # No kubelet takes it, so its status is what is written here.
        spec = {"containers": [probed], "schedulerName": "nobody"}
        made[name] = client.create(types["pods"], {"metadata": {"name": name}, "spec": spec}, namespace)
        since = (datetime.now(UTC) - timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")
        ready = {"type": "Ready", "status": "False", "reason": "ContainersNotReady", "lastTransitionTime": since}
        container = {"name": "web", "ready": False, "state": {"running": {"startedAt": since}}}
        status = {"phase": "Running", "conditions": [ready], "containerStatuses": [container]}
        client.patch(types["pods"], name, {"status": status}, namespace, subresource="status")
    message = 'Readiness probe failed: Get "http://10.0.0.1:8080/": dial tcp: connect: connection refused'
    event = {
        "metadata": {"name": "slow.1"},
        "involvedObject": {"kind": "Pod", "name": "slow", "namespace": namespace, "uid": uid_of(made["slow"])},
        "type": "Warning",
        "reason": "Unhealthy",
        "message": message,
        "count": 9,
        "lastTimestamp": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
    client.create(types["events"], event, namespace)

    def rows() -> list[CardProblem]:
        return [trouble for trouble in pods.collect(client).troubles if namespace in trouble.title]

    (row,) = until(rows, seconds=30)
    find_causes(client, {row.cause_id: Place(types["pods"], namespace, "slow")}, 30)
    (row,) = rows()
    assert row.title == f"Pod slow in {namespace}" and row.level == WARNING
    assert "nothing listens on its port" in row.explanation
