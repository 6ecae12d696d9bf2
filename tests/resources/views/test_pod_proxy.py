"""A Pod's page through the console: what the Pod hears of who asks, and what its answers may do to our own pages."""

import asyncio
import http.server
import socketserver
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import pytest

from console.web import loop
from kube import limits
from kube.errors import Forbidden
from resources.forward import tunnels
from resources.forward.targets import ForwardTarget
from resources.forward.tunnels import Tunnel, close_tunnel, open_tunnel
from resources.views import forward
from tests.eventually import until


class Program(http.server.BaseHTTPRequestHandler):
    """A server as in the Pod: records its requests."""

    requests: "list[tuple[str, str, dict[str, str], bytes]]" = []

    def do_GET(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        Program.requests.append((self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body))
        if self.path.startswith("/away"):
            self.send_response(302)
            self.send_header("Location", "/login?next=1")
            self.end_headers()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Set-Cookie", "sessionid=theirs; Path=/")
        self.send_header("Content-Security-Policy", "default-src *")
        self.end_headers()
        self.wfile.write(b"<h1>theirs</h1>")

    do_POST = do_GET

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def tunnel(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[Tunnel]:
    settings.LOCAL_ONLY, settings.ALLOWED_HOSTS = False, ["console.example"]
    Program.requests = []
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Program) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        client: Any = SimpleNamespace(host="", who="", config=SimpleNamespace(session=""))
        made = Tunnel(
            id=1, client=client, target=ForwardTarget("Pod", "shop", "web"), remote=8080, local=0, opened=time.time()
        )

        async def carry(_tunnel: Tunnel, reader: Any, writer: asyncio.StreamWriter) -> None:
            """Stands for the way through the API server."""
            theirs, there = await asyncio.open_connection(*server.server_address)

            async def copy(source: Any, sink: asyncio.StreamWriter) -> None:
                while data := await source.read(2**16):
                    sink.write(data)
                sink.close()

            await asyncio.gather(copy(reader, there), copy(theirs, writer))

        monkeypatch.setattr(tunnels, "_carry", carry)
        monkeypatch.setattr(forward, "by_token", lambda token: made if token == made.token else None)
        yield made
        server.shutdown()


async def ask(
    path: str,
    method: str = "GET",
    body: bytes = b"",
    query: bytes = b"",
    *,
    host: bytes = b"console.example",
    more: tuple[tuple[bytes, bytes], ...] = (),
) -> tuple[int, dict[str, str], bytes]:
    """As uvicorn asks."""
    sent: list[dict[str, Any]] = []
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Any:
        if messages:
            return messages.pop()
        await asyncio.sleep(3600)
        return None

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [
        (b"cookie", b"sessionid=ours"),
        (b"authorization", b"Bearer ours"),
        (b"x-forwarded-for", b"1.2.3.4"),
        (b"host", host),
        (b"accept", b"text/html"),
        (b"content-type", b"text/plain"),
        *more,
    ]
    scope = {"type": "http", "method": method, "path": path, "query_string": query, "headers": headers}
    await forward.ProxiedApp()(scope, receive, send)
    found = {name.decode(): value.decode() for name, value in sent[0].get("headers", [])}
    return sent[0]["status"], found, b"".join(message.get("body", b"") for message in sent[1:])


@pytest.mark.asyncio
async def test_nothing_of_ours_goes_there_and_nothing_of_theirs_stays_here(tunnel: Tunnel) -> None:
    status, headers, body = await ask(f"/forwarded/{tunnel.token}/a/b", query=b"c=1")
    assert (status, body) == (200, b"<h1>theirs</h1>")
    assert "set-cookie" not in headers
    assert headers["content-security-policy"].startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in headers["content-security-policy"]
    (_method, path, request_headers, _body) = Program.requests[0]
    assert path == "/a/b?c=1"
    assert not {"cookie", "authorization", "x-forwarded-for"} & set(request_headers)
    assert request_headers["x-forwarded-prefix"] == f"/forwarded/{tunnel.token}"
    assert request_headers["accept"] == "text/html"


@pytest.mark.asyncio
async def test_redirects_and_bodies(tunnel: Tunnel) -> None:
    status, headers, _ = await ask(f"/forwarded/{tunnel.token}/away", "POST", b"typed")
    assert status == 302
    assert headers["location"] == f"/forwarded/{tunnel.token}/login?next=1"
    assert Program.requests[0][3] == b"typed"
    assert forward.prefixed_location("https://elsewhere.example/x", tunnel) == "https://elsewhere.example/x"
    assert forward.prefixed_location("relative/x", tunnel) == "relative/x"
    assert (await ask(f"/forwarded/{tunnel.token}"))[1]["location"] == f"/forwarded/{tunnel.token}/"


@pytest.mark.asyncio
async def test_who_has_no_token_reads_nothing(tunnel: Tunnel, settings: Any) -> None:
    assert (await ask(f"/forwarded/{'x' * 32}/"))[0] == 404
    settings.LOCAL_ONLY = True
    assert (await ask(f"/forwarded/{tunnel.token}/"))[0] == 404
    assert Program.requests == []


async def test_s12_another_host_than_the_consoles_is_refused(tunnel: Tunnel) -> None:
    assert (await ask(f"/forwarded/{tunnel.token}/", host=b"evil.example"))[0] == 400
    assert Program.requests == []


@pytest.mark.parametrize(
    ("site", "destination", "status"),
    [
        (b"same-origin", b"document", 200),
        (b"none", b"document", 200),
        (b"cross-site", b"script", 200),
        (b"cross-site", b"empty", 200),
        (b"same-origin", b"script", 403),
        (b"same-origin", b"serviceworker", 403),
        (b"same-origin", b"iframe", 403),
        (b"same-origin", b"empty", 403),
        (b"same-site", b"script", 403),
    ],
)
async def test_s16_our_own_pages_load_no_script_of_a_pod(
    tunnel: Tunnel, site: bytes, destination: bytes, status: int
) -> None:
    """As Chromium says it: what the sandboxed page loads for itself is cross-site, what a page of ours would load is
    not.
    """
    more = ((b"sec-fetch-site", site), (b"sec-fetch-dest", destination))
    assert (await ask(f"/forwarded/{tunnel.token}/a.js", more=more))[0] == status


async def test_a_body_over_the_limit_is_refused(tunnel: Tunnel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "FORWARDED_BODY_BYTES", replace(limits.FORWARDED_BODY_BYTES, value=4))
    assert (await ask(f"/forwarded/{tunnel.token}/", "POST", b"12345"))[0] == 413
    assert Program.requests == []


async def test_the_page_of_a_pod(client: Any, settings: Any) -> None:
    """From the browser's request to the Pod and back. What answers is the sandbox's stand-in for a web server."""
    settings.LOCAL_ONLY, settings.ALLOWED_HOSTS = False, ["console.example"]
    name = f"proxied-{uuid4().hex[:6]}"

    def start() -> Tunnel:
        spaces, pods = client.find("", "v1", "namespaces"), client.find("", "v1", "pods")
        client.create(spaces, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
        container = {"name": "web", "image": "nginx", "ports": [{"containerPort": 80}]}
        obj = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": [container]}}
        # A real cluster makes the namespace's default ServiceAccount a moment later.
        until(lambda: client.create(pods, obj, name), "a Pod", not_yet=(Forbidden,))
        until(lambda: (client.get(pods, "web", name).get("status") or {}).get("phase") == "Running", "its container")
        return open_tunnel(client, ForwardTarget("Pod", name, "web"), 80, listen=False)

    try:
        # As under uvicorn: pages and port-forwards share the server's loop.
        loop.use(asyncio.get_running_loop())
        tunnel = await asyncio.to_thread(start)
        status, headers, body = await ask(f"/forwarded/{tunnel.token}/")
        assert status == 200
        assert b"<html" in body.lower()
        assert headers["content-security-policy"].startswith("sandbox")
        await asyncio.to_thread(close_tunnel, client, tunnel.id)
        assert (await ask(f"/forwarded/{tunnel.token}/"))[0] == 404
    finally:
        loop.use(None)
        await asyncio.to_thread(client.delete, client.find("", "v1", "namespaces"), name)
