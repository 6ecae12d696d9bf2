"""One cluster for all operators' tests, with the catalog of ours in it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.operators.tests.places import ROOT
from tests import processes
from tests.api import Api
from tests.conftest import cluster_kubeconfig, real_catalog

__all__ = ["cluster_kubeconfig", "real_catalog"]


@pytest.fixture(scope="package")
def api(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """The cluster of --kubeconfig, or an embedded one that ends with the last test here."""
    if given := request.config.getoption("--kubeconfig"):
        yield Api(Path(given).expanduser())
        return
    data = tmp_path_factory.mktemp("sandbox")
    with processes.sandbox(data, ROOT / "examples" / "operators" / "packages"):
        yield Api(data / "kubeconfig")
