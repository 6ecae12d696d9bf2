"""K5: proxies and merged kubeconfigs as kubectl reads them."""

import base64
import select
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from kube import proxies
from kube.client import ClusterClient
from kube.config import load
from kube.errors import InvalidConfig, Unreachable
from kube.requests import ApiRequest
from kube.transport import AsyncTransport
from tests.kube.tls_server import Secured
from tools.realcluster.certificates import Authority

PROXY = "http://proxy:3128"


@pytest.mark.parametrize(
    ("excluded", "server", "proxied"),
    [
        ("", "https://api.example.com", True),
        ("", "https://127.0.0.1:6443", False),
        ("", "https://127.8.0.1:6443", False),
        ("", "https://[::1]:6443", False),
        ("", "https://localhost:6443", False),
        ("*", "https://api.example.com", False),
        ("other, *", "https://10.0.0.1", False),
        ("10.0.0.0/8", "https://10.200.0.1", False),
        ("10.0.0.0/8", "https://11.0.0.1", True),
        ("10.0.0.0/8", "https://ten.example.com", True),
        ("fd00::/8", "https://[fd12::1]:6443", False),
        ("10.0.0.1", "https://10.0.0.1:6443", False),
        ("10.0.0.1:6443", "https://10.0.0.1:6443", False),
        ("10.0.0.1:443", "https://10.0.0.1:6443", True),
        ("[fd12::1]:6443", "https://[fd12::1]:6443", False),
        ("fd12::1", "https://[fd12::1]:6443", False),
        ("example.com", "https://example.com", False),
        ("example.com", "https://api.example.com", False),
        ("example.com", "https://badexample.com", True),
        (".example.com", "https://api.example.com", False),
        (".example.com", "https://example.com", True),
        ("*.example.com", "https://api.example.com", False),
        ("*.example.com", "https://example.com", True),
        ("EXAMPLE.com", "https://api.Example.COM", False),
        ("example.com:443", "https://example.com", False),
        ("example.com:6443", "https://example.com", True),
        ("::::, /, :80, ,", "https://example.com", True),
    ],
)
def test_k5_no_proxy_as_go_reads_it(excluded: str, server: str, proxied: bool) -> None:
    """golang.org/x/net/http/httpproxy."""
    for name in ("NO_PROXY", "no_proxy"):
        found = proxies.from_environment(server, {"HTTPS_PROXY": PROXY, name: excluded})
        assert found == (PROXY if proxied else "")


def test_a_proxy_without_a_scheme_is_http() -> None:
    assert proxies.from_environment("https://a.example", {"https_proxy": "proxy:3128"}) == PROXY
    assert proxies.from_environment("http://a.example", {"https_proxy": "proxy:3128"}) == ""


def test_a_proxy_that_is_none_shows_no_password(tmp_path: Path) -> None:
    wrong = ("ftp://anna:secret@proxy", "socks4://anna:secret@proxy", "http://anna:secret/more@proxy", "http://")
    for address in (*wrong, "http://proxy:port", "http://[secret@proxy"):
        document = _document(1, tmp_path, **{"proxy-url": address})
        (tmp_path / "config").write_text(yaml.safe_dump(document))
        with pytest.raises(InvalidConfig) as refused:
            load(str(tmp_path / "config"))
        assert "secret" not in str(refused.value)


