"""A console that people sign in to, on a real API server and a real Redis."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from console.web.clusters import console_client
from kube.client import ClusterClient
from tests.console.signin.people import People, people


@pytest.fixture
def pipe(redis_server: str) -> Iterator["redis.Redis"]:
    with redis.Redis.from_url(redis_server) as found:
        found.flushall()
        yield found


@pytest.fixture(scope="session")
def admin(cluster_kubeconfig: Path) -> ClusterClient:
    """The console's own identity, which no request of a user must get."""
    return console_client()


@pytest.fixture(scope="session")
def staff(admin: ClusterClient) -> Iterator[People]:
    with people(admin) as found:
        yield found


@pytest.fixture(autouse=True)
def tokens(settings: Any, pipe: "redis.Redis") -> None:
    """As with SIGN_IN=token in the environment."""
    settings.SIGN_IN = "token"
    settings.LOCAL_ONLY = False
