"""The operator is installed through OLM in one namespace, and runs as a process for two others."""

from collections.abc import Iterator

import pytest

from examples.operators.tests.flightticket.clusters import Tickets, namespace
from examples.operators.tests.places import Operator, install
from tests.api import Api


@pytest.fixture(scope="package")
def installed(api: Api) -> Iterator[Tickets]:
    """A namespace with the operator in it, through a Subscription."""
    with namespace(api, "flights") as found:
        install(api, found.namespace, "flightticket", "flightticket-operator.v1.1.0")
        yield found


@pytest.fixture(scope="package")
def two(api: Api, installed: Tickets) -> Iterator[tuple[Tickets, Tickets]]:
    """Two namespaces that an operator of the tests' own serves, beside the installed one."""
    with namespace(api, "one") as first, namespace(api, "other") as second:
        yield first, second


@pytest.fixture(scope="package")
def operator(api: Api, two: tuple[Tickets, Tickets], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """That operator, running."""
    log = tmp_path_factory.mktemp("operator") / "log"
    found = Operator("examples.operators.flightticket.operator", api, log, *(item.namespace for item in two))
    found.start()
    yield found
    found.kill()


@pytest.fixture
def tickets(two: tuple[Tickets, Tickets], operator: Operator) -> Tickets:
    return two[0]
