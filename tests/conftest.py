"""What every test may ask for: real servers, and the three people who look at them."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from tests import processes
from tests.environment import FOLDER

ROOT = Path(__file__).resolve().parent.parent
CATALOG = ROOT.parent / "shared" / "catalog" / "packages"
#: Folders whose tests reach a cluster by this one fixture, and are about no cluster without it.
BY_FIXTURE = dict.fromkeys(("kube", "resources", "console", "operatorhub", "deploy"), "cluster_kubeconfig")


def pytest_configure() -> None:
    """Each of Django's test clients creates its own middleware, for which WhiteNoise reads the whole of static/: a
    tenth of a run. With autorefresh it reads a file when it is requested.
    """
    if os.environ.get("DJANGO_SETTINGS_MODULE"):
        settings.WHITENOISE_AUTOREFRESH = True


@pytest.fixture(autouse=True)
def _navigation_is_read_anew() -> None:
    """Tests share a cluster and a process: what one of them installed stands in no other one's navigation."""
    if listable := sys.modules.get("console.web.navigation"):
        listable.forget_navigation()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Those left out are counted as deselected in the closing line.

    --asks-cluster: a second cluster is not asked what no cluster is asked. --journeys: tests/e2e without what only
    `make test-all` runs.
    """
    selected = list(items)
    if config.getoption("--asks-cluster"):
        selected = [item for item in selected if _asks_cluster(item)]
    if config.getoption("--journeys"):
        selected = [item for item in selected if _is_journey(item)]
    if len(selected) < len(items):
        config.hook.pytest_deselected(items=[item for item in items if item not in set(selected)])
        items[:] = selected


def _is_journey(item: pytest.Item) -> bool:
    """Outside tests/e2e every test is run, and in it those that ask for neither a browser nor a console."""
    if item.get_closest_marker("journey") or not item.path.is_relative_to(ROOT / "tests" / "e2e"):
        return True
    return not {"browser", "site", "stage"} & set(getattr(item, "fixturenames", ()))


def _asks_cluster(item: pytest.Item) -> bool:
    if item.get_closest_marker("page_only"):
        return False
    if not item.path.is_relative_to(ROOT / "tests"):
        return True
    folder = item.path.relative_to(ROOT / "tests").parts[0]
    return folder not in BY_FIXTURE or BY_FIXTURE[folder] in getattr(item, "fixturenames", ())


@pytest.fixture(scope="session")
def real_catalog() -> Path:
    """The folder of 268 real packages; a test that needs it is skipped, saying so, where it is absent."""
    if not CATALOG.is_dir():
        pytest.skip(f"needs the catalog of real packages beside the checkout: {CATALOG.relative_to(ROOT.parent)}")
    return CATALOG


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """pytest-django's own; on PostgreSQL, which can't drop a database with open connections, connections of threads
    that tests left are ended first.
    """
    yield
    with django_db_blocker.unblock():
        if connection.vendor == "postgresql":
            others = (
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <>"
                " pg_backend_pid()"
            )
            with connection.cursor() as cursor:
                cursor.execute(others)


@pytest.fixture(scope="session")
def redis_server() -> Iterator[str]:
    """The URL of a real Redis, the one that settings.REDIS_URL names."""
    with processes.redis(FOLDER / "redis.sock"):
        yield f"unix://{FOLDER}/redis.sock"


@pytest.fixture(scope="session")
def cluster_kubeconfig(request: pytest.FixtureRequest) -> Iterator[Path]:
    """The kubeconfig that settings.KUBECONFIG names: of a running embedded cluster, or of the one of --kubeconfig."""
    path = FOLDER / "sandbox" / "kubeconfig"
    if given := request.config.getoption("--kubeconfig"):
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(given).expanduser(), path)
        yield path
        return
    with processes.sandbox(FOLDER / "sandbox", ROOT / "examples" / "operators" / "packages"):
        yield path
