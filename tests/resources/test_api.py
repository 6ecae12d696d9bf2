"""/api/resources/: the same objects as JSON, with the same rights, and only for the console's own pages."""

from uuid import uuid4

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.errors import NotFound

MAPS = "/api/resources/core/v1/configmaps/"


def test_types_and_schema(client: ClusterClient, db: None) -> None:
    types = Client().get("/api/resources/").json()
    assert {"core/pods"} <= {f"{item['group'] or 'core'}/{item['plural']}" for item in types}
    assert Client().get("/api/schema/").status_code == 200


def test_an_objects_life(client: ClusterClient, db: None) -> None:
    browser, name = Client(), f"api-{uuid4().hex[:6]}"
    obj = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": "default"},
        "data": {"a": "1"},
    }
    made = browser.post(MAPS, obj, content_type="application/json")
    assert made.status_code == 201
    assert browser.post(MAPS, obj, content_type="application/json").status_code == 409
    url = f"{MAPS}default/{name}/"
    assert browser.patch(url, {"data": {"b": "2"}}, content_type="application/json").json()["data"] == {
        "a": "1",
        "b": "2",
    }
    listed = browser.get(MAPS, {"namespace": "default", "limit": "1000"}).json()["items"]
    assert name in [item["metadata"]["name"] for item in listed]
    assert browser.delete(url).status_code == 200
    with pytest.raises(NotFound):
        client.get(client.find("", "v1", "configmaps"), name, "default")
    assert browser.get(url).json()["reason"] == "NotFound"


def test_another_sites_page_changes_nothing(client: ClusterClient, db: None) -> None:
    strict = Client(enforce_csrf_checks=True)
    answer = strict.post(MAPS, {"metadata": {"name": "evil"}}, content_type="application/json")
    assert answer.status_code == 403
