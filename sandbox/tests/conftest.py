"""A sandbox process of its own for the tests of its API, and a fresh namespace for each test."""

import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import processes
from tests.api import Api
from tests.conftest import cluster_kubeconfig, real_catalog
from tests.kubectl import Kubectl

__all__ = ["cluster_kubeconfig", "real_catalog"]
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def kubeconfig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The kubeconfig of a running sandbox."""
    data = tmp_path_factory.mktemp("sandbox")
    with processes.sandbox(data):
        yield data / "kubeconfig"


@pytest.fixture(scope="session")
def api(kubeconfig: Path) -> Api:
    """The admin."""
    return Api(kubeconfig)


@pytest.fixture
def namespace(api: Api) -> str:
    """A new namespace; its name."""
    name = f"test-{next(_numbers)}"
    assert api.post("/api/v1/namespaces", {"metadata": {"name": name}}).status == 201
    return name


@pytest.fixture
def maps(api: Api, namespace: str) -> str:
    """The path of ConfigMaps in a new namespace. There is one, which always comes back: kube-root-ca.crt."""
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    with api.watch(f"{path}?watch=1&fieldSelector=metadata.name%3Dkube-root-ca.crt") as watch:
        watch.next()
    return path


@pytest.fixture(scope="session")
def kubectl() -> str:
    """The path of kubectl; the test is skipped where there is none."""
    found = shutil.which("kubectl")
    if found is None:
        pytest.skip("needs kubectl on PATH")
    return found


@pytest.fixture
def k(kubectl: str, kubeconfig: Path, namespace: str, tmp_path: Path) -> Kubectl:
    """kubectl in a new namespace."""
    return Kubectl(kubectl, kubeconfig, namespace, tmp_path)
