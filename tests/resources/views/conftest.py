"""A browser without script: Django's test client, on the embedded cluster, and a namespace of each test's own."""

import contextlib
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.errors import NotFound
from tests.resources.views import definitions


@pytest.fixture
def browser(client: ClusterClient, db: None) -> Client:
    return Client(enforce_csrf_checks=False)


@pytest.fixture
def namespace(client: ClusterClient) -> Iterator[str]:
    type_ = client.find("", "v1", "namespaces")
    name = f"test-{uuid4().hex[:8]}"
    client.create(type_, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    yield name
    with contextlib.suppress(NotFound):
        client.delete(type_, name)


@pytest.fixture
def config_map(client: ClusterClient, namespace: str) -> str:
    """The name of a ConfigMap in the namespace: {"data": {"colour": "blue"}}."""
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "paint"}, "data": {"colour": "blue"}}
    client.create(client.find("", "v1", "configmaps"), obj, namespace)
    return "paint"


@pytest.fixture
def crd(client: ClusterClient) -> Iterator[dict[str, Any]]:
    """A definition of this test's own: widgets in a new group."""
    made = definitions.create(client, definitions.definition())
    yield made
    definitions.remove(client, made)
