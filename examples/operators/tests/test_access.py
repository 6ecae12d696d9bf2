"""How operators reach the API server: K2 (tokens that the kubelet replaces), K6 (IPv6) and what health says of it."""

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from examples.operators import access as access_module
from examples.operators import health
from examples.operators.access import ApiServerAccess, Authorization, FixedToken, TokenFile
from examples.operators.argocd import standin
from examples.operators.galera import place
from examples.operators.kubeapi import ApiError, KubeApi
from examples.operators.login import login
from examples.operators.sampledb import engine
from tests.kube.tls_server import Secured
from tools.realcluster.certificates import Authority


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Secured]:
    with Secured(Authority(tmp_path)).running() as running:
        yield running


@pytest.fixture
def access(server: Secured, tmp_path: Path) -> ApiServerAccess:
    """A Pod's, whose token is `first`."""
    (tmp_path / "token").write_text("first")
    (tmp_path / "namespace").write_text("operators\n")
    server.tokens = {"first"}
    environment = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": str(server.port)}
    return ApiServerAccess.find(environment, account=tmp_path)


async def ask(access: ApiServerAccess) -> int:
    async with access.session() as session, session.get(f"{access.server}/version") as answer:
        return answer.status


def renew(server: Secured, folder: Path, token: str) -> None:
    """As the kubelet and the API server do it: the old token isn't accepted any more."""
    (folder / "token").write_text(token)
    server.tokens = {token}


async def test_k2_a_refused_token_is_read_again(server: Secured, access: ApiServerAccess, tmp_path: Path) -> None:
    """K2: the session stays, the request that was refused is sent once more."""
    async with access.session() as session:
        for token in ("first", "second", "third"):
            renew(server, tmp_path, token)
            async with session.get(f"{access.server}/version") as answer:
                assert answer.status == 200
    assert not access.authorization.is_refused


async def test_k2_bodies_are_sent_again(server: Secured, access: ApiServerAccess, tmp_path: Path) -> None:
    await ask(access)
    renew(server, tmp_path, "second")
    async with access.session() as session, session.post(f"{access.server}/api", data=b"{}") as answer:
        assert answer.status == 200
        assert (await answer.json())["who"] == "second"


