"""The operator is installed through OLM in one namespace, and runs as a process for two others."""

from collections.abc import Iterator

import pytest

from examples.operators.tests.memcached.clusters import Caches, namespace
from examples.operators.tests.places import Operator, install
from tests.api import Api


@pytest.fixture(scope="package")
def installed(api: Api) -> Iterator[Caches]:
    """A namespace with the operator in it, through a Subscription."""
    with namespace(api, "caches") as found:
        install(api, found.namespace, "memcached", "memcached-operator.v0.1.0")
        yield found


@pytest.fixture(scope="package")
def two(api: Api, installed: Caches) -> Iterator[tuple[Caches, Caches]]:
    """Two namespaces that an operator of the tests' own serves, beside the installed one."""
    with namespace(api, "one") as first, namespace(api, "other") as second:
        yield first, second


@pytest.fixture(scope="package")
def operator(api: Api, two: tuple[Caches, Caches], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """That operator, running."""
    log = tmp_path_factory.mktemp("operator") / "log"
    found = Operator("examples.operators.memcached.operator", api, log, *(item.namespace for item in two))
    found.start()
    yield found
    found.kill()


@pytest.fixture
def caches(two: tuple[Caches, Caches], operator: Operator) -> Caches:
    return two[0]
