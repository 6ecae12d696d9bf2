"""K1: Python 3.13 refuses certificates that kubectl accepts; every connection of the product accepts them."""

import asyncio
import re
import ssl
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from requests import Session

from console.signin.oidc import provider
from examples.operators.access import ApiServerAccess
from examples.operators.kubeapi import ApiError, KubeApi
from kube.client import ClusterClient
from kube.config import ClusterConfig, client_context, load
from kube.errors import Unreachable
from kube.requests import ApiRequest
from kube.transport import AsyncTransport
from sandbox.tls import tls_context
from tests.kube.tls_server import Secured, kubeconfig
from tests.plain_certificates import OpensslAuthority, PlainAuthority, strict_by_default

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("kube", "console", "resources", "operatorhub", "examples", "sandbox", "structural")


@pytest.fixture(params=[PlainAuthority, OpensslAuthority])
def authority(request: pytest.FixtureRequest, tmp_path: Path) -> PlainAuthority:
    made: PlainAuthority = request.param(tmp_path)
    return made


@pytest.fixture
def server(authority: PlainAuthority, monkeypatch: pytest.MonkeyPatch) -> Iterator[Secured]:
    """An API server with such a certificate; contexts are as Python 3.13 makes them."""
    with Secured(authority).running() as running:
        running.tokens.add("t")
        with strict_by_default(monkeypatch):
            yield running


def configured(server: Secured, folder: Path) -> ClusterConfig:
    return load(str(kubeconfig(folder / "config", server.port, token="t")))


def test_pages_reach_it(server: Secured, tmp_path: Path) -> None:
    ClusterClient(configured(server, tmp_path)).version()
    assert server.asked == [("GET", "t")]


async def test_watches_reach_it(server: Secured, tmp_path: Path) -> None:
    async with AsyncTransport(configured(server, tmp_path)) as transport:
        answer = await transport.send(ApiRequest(method="GET", path="/version"))
    assert answer.status == 200


def test_a_pod_reaches_it(server: Secured, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "token").write_text("t")
    monkeypatch.setattr("kube.config._SERVICE_ACCOUNT", tmp_path)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", str(server.port))
    ClusterClient(load()).version()
    assert server.asked == [("GET", "t")]


async def test_operators_reach_it(server: Secured, tmp_path: Path) -> None:
    access = ApiServerAccess.find({"KUBECONFIG": str(kubeconfig(tmp_path / "config", server.port, token="t"))})
    async with access.session() as session, session.get(f"{access.server}/version") as answer:
        assert answer.status == 200


def test_a_provider_of_sign_ins_is_reached(server: Secured, authority: PlainAuthority, settings: Any) -> None:
    settings.OIDC_CA_FILE, settings.OIDC_ISSUER = str(authority.certificate), "https://127.0.0.1"
    with Session() as session:
        provider._guard(session)
        assert session.get(f"https://127.0.0.1:{server.port}/", timeout=10).status_code == 401


def test_another_authority_is_refused(server: Secured, tmp_path: Path) -> None:
    """What stays: the authority is checked."""
    config = configured(server, tmp_path)
    PlainAuthority(tmp_path)  # another ca.crt
    with pytest.raises(Unreachable, match="certificate is not trusted"):
        ClusterClient(load(str(tmp_path / "config"))).version()
    ClusterClient(config).version()


def test_another_host_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stays: the certificate has to be this host's."""
    authority = PlainAuthority(tmp_path)
    with Secured(authority).running() as server:
        server.tls.load_cert_chain(*authority.issue("elsewhere"))
        with strict_by_default(monkeypatch), pytest.raises(Unreachable, match="certificate is not trusted"):
            ClusterClient(configured(server, tmp_path)).version()


async def test_the_name_in_the_kubeconfig_is_the_one_of_the_certificate(tmp_path: Path) -> None:
    """`tls-server-name`: of pages and of watches."""
    authority = PlainAuthority(tmp_path)
    with Secured(authority).running() as server:
        server.tokens.add("t")
        server.tls.load_cert_chain(*authority.issue("elsewhere"))
        config = replace(configured(server, tmp_path), server_name="elsewhere")
        await asyncio.to_thread(ClusterClient(config).version)
        async with AsyncTransport(config) as transport:
            assert (await transport.send(ApiRequest(method="GET", path="/version"))).status == 200
        # With the same TLS context: another name is still refused, to both.
        other = replace(config, server_name="another")
        with pytest.raises(Unreachable, match="certificate"):
            await asyncio.to_thread(ClusterClient(other).version)
        async with AsyncTransport(other) as transport:
            with pytest.raises(Unreachable, match="certificate"):
                await transport.send(ApiRequest(method="GET", path="/version"))


async def test_operators_check_authority_and_host(server: Secured, tmp_path: Path) -> None:
    path = kubeconfig(tmp_path / "config", server.port, token="t")
    PlainAuthority(tmp_path)
    async with KubeApi(ApiServerAccess.find({"KUBECONFIG": str(path)})) as api:
        with pytest.raises((OSError, ApiError), match="certificate"):
            await api.list("Pod")


@pytest.mark.parametrize("make", [client_context, tls_context])
def test_what_is_checked(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with strict_by_default(monkeypatch):
        context = make()
    assert not context.verify_flags & ssl.VERIFY_X509_STRICT
    assert context.check_hostname
    assert context.verify_mode == ssl.CERT_REQUIRED


def test_no_other_module_makes_a_context_for_clients() -> None:
    """One function in each of the packages that don't import each other. Contexts of servers verify no certificates."""
    allowed = {"kube/config.py", "examples/operators/access.py", "sandbox/tls.py"}
    found = {
        str(path.relative_to(ROOT))
        for package in PRODUCT
        for path in (ROOT / package).rglob("*.py")
        if not {ROOT / "sandbox/tests", ROOT / "examples/operators/tests"} & set(path.parents)
        and re.search(r"create_default_context\((?!ssl\.Purpose\.CLIENT_AUTH\))|_create_unverified", path.read_text())
    }
    assert found == allowed
