"""One engine for all tests here, which serves two namespaces."""

from collections.abc import Iterator

import pytest

from examples.operators.tests.kudo.engines import Instances, define
from examples.operators.tests.places import Operator, namespace
from tests.api import Api


@pytest.fixture(scope="package")
def two(api: Api) -> Iterator[tuple[Instances, Instances]]:
    """Two namespaces."""
    define(api)
    with namespace(api, "kudo-one") as first, namespace(api, "kudo-other") as second:
        yield Instances(api, first), Instances(api, second)


@pytest.fixture(scope="package")
def engine(api: Api, two: tuple[Instances, Instances], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """The engine, running."""
    log = tmp_path_factory.mktemp("engine") / "log"
    found = Operator("examples.operators.kudo.operator", api, log, *(item.namespace for item in two))
    found.start()
    yield found
    for instances in two:
        instances.clear()
    found.kill()
    assert "Traceback" not in log.read_text(), log.read_text()[-4000:]


@pytest.fixture
def instances(two: tuple[Instances, Instances], engine: Operator) -> Instances:
    return two[0]
