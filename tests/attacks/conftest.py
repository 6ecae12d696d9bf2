"""The embedded cluster with OLM, or the one of --kubeconfig."""

from pathlib import Path

import pytest

from console.web.clusters import console_client
from kube.client import ClusterClient
from operatorhub import olm
from tests.eventually import until
from tests.operatorhub.conftest import ready


@pytest.fixture(scope="module")
def cluster(cluster_kubeconfig: Path, redis_server: str) -> ClusterClient:
    found = console_client()
    until(lambda: olm.served(found) or found.forget_types())
    until(lambda: ready(found, 1))
    return found
