"""The operator is installed through OLM in one namespace, and runs as a process for others."""

from collections.abc import Iterator

import pytest

from examples.operators.tests.places import Operator, install
from examples.operators.tests.sampledb.clusters import Databases, namespace
from tests.api import Api


@pytest.fixture(scope="package")
def installed(api: Api) -> Iterator[Databases]:
    """A namespace with the operator in it, through a Subscription."""
    with namespace(api, "databases") as found:
        install(api, found.namespace, "sampledb", "sampledb-operator.v1.0.0")
        yield found
        found.clear()


@pytest.fixture(scope="package")
def two(api: Api, installed: Databases) -> Iterator[tuple[Databases, Databases]]:
    """Two namespaces that an operator of the tests' own serves, beside the installed one."""
    with namespace(api, "one") as first, namespace(api, "other") as second:
        yield first, second


@pytest.fixture(scope="package")
def operator(
    api: Api, two: tuple[Databases, Databases], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Operator]:
    """That operator, running."""
    log = tmp_path_factory.mktemp("operator") / "log"
    found = Operator("examples.operators.sampledb.operator", api, log, *(item.namespace for item in two))
    found.start()
    yield found
    for databases in two:
        databases.clear()
    found.kill()


@pytest.fixture
def databases(two: tuple[Databases, Databases], operator: Operator) -> Databases:
    return two[0]
