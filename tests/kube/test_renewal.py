"""Certificates, tokens and addresses change on disk while a client is in use: real TLS servers, both transports."""

import asyncio
import json
import logging
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from kube.client import ClusterClient
from kube.config import ClusterConfig
from kube.errors import InvalidConfig, Unauthorized, Unreachable
from kube.renewal import following
from kube.requests import ApiRequest
from kube.transport import AsyncTransport, SyncTransport
from tests.kube.tls_server import Secured, kubeconfig
from tools.realcluster.certificates import Authority

CERTIFICATE = {"client-certificate": "me.crt", "client-key": "me.key"}
#: Asks who one is: the server's answer.
Ask = Callable[..., str]


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path / "one")


@pytest.fixture
def server(authority: Authority) -> Iterator[Secured]:
    with Secured(authority).running() as found:
        yield found


@pytest.fixture
def home(tmp_path: Path, authority: Authority, server: Secured) -> Path:
    """A folder with a kubeconfig that has certificates beside it."""
    folder = tmp_path / "home"
    folder.mkdir()
    _install(folder, authority, "first")
    kubeconfig(folder / "config", server.port, **CERTIFICATE)
    return folder


def _install(folder: Path, authority: Authority, person: str) -> None:
    certificate, key = authority.issue(person, person)
    shutil.copy(authority.certificate, folder / "ca.crt")
    shutil.copy(certificate, folder / "me.crt")
    shutil.copy(key, folder / "me.key")


@pytest.fixture(params=["sync", "async"])
def asking(request: pytest.FixtureRequest) -> Iterator[Callable[[ClusterConfig], Ask]]:
    """Makes from a configuration a function that sends a request by one long-lived transport."""
    if request.param == "sync":
        yield lambda config: _sync(SyncTransport(config))
        return
    with asyncio.Runner() as runner:
        made: list[AsyncTransport] = []

        def start(config: ClusterConfig) -> Ask:
            async def begin() -> AsyncTransport:
                return AsyncTransport(config)

            made.append(runner.run(begin()))
            return _async(runner, made[-1])

        yield start
        for transport in made:
            runner.run(transport.close())


def _request(method: str) -> ApiRequest:
    return ApiRequest(method=method, path="/who", body=b"{}" if method == "POST" else None, ref="who one is")


def _sync(transport: SyncTransport) -> Ask:
    return lambda method="GET": str(json.loads(transport.send(_request(method)).body)["who"])


def _async(runner: asyncio.Runner, transport: AsyncTransport) -> Ask:
    async def send(method: str) -> str:
        return str(json.loads((await transport.send(_request(method))).body)["who"])

    return lambda method="GET": runner.run(send(method))


def test_a_new_client_certificate_is_shown_from_the_next_request_on(
    home: Path, authority: Authority, asking: Callable[[ClusterConfig], Ask]
) -> None:
    who = asking(following(str(home / "config")))
    assert [who(), who()] == ["first", "first"]
    _install(home, authority, "second")
    assert who() == "second"


def test_a_new_authority_is_trusted_and_the_old_one_no_more(
    home: Path, tmp_path: Path, server: Secured, asking: Callable[[ClusterConfig], Ask]
) -> None:
    config = following(str(home / "config"))
    who = asking(config)
    assert who() == "first"
    other = Authority(tmp_path / "two")
    server.trust(other)
    _install(home, other, "second")
    assert who() == "second"
    server.trust(Authority(tmp_path / "three"))
    ask_third = asking(config)
    with pytest.raises(Unreachable, match="its certificate is not trusted"):
        ask_third()


def test_the_server_may_move(
    home: Path, authority: Authority, server: Secured, asking: Callable[[ClusterConfig], Ask]
) -> None:
    config = following(str(home / "config"))
    client, who = ClusterClient(config), asking(config)
    assert who() == "first"
    with Secured(authority).running() as moved:
        kubeconfig(home / "config", moved.port, **CERTIFICATE)
        assert who() == "first"
        assert moved.asked and len(server.asked) == 1
        assert (client.name, client.host) == ("c", f"https://127.0.0.1:{moved.port}")


