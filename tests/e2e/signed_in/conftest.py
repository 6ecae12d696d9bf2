"""A console to which users sign in, beside the one that all tests share, and users with tokens."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from bench.console import console
from kube.client import ClusterClient
from kube.config import load
from tests.console.signin.people import People, people
from tests.e2e.conftest import Site


@contextmanager
def signing_in(request: pytest.FixtureRequest, settings: Mapping[str, str]) -> Iterator[Site]:
    """A console of its own with these settings, on the cluster that the tests were given."""
    if request.config.getoption("--url"):
        pytest.skip("needs a console of the test's own, with a sign-in")
    given = request.config.getoption("--kubeconfig")
    kubeconfig = Path(given).expanduser().resolve() if given else None
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"SHARE_EMBEDDED_CLUSTER": "1", **settings}.items():
            patch.setenv(name, value)
        with console(kubeconfig=kubeconfig) as running:
            yield Site(running.url, kubeconfig or running.data / "sandbox/kubeconfig", running.process.pid)


@pytest.fixture(scope="package")
def guarded(request: pytest.FixtureRequest) -> Iterator[Site]:
    """People sign in with tokens."""
    with signing_in(request, {"SIGN_IN": "token"}) as site:
        yield site


@pytest.fixture(scope="package")
def admin(guarded: Site) -> ClusterClient:
    """The cluster behind it, without the console."""
    return ClusterClient(load(str(guarded.kubeconfig)))


@pytest.fixture(scope="module")
def staff(admin: ClusterClient) -> Iterator[People]:
    with people(admin) as found:
        yield found