async def test_k2_a_token_is_read_every_minute(
    server: Secured, access: ApiServerAccess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before it runs out, as client-go does: while the old token is accepted nothing is refused."""
    await ask(access)
    (tmp_path / "token").write_text("second")
    server.tokens = {"first", "second"}
    await ask(access)
    assert [person for _method, person in server.asked] == ["first", "first"]
    monkeypatch.setattr(access_module, "_TOKEN_SECONDS", 0.0)
    await ask(access)
    assert server.asked[-1] == ("GET", "second")


async def test_k2_kopf_uses_the_same_token(
    server: Secured, access: ApiServerAccess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("examples.operators.login.process_access", lambda: access)
    given = await login()
    assert (given.server, given.default_namespace) == (access.server, "operators")
    renew(server, tmp_path, "second")
    async with given.aiohttp_session as session, session.get(f"{given.server}/version") as answer:
        assert answer.status == 200


def test_k2_a_token_file_that_is_missing_for_a_moment(tmp_path: Path) -> None:
    path = tmp_path / "token"
    token = TokenFile(path)
    with pytest.raises(FileNotFoundError):
        token.text()
    path.write_text("t\n")
    assert token.text() == "t"
    path.unlink()
    assert token.text(refused=True) == "t"


async def test_k2_health_says_that_the_token_is_refused(
    server: Secured, access: ApiServerAccess, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.tokens = set()
    assert await ask(access) == 401
    assert access.authorization.problem == ""  # one refusal may be a moment's
    monkeypatch.setattr(access_module, "UNAUTHORIZED_SECONDS", 0.0)
    assert "401" in access.authorization.problem
    assert (await probe(access))[0] == "HTTP/1.1 503 Service Unavailable"
    server.tokens = {"first"}
    assert await ask(access) == 200
    assert await probe(access) == ("HTTP/1.1 200 OK", "ok")


async def test_a_token_goes_to_the_api_server_only(server: Secured, tmp_path: Path) -> None:
    """A redirect elsewhere carries no credentials."""
    elsewhere = Authorization("https://api.example.com", FixedToken("first"))
    access = ApiServerAccess(
        server=f"https://127.0.0.1:{server.port}", authorization=elsewhere, tls=_trusting(tmp_path)
    )
    assert await ask(access) == 401


async def test_an_operators_own_requests_are_renewed(server: Secured, access: ApiServerAccess, tmp_path: Path) -> None:
    async with KubeApi(access) as api:
        renew(server, tmp_path, "second")
        with pytest.raises(KeyError):  # this server has no lists; it is asked as the new token's owner
            await api.list("Pod")
        assert server.asked[-1] == ("GET", "second")
        renew(server, tmp_path, "third")
        (tmp_path / "token").write_text("wrong")
        with pytest.raises(ApiError) as refused:
            await api.list("Pod")
        assert refused.value.code == 401


def test_k6_an_ipv6_address_has_brackets(tmp_path: Path, access: ApiServerAccess) -> None:
    found = ApiServerAccess.find({"KUBERNETES_SERVICE_HOST": "fd00:10:96::1"}, account=tmp_path)
    assert found.server == "https://[fd00:10:96::1]:443"


async def test_k6_probes_are_answered_on_every_family(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    running = await health.serve(port, problem=lambda: "")
    families = {listener.family for listener in running.sockets}
    running.close()
    assert socket.AF_INET in families
    if socket.has_ipv6 and _has_ipv6_loopback():
        assert socket.AF_INET6 in families


def test_a_kubeconfig(tmp_path: Path, server: Secured) -> None:
    """K5: paths are beside the file, and tokenFile wins over token."""
    (tmp_path / "token").write_text("from-file")
    (tmp_path / "config").write_text(f"""
current-context: c
contexts: [{{name: c, context: {{cluster: c, user: u}}}}]
clusters: [{{name: c, cluster: {{server: "https://127.0.0.1:{server.port}/", certificate-authority: ca.crt}}}}]
users: [{{name: u, user: {{token: fixed, tokenFile: token}}}}]
""")
    found = ApiServerAccess.find({"KUBECONFIG": str(tmp_path / "config")})
    server.tokens = {"from-file"}
    assert asyncio.run(ask(found)) == 200


def _has_ipv6_loopback() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probing:
            probing.bind(("::1", 0))
    except OSError:
        return False
    return True


def _trusting(folder: Path) -> access_module.ssl.SSLContext:
    return access_module.client_tls(authority_file=folder / "ca.crt")


async def probe(access: ApiServerAccess) -> tuple[str, str]:
    """(status line, body) of /healthz."""
    running = await health.serve(0, problem=lambda: access.authorization.problem)
    async with running:
        _host, port = next(s for s in running.sockets if s.family == socket.AF_INET).getsockname()[:2]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /healthz HTTP/1.1\r\n\r\n")
        text = (await reader.read()).decode()
        writer.close()
    return text.splitlines()[0], text.rpartition("\r\n\r\n")[2]


def test_k6_a_service_at_an_ipv6_address() -> None:
    """Galera's nodes know each other by what Kubernetes tells of their Services."""
    environment = {"DB_NODE_0_SERVICE_HOST": "fd00::12", "DB_NODE_0_SERVICE_PORT": "4567"}
    assert place.service("db-node-0", environment) == "http://[fd00::12]:4567"


def test_k6_programs_of_pods_listen_on_both_families(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """On the embedded cluster they listen on loopback alone."""
    for name in ("SANDBOX_PORT_6379", "SANDBOX_PORT_4567", "SANDBOX_PORT_0"):
        monkeypatch.delenv(name, raising=False)
    assert place.local_port({})[0] is None
    assert "bind * -::*" in engine.configuration(tmp_path, "6379")
    component = standin.Component(standin.PARTS[0])
    with standin.Server(0, component, None) as server:
        host = "127.0.0.1"
        socket.create_connection((host, server.server_address[1]), timeout=10).close()
        if socket.has_dualstack_ipv6() and _has_ipv6_loopback():
            socket.create_connection(("::1", server.server_address[1]), timeout=10).close()
