"""Deleting says what it does, and deletes that object only; scaling goes through the scale subresource."""

from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.errors import NotFound


def test_delete(browser: Client, client: ClusterClient, namespace: str, config_map: str) -> None:
    url = f"/resources/core/v1/configmaps/{namespace}/{config_map}/delete/"
    maps = client.find("", "v1", "configmaps")
    uid = client.get(maps, config_map, namespace)["metadata"]["uid"]
    assert uid in browser.get(url).content.decode()
    assert browser.post(url, {"uid": "another"}).status_code == 409
    assert client.get(maps, config_map, namespace)
    assert browser.post(url, {"uid": uid})["Location"] == "/resources/core/v1/configmaps/"
    with pytest.raises(NotFound):
        client.get(maps, config_map, namespace)


def test_a_namespace_goes_only_when_its_name_is_typed(browser: Client, client: ClusterClient, namespace: str) -> None:
    url = f"/resources/core/v1/namespaces/-/{namespace}/delete/"
    refused = browser.post(url, {"typed": "nearly"})
    assert refused.status_code == 422
    assert b'value="nearly"' in refused.content
    spaces = client.find("", "v1", "namespaces")
    assert "deletionTimestamp" not in client.get(spaces, namespace)["metadata"]
    assert browser.post(url, {"typed": namespace}).status_code == 302


@pytest.fixture
def deployment(client: ClusterClient, namespace: str) -> str:
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "nginx"}]}}
    obj: dict[str, Any] = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"replicas": 1, "selector": {"matchLabels": labels}, "template": template},
    }
    client.create(client.find("apps", "v1", "deployments"), obj, namespace)
    return "web"


def test_scale(browser: Client, client: ClusterClient, namespace: str, deployment: str) -> None:
    url = f"/resources/apps/v1/deployments/{namespace}/{deployment}/scale/"
    assert b'value="1"' in browser.get(url).content
    assert browser.post(url, {"replicas": "3"}).status_code == 302
    assert client.get(client.find("apps", "v1", "deployments"), deployment, namespace)["spec"]["replicas"] == 3


@pytest.mark.parametrize("typed", ["", "-1", "two", "1.5", "99999999999"])
def test_no_number_of_replicas(browser: Client, namespace: str, deployment: str, typed: str) -> None:
    answer = browser.post(f"/resources/apps/v1/deployments/{namespace}/{deployment}/scale/", {"replicas": typed})
    assert answer.status_code == 422
    assert b'aria-invalid="true"' in answer.content


def test_what_has_no_scale(browser: Client, namespace: str, config_map: str) -> None:
    assert browser.get(f"/resources/core/v1/configmaps/{namespace}/{config_map}/scale/").status_code == 404
