"""One cluster for all tests here: the operator is installed through OLM in one namespace, and runs as a process for others."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import processes
from tests.api import Api
from tests.operators.sampledb.clusters import SECONDS, Databases, Operator, namespace

ROOT = Path(__file__).resolve().parents[3]
OLM = "/apis/operators.coreos.com"
CSV = "sampledb-operator.v1.0.0"


@pytest.fixture(scope="session")
def api(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    if given := request.config.getoption("--kubeconfig"):
        yield Api(Path(given).expanduser())
        return
    data = tmp_path_factory.mktemp("sandbox")
    with processes.sandbox(data, ROOT / "operators" / "packages"):
        yield Api(data / "kubeconfig")


@pytest.fixture(scope="session")
def installed(api: Api) -> Iterator[Databases]:
    """A namespace with the operator in it, through a Subscription: it has the rights that its bundle asks for, and no others."""
    with namespace(api, "databases") as found:
        group = {"targetNamespaces": [found.namespace]}
        wanted = {"name": "sampledb", "source": "samples-catalog", "sourceNamespace": "olm"}
        for version, kind, plural, spec in (
            ("v1", "OperatorGroup", "operatorgroups", group),
            ("v1alpha1", "Subscription", "subscriptions", wanted),
        ):
            body = {"apiVersion": f"operators.coreos.com/{version}", "kind": kind, "metadata": {"name": "ours"}}
            answer = api.post(f"{OLM}/{version}/namespaces/{found.namespace}/{plural}", {**body, "spec": spec})
            assert answer.status == 201, answer.raw
        path = f"{OLM}/v1alpha1/namespaces/{found.namespace}/clusterserviceversions/{CSV}"
        api.until(path, lambda csv: csv.get("status", {}).get("phase") == "Succeeded", 2 * SECONDS)
        yield found
        found.clear()


@pytest.fixture(scope="session")
def two(api: Api, installed: Databases) -> Iterator[tuple[Databases, Databases]]:
    """Two namespaces that an operator of the tests' own serves, beside the installed one."""
    with namespace(api, "one") as one, namespace(api, "other") as other:
        yield one, other


@pytest.fixture(scope="session")
def operator(
    api: Api, two: tuple[Databases, Databases], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Operator]:
    """That operator, running."""
    log = tmp_path_factory.mktemp("operator") / "log"
    found = Operator(api.kubeconfig, log, *(one.namespace for one in two))
    found.start()
    yield found
    for one in two:
        one.clear()
    found.kill()


@pytest.fixture
def one(two: tuple[Databases, Databases], operator: Operator) -> Databases:
    return two[0]
