"""The client against the embedded cluster, as its administrator."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from kube.client import ClusterClient
from kube.config import load

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def client(cluster_kubeconfig: Path) -> ClusterClient:
    return ClusterClient(load(str(cluster_kubeconfig)))


@pytest.fixture
def namespace(client: ClusterClient) -> Iterator[str]:
    name = f"kube-{next(_numbers)}"
    type_ = client.find("", "v1", "namespaces")
    client.create(type_, {"metadata": {"name": name}})
    yield name
    client.delete(type_, name)
