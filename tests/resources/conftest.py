"""A clean Redis for each test, and the embedded cluster's client."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from console.web.clusters import console_client
from kube.client import ClusterClient


@pytest.fixture
def pipe(redis_server: str) -> Iterator["redis.Redis"]:
    """An empty Redis; a direct connection to it."""
    with redis.Redis.from_url(redis_server) as found:
        found.flushall()
        yield found


@pytest.fixture
def client(cluster_kubeconfig: Path) -> ClusterClient:
    return console_client()
