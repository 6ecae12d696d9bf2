"""One cluster for all tests here: the operator is installed through OLM in one namespace, and runs as a process for others."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import processes
from tests.api import Api
from tests.operators.argocd.clusters import SECONDS, ArgoCDs, Operator, namespace

ROOT = Path(__file__).resolve().parents[3]
OLM = "/apis/operators.coreos.com"


@pytest.fixture(scope="session")
def api(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    if given := request.config.getoption("--kubeconfig"):
        yield Api(Path(given).expanduser())
        return
    data = tmp_path_factory.mktemp("sandbox")
    with processes.sandbox(data, ROOT / "operators" / "packages"):
        yield Api(data / "kubeconfig")


@pytest.fixture(scope="session")
def installed(api: Api) -> Iterator[ArgoCDs]:
    """A namespace with the operator in it, through a Subscription: it has the rights that its bundle asks for, and no others."""
    with namespace(api, "argocd") as found:
        group = {"targetNamespaces": [found.namespace]}
        wanted = {"name": "argocd-tutorial", "source": "samples-catalog", "sourceNamespace": "olm"}
        for version, kind, plural, spec in (
            ("v1", "OperatorGroup", "operatorgroups", group),
            ("v1alpha1", "Subscription", "subscriptions", wanted),
        ):
            body = {"apiVersion": f"operators.coreos.com/{version}", "kind": kind, "metadata": {"name": "ours"}}
            answer = api.post(f"{OLM}/{version}/namespaces/{found.namespace}/{plural}", {**body, "spec": spec})
            assert answer.status == 201, answer.raw
        path = f"{OLM}/v1alpha1/namespaces/{found.namespace}/clusterserviceversions/argocd-tutorial.v1.0.0"
        api.until(path, lambda csv: csv.get("status", {}).get("phase") == "Succeeded", 2 * SECONDS)
        yield found


@pytest.fixture(scope="session")
def two(
    api: Api, installed: ArgoCDs, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[ArgoCDs, ArgoCDs, Operator]]:
    """Two namespaces that an operator of the tests' own serves, running as a process."""
    with namespace(api, "one") as one, namespace(api, "other") as other:
        log = tmp_path_factory.mktemp("operator") / "log"
        operator = Operator(api.kubeconfig, log, one.namespace, other.namespace)
        operator.start()
        yield one, other, operator
        operator.kill()