class Tunnel(socketserver.ThreadingTCPServer):
    """A proxy that asks for `anna` and `pass:word`, and leads to 127.0.0.1 whatever the name.

    `names`: what it was asked for.
    """

    daemon_threads = allow_reuse_address = True

    def __init__(self, handler: type[socketserver.BaseRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.names: list[str] = []
        self.port = self.server_address[1]


class Connect(socketserver.BaseRequestHandler):
    """HTTP's CONNECT."""

    def handle(self) -> None:
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            if not (data := self.request.recv(1)):
                return
            head += data
        lines = head.decode().split("\r\n")
        wanted = "Basic " + base64.b64encode(b"anna:pass:word").decode()
        given = next((line.partition(": ")[2] for line in lines if line.lower().startswith("proxy-authorization")), "")
        if given != wanted:
            self.request.sendall(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            return
        name, _colon, port = lines[0].split()[1].rpartition(":")
        self.server.names.append(name)  # type: ignore[attr-defined]
        self.request.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        join(self.request, int(port))


class Socks(socketserver.BaseRequestHandler):
    """SOCKS 5 with user and password (RFC 1928, 1929); takes names only, as Go sends them."""

    def handle(self) -> None:
        _version, count = self._read(2)
        self._read(count)
        self.request.sendall(b"\x05\x02")
        _version, length = self._read(2)
        user = self._read(length)
        password = self._read(self._read(1)[0])
        good = (user, password) == (b"anna", b"pass:word")
        self.request.sendall(b"\x01\x00" if good else b"\x01\x01")
        if not good:
            return
        *_head, kind = self._read(4)
        assert kind == 3, "the name has to be looked up by the proxy"
        name = self._read(self._read(1)[0]).decode()
        port = int.from_bytes(self._read(2), "big")
        self.server.names.append(name)  # type: ignore[attr-defined]
        self.request.sendall(b"\x05\x00\x00\x01" + bytes(6))
        join(self.request, port)

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            if not (part := self.request.recv(count - len(data))):
                raise ConnectionError
            data += part
        return data


def join(left: socket.socket, port: int) -> None:
    with socket.create_connection(("127.0.0.1", port)) as right:
        while True:
            for ready in select.select([left, right], [], [])[0]:
                if not (data := ready.recv(65536)):
                    return
                (right if ready is left else left).sendall(data)


@contextmanager
def proxy(kind: str) -> Iterator[Tunnel]:
    server = Tunnel(Connect if kind == "http" else Socks)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Secured]:
    """Its certificate is for a name that only the proxy can look up."""
    authority = Authority(tmp_path)
    with Secured(authority).running() as server:
        server.tls.load_cert_chain(*authority.issue("named", "named", hosts=("api.cluster.invalid",)))
        server.tokens.add("t")
        yield server


def _document(port: int, folder: Path, **cluster: Any) -> dict[str, Any]:
    server = f"https://api.cluster.invalid:{port}"
    return {
        "current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": server, "certificate-authority": "ca.crt", **cluster}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
    }


SCHEMES = [("http", "http"), ("socks5", "socks"), ("socks5h", "socks")]


@pytest.mark.parametrize(("scheme", "kind"), SCHEMES)
async def test_k5_a_proxy_with_user_and_password(scheme: str, kind: str, api: Secured, tmp_path: Path) -> None:
    """Pages and watches go through it; names are looked up there."""
    with proxy(kind) as server:
        address = f"{scheme}://anna:pass%3Aword@127.0.0.1:{server.port}"
        (tmp_path / "config").write_text(yaml.safe_dump(_document(api.port, tmp_path, **{"proxy-url": address})))
        config = load(str(tmp_path / "config"))
        ClusterClient(config).version()
        async with AsyncTransport(config) as transport:
            assert (await transport.send(ApiRequest(method="GET", path="/version"))).status == 200
        assert server.names == ["api.cluster.invalid"] * 2
        assert api.asked == [("GET", "t")] * 2


@pytest.mark.parametrize(("scheme", "kind"), SCHEMES)
async def test_k5_a_proxy_that_refuses(scheme: str, kind: str, api: Secured, tmp_path: Path) -> None:
    """One sentence that names the proxy's settings, and no password."""
    with proxy(kind) as server:
        address = f"{scheme}://anna:secret@127.0.0.1:{server.port}"
        (tmp_path / "config").write_text(yaml.safe_dump(_document(api.port, tmp_path, **{"proxy-url": address})))
        config = load(str(tmp_path / "config"))
        with pytest.raises(Unreachable, match="proxy-url") as refused:
            ClusterClient(config).version()
        assert "secret" not in str(refused.value)
        async with AsyncTransport(config) as transport:
            with pytest.raises(Unreachable, match="proxy-url") as refused:
                await transport.send(ApiRequest(method="GET", path="/version"))
        assert "secret" not in str(refused.value)
        assert api.asked == []


def test_k5_relative_paths_are_beside_their_own_file(tmp_path: Path) -> None:
    """KUBECONFIG=a:b: b's are not beside a."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    Authority(tmp_path / "b")
    (tmp_path / "b" / "token").write_text("from-b")
    first = {"contexts": [{"name": "one", "context": {"cluster": "c", "user": "u"}}]}
    second = _document(6443, tmp_path)
    second["users"][0]["user"] = {"tokenFile": "token"}
    for name, document in (("a", first), ("b", second)):
        (tmp_path / name / "config").write_text(yaml.safe_dump(document))
    config = load(f"{tmp_path}/a/config:{tmp_path}/b/config")
    assert config.token() == "from-b"
    assert tmp_path / "b" / "ca.crt" in config.files


def test_k5_a_token_file_wins_over_a_token(tmp_path: Path) -> None:
    """As with client-go; while it can't be read the token stands in."""
    document = _document(6443, tmp_path)
    document["clusters"][0]["cluster"] = {"server": "http://127.0.0.1:1"}
    document["users"][0]["user"] = {"token": "fixed", "tokenFile": "token"}
    (tmp_path / "config").write_text(yaml.safe_dump(document))
    config = load(str(tmp_path / "config"))
    assert config.token() == "fixed"
    (tmp_path / "token").write_text("from-file\n")
    assert config.token() == "from-file"
