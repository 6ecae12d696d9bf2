"""The operator is installed through OLM in one namespace, and runs as a process for two others."""

from collections.abc import Iterator

import pytest

from console.processes.parts import free_port
from examples.operators.tests.argocd.clusters import IMAGE, ArgoCDs, namespace
from examples.operators.tests.places import Operator, install
from tests.api import Api


class Local(Operator):
    """The operator as a process, with what the bundle gives it."""

    def start(self, **environment: str) -> None:
        super().start(STAND_IN_IMAGE=IMAGE, SANDBOX_PORT_8081=str(free_port()), **environment)


@pytest.fixture(scope="package")
def installed(api: Api) -> Iterator[ArgoCDs]:
    """A namespace with the operator in it, through a Subscription."""
    with namespace(api, "argocd") as found:
        install(api, found.namespace, "argocd-tutorial", "argocd-tutorial.v1.0.0")
        yield found


@pytest.fixture(scope="package")
def two(
    api: Api, installed: ArgoCDs, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[ArgoCDs, ArgoCDs, Operator]]:
    """Two namespaces, and the operator as a process that serves them."""
    with namespace(api, "one") as first, namespace(api, "other") as second:
        log = tmp_path_factory.mktemp("operator") / "log"
        found = Local("examples.operators.argocd.operator", api, log, first.namespace, second.namespace)
        found.start()
        yield first, second, found
        found.kill()
