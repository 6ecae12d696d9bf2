"""One engine for all tests here, which serves two namespaces."""

from collections.abc import Iterator

import pytest

from tests.api import Api
from tests.operators.kudo.engines import Instances, define
from tests.operators.places import Operator, namespace


@pytest.fixture(scope="package")
def two(api: Api) -> Iterator[tuple[Instances, Instances]]:
    """Two namespaces."""
    define(api)
    with namespace(api, "kudo-one") as one, namespace(api, "kudo-other") as other:
        yield Instances(api, one), Instances(api, other)


@pytest.fixture(scope="package")
def engine(api: Api, two: tuple[Instances, Instances], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Operator]:
    """The engine, running."""
    log = tmp_path_factory.mktemp("engine") / "log"
    found = Operator("operators.kudo.operator", api, log, *(one.namespace for one in two))
    found.start()
    yield found
    for one in two:
        one.clear()
    found.kill()
    assert "Traceback" not in log.read_text(), log.read_text()[-4000:]


@pytest.fixture
def one(two: tuple[Instances, Instances], engine: Operator) -> Instances:
    return two[0]
