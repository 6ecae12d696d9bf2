"""What ran before is kept, and can be had again: as kubectl rollout undo does it."""

from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from tests.eventually import until


def spec(image: str) -> dict[str, Any]:
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": image}]}}
    return {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet", "DaemonSet"])
def test_back_to_an_earlier_revision(browser: Client, client: ClusterClient, namespace: str, kind: str) -> None:
    type_ = client.find_kind("apps", kind)
    made = {key: part for key, part in spec("example.com/web:1").items() if key != "replicas" or kind != "DaemonSet"}
    client.create(type_, {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": "web"}, "spec": made}, namespace)
    url = f"/resources/{type_.topic_part}/{namespace}/web/"
    revision_type = client.find_kind("apps", "ReplicaSet" if kind == "Deployment" else "ControllerRevision")
    until(lambda: len(client.list(revision_type, namespace).items) == 1)
    containers = [{"name": "web", "image": "example.com/web:2"}]
    client.patch(type_, "web", {"spec": {"template": {"spec": {"containers": containers}}}}, namespace)
    until(lambda: "rollback/?revision=1" in browser.get(url).content.decode())

    page = browser.get(f"{url}rollback/?revision=1")
    text = page.content.decode()
    assert page.status_code == 200
    assert "example.com/web:1" in text
    assert "example.com/web:2" in text
    assert f"kubectl rollout undo {kind.lower()}/web -n {namespace} --to-revision=1" in text
    generation = str(client.get(type_, "web", namespace)["metadata"]["generation"])

    stale = browser.post(f"{url}rollback/", {"revision": "1", "generation": "1"})
    assert stale.status_code == 409
    assert "has changed in the meantime" in stale.content.decode()

    answer = browser.post(f"{url}rollback/", {"revision": "1", "generation": generation})
    assert answer.status_code == 302
    template = client.get(type_, "web", namespace)["spec"]["template"]
    assert template["spec"]["containers"][0]["image"] == "example.com/web:1"
    assert template["metadata"]["labels"] == {"app": "web"}


def test_what_can_not_be_rolled_back(browser: Client, client: ClusterClient, namespace: str) -> None:
    type_ = client.find_kind("apps", "Deployment")
    made = spec("example.com/web:1")
    client.create(
        type_, {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": made}, namespace
    )
    url = f"/resources/apps/v1/deployments/{namespace}/web/rollback/"
    assert browser.get(url, {"revision": "7"}).status_code == 404
    assert browser.get(f"/resources/core/v1/namespaces/-/{namespace}/rollback/").status_code == 404
    revision_type = client.find_kind("apps", "ReplicaSet")
    until(lambda: len(client.list(revision_type, namespace).items) == 1)
    client.patch(type_, "web", {"spec": {"paused": True}}, namespace)
    answer = browser.get(url, {"revision": "1"})
    assert answer.status_code == 409
    assert "is paused" in answer.content.decode()
