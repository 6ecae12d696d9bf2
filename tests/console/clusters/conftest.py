"""Two embedded clusters at once, and a console that has both (and a third that never answers)."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from bench.console import console
from console.processes.parts import free_port
from kube.client import ClusterClient
from kube.config import load
from kube.errors import AlreadyExists
from tests import processes
from tests.console.clusters.site import HERE, OTHER, Browser, Site, kubeconfig
from tests.console.signin.oidc.provider import Provider, provider
from tests.console.signin.people import token
from tests.oidc import CLIENT, accepted

#: In both clusters, with the name of its context as data.
TWIN = "twin"


@pytest.fixture(scope="session")
def two(cluster_kubeconfig: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A kubeconfig of both."""
    folder = tmp_path_factory.mktemp("clusters")
    with processes.sandbox(folder / "other"):
        here = ClusterClient(load(str(cluster_kubeconfig)))
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "reader"}}
        with suppress(AlreadyExists):
            here.create(here.find("", "v1", "serviceaccounts"), account, "default")
        reader = token(here, "default", "reader")
        path = kubeconfig(folder / "kubeconfig", cluster_kubeconfig, folder / "other/kubeconfig", reader, free_port())
        for context in (HERE, OTHER):
            client = ClusterClient(load(str(path), context))
            twin = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": TWIN}, "data": {"of": mark(context)}}
            with suppress(AlreadyExists):
                client.create(client.find("", "v1", "configmaps"), twin, "default")
        yield path


def mark(context: str) -> str:
    return "data-of-the-default-one" if context == HERE else "data-of-the-other-one"


@contextmanager
def _console(kubeconfig: Path, **settings: str) -> Iterator[Site]:
    with console(kubeconfig=kubeconfig, settings=settings) as running:
        yield Site(running.url, kubeconfig)


@pytest.fixture(scope="session")
def several(two: Path) -> Iterator[Site]:
    """SIGN_IN=local: all users have the contexts' own identities."""
    with _console(two) as found:
        yield found


@pytest.fixture(scope="session")
def idp(two: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Provider]:
    """Its ID tokens are good at the other cluster alone."""
    other = two.parent / "other/kubeconfig"
    with provider(tmp_path_factory.mktemp("provider")) as made, accepted(other, made.issuer, made.authority):
        yield made


@pytest.fixture(scope="session")
def signing_in(two: Path, idp: Provider) -> Iterator[Site]:
    known = {"OIDC_ISSUER": idp.issuer, "OIDC_CLIENT_ID": CLIENT, "OIDC_CA_FILE": str(idp.authority)}
    with _console(two, SIGN_IN="oidc,token", CONTEXTS="*", **known) as found:
        yield found


@pytest.fixture
def web(several: Site) -> Browser:
    return Browser(several.url)
