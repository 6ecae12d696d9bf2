"""/api/resources/types/ and …/explain/: kinds and schemas as JSON."""

from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from resources.lists import counts
from resources.types import manager


@pytest.fixture
def api(client: ClusterClient, db: None) -> Client:
    counts._kept.clear()
    manager.read_definitions.cache_clear()
    return Client(headers={"Accept": "application/json"})


def test_kinds(api: Client) -> None:
    found = api.get("/api/resources/types/").json()
    kinds = {(entry["group"], entry["plural"]): entry for entry in found["items"]}
    deployments = kinds["apps", "deployments"]
    assert (deployments["kind"], deployments["versions"], deployments["short_names"]) == (
        "Deployment",
        ["v1"],
        ["deploy"],
    )
    assert deployments["categories"] == ["all"]
    assert {"create", "watch"} <= set(deployments["verbs"])
    assert "scale" in deployments["subresources"]
    assert deployments["count"] is None
    assert found["total"] >= len(found["items"])
    assert found["errors"] == []


def test_kinds_are_filtered_and_counted(api: Client) -> None:
    found = api.get("/api/resources/types/", {"q": "namespaces", "scope": "cluster", "counts": "1"}).json()
    assert [entry["plural"] for entry in found["items"]] == ["namespaces"]
    assert found["items"][0]["count"]["number"] >= 4
    custom = api.get("/api/resources/types/", {"custom": "1", "verb": "any"}).json()["items"]
    assert all("." in item["group"] for item in custom)


def test_a_schema(api: Client) -> None:
    whole = api.get("/api/resources/core/v1/pods/explain/").json()
    assert (whole["kind"], whole["known"], whole["here"], whole["total"], whole["found"]) == (
        "Pod",
        True,
        None,
        None,
        [],
    )
    assert "spec" in [item["name"] for item in whole["fields_inside"]]
    part: dict[str, Any] = api.get("/api/resources/core/v1/pods/explain/", {"at": "/spec/containers"}).json()
    assert part["here"]["type"] == "list of Container"
    assert part["fields_inside"][0]["name"] == "name"
    assert part["fields_inside"][0]["required"]
    assert part["kubectl"] == "kubectl explain pods.spec.containers --api-version=v1"
    found = api.get("/api/resources/core/v1/pods/explain/", {"q": "imagePullPolicy"}).json()
    assert found["total"] == len(found["found"]) > 0


def test_no_such_place_or_kind(api: Client) -> None:
    assert api.get("/api/resources/core/v1/pods/explain/", {"at": "/nothing"}).status_code == 404
    assert api.get("/api/resources/none.example.com/v1/nothings/explain/").status_code == 404