def test_broken_files_keep_the_old_credentials_are_said_once_and_picked_up_when_mended(
    home: Path,
    authority: Authority,
    server: Secured,
    asking: Callable[[ClusterConfig], Ask],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kube.renewal._RETRY_SECONDS", 0.0)
    caplog.set_level(logging.INFO, "kube.renewal")
    who = asking(following(str(home / "config")))
    assert who() == "first"
    caplog.clear()
    # Half of a pair: the certificate has come, its key has not.
    certificate, key = authority.issue("second", "second")
    shutil.copy(certificate, home / "me.crt")
    assert [who() for _ in range(3)] == ["first"] * 3
    messages = [record.message for record in caplog.records]
    assert len(messages) == 1
    assert "can't be used" in messages[0] and "stay in use until it is fixed" in messages[0]
    shutil.copy(key, home / "me.key")
    assert who() == "second"
    # A file that is cut short, and one that names what is not there yet.
    (home / "config").write_text("users: [")
    assert who() == "second"
    kubeconfig(home / "config", server.port, **{"client-certificate": "next.crt", "client-key": "next.key"})
    assert who() == "second"
    certificate, key = authority.issue("third", "third")
    shutil.copy(key, home / "next.key")
    shutil.copy(certificate, home / "next.crt")
    assert who() == "third"
    levels = [record.levelname for record in caplog.records]
    assert levels == ["WARNING", "INFO", "WARNING", "WARNING", "INFO"]


def test_a_token_in_a_file_or_in_the_kubeconfig_changes(
    home: Path, server: Secured, asking: Callable[[ClusterConfig], Ask]
) -> None:
    server.tokens = {"one"}
    (home / "token").write_text("one\n")
    kubeconfig(home / "config", server.port, tokenFile="token")
    who = asking(following(str(home / "config")))
    assert who() == "one"
    server.tokens = {"two"}
    (home / "token").write_text("two\n")
    assert who() == "two"
    (home / "token").unlink()
    assert who() == "two"
    (home / "token").write_text("")
    assert who() == "two"
    server.tokens = {"three"}
    kubeconfig(home / "config", server.port, token="three")
    assert who() == "three"
    assert all(person for _, person in server.asked), "nothing was refused on the way"


def test_a_write_that_met_the_old_token_is_sent_again_with_the_new_one(
    home: Path, server: Secured, asking: Callable[[ClusterConfig], Ask]
) -> None:
    """The file changes after the request was signed and before the server looks at it."""
    kubeconfig(home / "config", server.port, tokenFile="token")
    (home / "token").write_text("old")
    server.tokens = {"new"}
    config = following(str(home / "config"))

    class Late(set[str]):
        def __contains__(self, token: object) -> bool:
            (home / "token").write_text("new")
            return super().__contains__(token)

    server.tokens = Late({"new"})
    assert asking(config)("POST") == "new"
    assert server.asked == [("POST", ""), ("POST", "new")]


def test_what_stays_refused_is_asked_once(home: Path, server: Secured, asking: Callable[[ClusterConfig], Ask]) -> None:
    kubeconfig(home / "config", server.port, token="nobody's")
    with pytest.raises(Unauthorized):
        asking(following(str(home / "config")))()
    assert server.asked == [("GET", "")]


def test_a_plugin_runs_again_when_its_token_is_refused(
    home: Path, server: Secured, asking: Callable[[ClusterConfig], Ask], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kube.credentials._REFUSED_SECONDS", 0.0)
    _plugin(home, server, {"token": "one", "expirationTimestamp": "2999-01-01T00:00:00Z"})
    who = asking(following(str(home / "config")))
    server.tokens = {"one"}
    assert who() == "one"
    server.tokens = {"two"}
    _answer(home, {"token": "two", "expirationTimestamp": "2999-01-01T00:00:00Z"})
    assert who() == "two"


def test_a_plugin_brings_a_certificate_and_later_another(
    home: Path,
    authority: Authority,
    server: Secured,
    asking: Callable[[ClusterConfig], Ask],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kube.credentials._KEEP", timedelta(seconds=-1))

    def pair(person: str) -> dict[str, str]:
        certificate, key = authority.issue(person, person)
        return {"clientCertificateData": certificate.read_text(), "clientKeyData": key.read_text()}

    _plugin(home, server, pair("first"))
    who = asking(following(str(home / "config")))
    assert who() == "first"
    _answer(home, pair("second"))
    assert who() == "second"


def _plugin(home: Path, server: Secured, status: dict[str, str]) -> None:
    version = "client.authentication.k8s.io/v1"
    command = {"apiVersion": version, "command": "cat", "args": [str(home / "answer")], "interactiveMode": "Never"}
    kubeconfig(home / "config", server.port, exec=command)
    _answer(home, status)


def _answer(home: Path, status: dict[str, str]) -> None:
    document = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": status}
    (home / "answer").write_text(json.dumps(document))


def test_another_cluster_or_another_person_is_no_renewal(
    home: Path, server: Secured, caplog: pytest.LogCaptureFixture
) -> None:
    """`kubectl config use-context` beside a running console must not carry it to another cluster."""
    config = following(str(home / "config"))
    who = _sync(SyncTransport(config))
    assert who() == "first"
    server.tokens = {"other"}
    kubeconfig(home / "config", server.port, cluster="elsewhere", token="other")
    assert who() == "first"
    kubeconfig(home / "config", server.port, name="somebody", token="other")
    assert who() == "first"
    messages = [record.message for record in caplog.records if record.levelname == "WARNING"]
    assert len(messages) == 1 and "stays with 'u' on 'c' until it is restarted" in messages[0]


def test_who_acts_for_another_goes_along(home: Path, authority: Authority, server: Secured) -> None:
    """A configuration made of the console's own: its headers stay, address and certificates are renewed."""
    config = replace(following(str(home / "config")), headers=(("Impersonate-User", "jane"),))
    who = _sync(SyncTransport(config))
    assert who() == "first"
    _install(home, authority, "second")
    assert who() == "second"
    assert config.current().headers == (("Impersonate-User", "jane"),)


def test_a_pod_follows_its_mounted_files(
    tmp_path: Path, authority: Authority, server: Secured, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the kubelet does it: a new folder, and a link that is turned over."""

    def mount(name: str, of: Authority, token: str) -> None:
        folder = tmp_path / f"..{name}"
        folder.mkdir()
        shutil.copy(of.certificate, folder / "ca.crt")
        (folder / "token").write_text(token)
        (tmp_path / "link").symlink_to(folder)
        (tmp_path / "link").replace(tmp_path / "..data")

    mount("one", authority, "t1")
    pod = tmp_path / "serviceaccount"
    pod.mkdir()
    for file in ("ca.crt", "token"):
        (pod / file).symlink_to(tmp_path / "..data" / file)
    monkeypatch.setattr("kube.config._SERVICE_ACCOUNT", pod)
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1")
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", str(server.port))
    server.tokens = {"t1"}
    who = _sync(SyncTransport(following()))
    assert who() == "t1"
    other = Authority(tmp_path / "new-authority")
    server.trust(other)
    server.tokens = {"t2"}
    mount("two", other, "t2")
    assert who() == "t2"


def test_a_file_that_was_never_there_is_said(home: Path, server: Secured) -> None:
    kubeconfig(home / "config", server.port, tokenFile="none")
    with pytest.raises(InvalidConfig, match="the token of 'u' can't be read"):
        SyncTransport(following(str(home / "config"))).send(_request("GET"))
