"""What pages say when a kind, or one of its versions, is served no more while the console still knows it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from console.web.clusters import console_client
from kube.client import ClusterClient
from tests.eventually import until

pytestmark = pytest.mark.django_db


@pytest.fixture
def other(cluster_kubeconfig: Path, redis_server: str) -> ClusterClient:
    """A client outside of the console, which changes kinds without its knowledge."""
    return ClusterClient(console_client().config)


@pytest.fixture
def group(other: ClusterClient) -> Iterator[str]:
    """Of a kind Bear in v1 and v1alpha1."""
    found = f"{uuid4().hex[:6]}.zoo.example"
    other.create(_crds(other), {"metadata": {"name": f"bears.{found}"}, **_definition(found, "v1", "v1alpha1")})
    yield found
    other.delete(_crds(other), f"bears.{found}")


def _crds(client: ClusterClient) -> Any:
    return client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")


def _definition(group: str, *served: str) -> dict[str, Any]:
    schema = {"openAPIV3Schema": {"type": "object"}}
    versions = [
        {"name": name, "served": name in served, "storage": name == "v1", "schema": schema}
        for name in ("v1", "v1alpha1")
    ]
    names = {"plural": "bears", "singular": "bear", "kind": "Bear", "listKind": "BearList"}
    return {"spec": {"group": group, "scope": "Namespaced", "names": names, "versions": versions}}


def test_a_version_that_went_is_named_and_the_others_stay(other: ClusterClient, group: str) -> None:
    browser = Client()
    old, new = f"/resources/{group}/v1alpha1/bears/", f"/resources/{group}/v1/bears/"
    until(lambda: browser.get(old).status_code == 200)
    other.patch(_crds(other), f"bears.{group}", _definition(group, "v1"))
    until(lambda: browser.get(old).status_code == 404)
    # The first 404 may still be the API server's own; from the next on the console knows.
    words = f"the cluster serves no resource &#x27;bears&#x27; in {group}/v1alpha1"
    until(lambda: words in browser.get(old).content.decode(), 8)
    assert (
        "its CustomResourceDefinition may not be installed, or have another version"
        in browser.get(old).content.decode()
    )
    assert browser.get(new).status_code == 200


def test_an_objects_page_of_a_kind_that_went(other: ClusterClient, group: str) -> None:
    browser = Client()
    page = f"/resources/{group}/v1/bears/default/bruno/"
    bear = {"apiVersion": f"{group}/v1", "kind": "Bear", "metadata": {"name": "bruno"}}
    until(lambda: browser.get(f"/resources/{group}/v1/bears/").status_code == 200)
    other.create(console_client().find(group, "v1", "bears"), bear, "default")
    assert browser.get(page).status_code == 200
    other.delete(_crds(other), f"bears.{group}")
    until(lambda: browser.get(page).status_code == 404)
    until(lambda: "the cluster serves no resource" in browser.get(page).content.decode(), 8)
    other.create(_crds(other), {"metadata": {"name": f"bears.{group}"}, **_definition(group, "v1")})
    until(lambda: browser.get(f"/resources/{group}/v1/bears/").status_code == 200, 8)
