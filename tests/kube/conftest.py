"""The client against the embedded cluster, as its administrator."""

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from kube.client import ClusterClient
from kube.config import load


@pytest.fixture(scope="session")
def client(cluster_kubeconfig: Path) -> ClusterClient:
    return ClusterClient(load(str(cluster_kubeconfig)))


@pytest.fixture
def namespace(client: ClusterClient) -> Iterator[str]:
    name = f"kube-{uuid4().hex[:8]}"
    type_ = client.find("", "v1", "namespaces")
    client.create(type_, {"metadata": {"name": name}})
    yield name
    client.delete(type_, name)
