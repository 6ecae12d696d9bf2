"""The embedded cluster with its own catalog; and one with the 268 real packages beside it, for the index."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from console.web.clusters import console_client
from kube.client import ClusterClient
from kube.config import load
from operatorhub import olm
from operatorhub.find import catalog
from tests import processes
from tests.conftest import ROOT
from tests.environment import FOLDER
from tests.eventually import until
from tests.operatorhub.blocks import Kubectl


def ready(client: ClusterClient, least: int) -> bool:
    """Whether there are `least` catalogs, and all answer."""
    sources = client.list(olm.type_of(client, olm.SOURCES)).items
    states = [
        ((source.get("status") or {}).get("connectionState") or {}).get("lastObservedState") for source in sources
    ]
    return len(states) >= least and set(states) == {"READY"}


@pytest.fixture
def client(cluster_kubeconfig: Path) -> ClusterClient:
    found = console_client()
    until(lambda: olm.served(found) or found.forget_types())
    until(lambda: ready(found, 1))
    return found


@pytest.fixture
def kubectl(cluster_kubeconfig: Path, tmp_path: Path) -> Kubectl:
    if shutil.which("kubectl") is None:
        pytest.skip("needs kubectl on PATH")
    return Kubectl(cluster_kubeconfig, tmp_path)


@pytest.fixture(scope="session")
def full_cluster(real_catalog: Path) -> Iterator[ClusterClient]:
    """All real packages and our own."""
    data = FOLDER / "full"
    with processes.sandbox(data, ROOT / "examples" / "operators" / "packages", real_catalog):
        found = ClusterClient(load(str(data / "kubeconfig"), None))
        until(lambda: olm.served(found) or found.forget_types())
        until(lambda: ready(found, 2))
        yield found


def csv_object(**spec: Any) -> dict[str, Any]:
    """A ClusterServiceVersion with the given spec."""
    return {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": "demo.v1", "namespace": "apps", "uid": "1"},
        "spec": spec,
    }


@pytest.fixture(autouse=True)
def _fresh_entries() -> None:
    """Each test has a database of its own, so revisions restart; clear what the process caches of another test's
    database.
    """
    catalog._kept.clear()
