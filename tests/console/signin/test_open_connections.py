"""Open connections (streams, watches, logs, terminals, port-forwards) need a sign-in, belong to one session, and close
with it.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from console.asgi import Console
from console.signin import clients, sessions
from console.signin.models import Session
from kube.client import ClusterClient
from resources.changes import Topic
from resources.forward import tunnels
from resources.forward.targets import ForwardTarget
from resources.stream.broker import Broker
from resources.views.api_watch import ApiWatchApp
from resources.views.follow import FollowAllApp, FollowApp
from resources.views.forward import ProxiedApp
from resources.views.logs import RawLogApp
from resources.views.stream import StreamApp
from resources.views.terminal import TerminalApp
from tests.console.signin.people import People, signed_in, token
from tests.resources.stream.browser import render

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def server() -> AsyncIterator[Console]:
    """The console's own router, without uvicorn."""
    found = Console()
    found._broker = Broker(render)
    found._stream = StreamApp(found._broker)
    found._follow, found._follow_all, found._watches = FollowApp(), FollowAllApp(), ApiWatchApp()
    found._raw_log, found._proxied, found._terminals = RawLogApp(), ProxiedApp(), TerminalApp()
    yield found
    await found._broker.stop()
    await found._stream.stop()


@dataclass
class Connection:
    sent: list[dict[str, Any]] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, message: Any) -> None:
        self.sent.append(dict(message))
        self.arrived.set()

    @property
    def status(self) -> int:
        return next((item["status"] for item in self.sent if item["type"] == "http.response.start"), 0)

    @property
    def body(self) -> bytes:
        return b"".join(item.get("body", b"") for item in self.sent)

    @property
    def over(self) -> bool:
        """Closed by the server."""
        last = self.sent[-1] if self.sent else {}
        return last.get("type") == "websocket.close" or (
            last.get("type") == "http.response.body" and not last.get("more_body")
        )

    async def until(self, condition: Any, seconds: float = 10) -> None:
        async with asyncio.timeout(seconds):
            while not condition():
                self.arrived.clear()
                await self.arrived.wait()


@asynccontextmanager
async def connected(
    server: Console,
    address: str,
    browser: Client | None = None,
    kind: str = "http",
    headers: Sequence[tuple[bytes, bytes]] = (),
) -> AsyncIterator[Connection]:
    path, _mark, query = address.partition("?")
    cookies = "; ".join(f"{name}={cooky.value}" for name, cooky in browser.cookies.items()) if browser else ""
    own = [(b"host", b"localhost:9000"), (b"cookie", cookies.encode()), (b"origin", b"http://localhost:9000")]
    scope = {
        "type": kind,
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [*own, *headers],
        "scheme": "http",
        "server": ("127.0.0.1", 9000),
        "client": ("127.0.0.1", 1),
        "subprotocols": [],
    }
    found, gone, first = Connection(), asyncio.Event(), [{"type": "websocket.connect"}] if kind == "websocket" else []

    async def receive() -> dict[str, Any]:
        if first:
            return first.pop()
        await gone.wait()
        return {"type": "websocket.disconnect" if kind == "websocket" else "http.disconnect"}

    task = asyncio.create_task(server(scope, receive, found.send))
    try:
        yield found
    finally:
        gone.set()
        async with asyncio.timeout(10):
            await asyncio.gather(task, return_exceptions=True)


def topic_of(admin: ClusterClient, namespace: str) -> str:
    return str(Topic(cluster=admin.name, group="core", version="v1", plural="configmaps", namespace=namespace))


def _open(staff: People, admin: ClusterClient) -> list[tuple[str, str]]:
    pod = f"/resources/core/v1/pods/{staff.here}/x"
    return [
        (f"/stream?topic={topic_of(admin, staff.here)}", "http"),
        (f"/api/resources/core/v1/configmaps/?watch=1&namespace={staff.here}", "http"),
        (f"{pod}/logs/follow/", "http"),
        (f"{pod}/logs/follow-all/", "http"),
        (f"{pod}/logs/raw/", "http"),
        (f"{pod}/terminal/socket/", "websocket"),
    ]


async def test_nobody_is_answered_401_by_each_of_them(server: Console, staff: People, admin: ClusterClient) -> None:
    over = await asyncio.to_thread(signed_in, staff.clerk)
    await asyncio.to_thread(Session.objects.all().delete)
    for address, kind in _open(staff, admin):
        for browser in (None, over):
            async with connected(server, address, browser, kind) as found:
                await found.until(lambda found=found: found.over)
                if kind == "websocket":
                    assert [item["type"] for item in found.sent] == ["websocket.close"], address
                    assert found.sent[0]["code"] == 4401
                else:
                    assert found.status == 401, address
                    assert staff.mark.encode() not in found.body
    async with connected(server, f"/forwarded/{'x' * 32}/") as found:
        await found.until(lambda: found.over)
        assert found.status == 404


async def test_a_stream_and_a_watch_show_what_one_may_read_and_no_more(
    server: Console, staff: People, admin: ClusterClient
) -> None:
    clerk, stranger = [await asyncio.to_thread(signed_in, item) for item in (staff.clerk, staff.stranger)]
    for browser, namespace, wanted in (
        (clerk, staff.here, 200),
        (clerk, f"{staff.mark}-other", 403),
        (clerk, "", 403),
        (stranger, staff.here, 403),
    ):
        async with connected(server, f"/stream?topic={topic_of(admin, namespace)}", browser) as found:
            await found.until(lambda found=found: found.status)
            assert found.status == wanted, namespace
    watch = "/api/resources/core/v1/configmaps/?watch=1&namespace={}"
    async with connected(server, watch.format(staff.here), clerk) as found:
        await found.until(lambda: f"{staff.mark}-mine".encode() in found.body)
    async with connected(server, watch.format(staff.here), stranger) as found:
        await found.until(lambda: found.over)
        assert found.status == 403 and f"{staff.mark}-mine".encode() not in found.body


async def test_signing_out_ends_what_is_open_and_nothing_of_others(
    server: Console, staff: People, admin: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "EXPIRY_SECONDS", 0.2)
    mine, yours = [await asyncio.to_thread(signed_in, staff.clerk) for _each in range(2)]
    addresses = [address for address, kind in _open(staff, admin) if "watch" in address or "stream" in address]
    async with (
        connected(server, addresses[0], mine) as stream,
        connected(server, addresses[1], mine) as watch,
        connected(server, addresses[0], yours) as other_stream,
        connected(server, addresses[1], yours) as other_watch,
    ):
        for item in (stream, watch, other_stream, other_watch):
            await item.until(lambda connection=item: connection.status == 200)
        await asyncio.to_thread(mine.post, "/sign-out/")
        await stream.until(lambda: stream.over)
        await watch.until(lambda: watch.over)
        assert b"event: ended" in stream.body
        await asyncio.sleep(0.8)
        assert not other_stream.over and not other_watch.over
        # In another process: only the database tells.
        await asyncio.to_thread(Session.objects.all().delete)
        await other_watch.until(lambda: other_watch.over)


async def test_a_token_that_is_revoked_ends_what_is_open_and_the_session(
    server: Console, staff: People, admin: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "EXPIRY_SECONDS", 0.2)
    accounts, name = admin.find("", "v1", "serviceaccounts"), f"temp-{uuid4().hex[:6]}"
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}
    await asyncio.to_thread(admin.create, accounts, account, staff.desk)
    browser = await asyncio.to_thread(lambda: signed_in(token(admin, staff.desk, name)))
    person = await asyncio.to_thread(Session.objects.get)
    over = asyncio.Event()
    here = asyncio.get_running_loop()
    clients.when_over(person.key, lambda: here.call_soon_threadsafe(over.set))
    # A 401 that is not the API server's own word ends nothing.
    client = await asyncio.to_thread(clients.client_of, person.key)
    client.config.refused()
    await asyncio.sleep(0.8)
    assert not over.is_set()
    await asyncio.to_thread(admin.delete, accounts, name, staff.desk)
    # A real API server caches an accepted token for ten seconds.
    async with asyncio.timeout(20):
        while not over.is_set():
            client.config.refused()
            await asyncio.sleep(0.3)
    assert not await asyncio.to_thread(Session.objects.exists)
    answer = await asyncio.to_thread(browser.get, "/namespaces/")
    assert answer["Location"] == "/sign-in/?next=%2Fnamespaces%2F&why=over"


def test_a_port_forward_belongs_to_who_opened_it_and_ends_with_his_session(
    staff: People, admin: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tunnels, "pod_and_port", lambda *_all: ("x", 80))
    boss, again = signed_in(staff.boss), signed_in(staff.boss)
    mine, same_name = (clients.client_of(row.key) for row in Session.objects.order_by("began_at"))
    opened = tunnels.open_tunnel(mine, ForwardTarget("Pod", staff.here, "x"), 8080)
    try:
        assert [tunnel.id for tunnel in tunnels.tunnels(mine)] == [opened.id]
        assert not tunnels.tunnels(same_name) and not tunnels.close_tunnel(same_name, opened.id)
        assert opened.proxied_url in boss.get("/resources/forwards/").content.decode()
        assert opened.token not in again.get("/resources/forwards/").content.decode()
        again.post("/resources/forwards/", {"stop": str(opened.id)})
        assert tunnels.by_token(opened.token) is opened and tunnels.owned(opened)
        boss.post("/sign-out/")
        assert tunnels.by_token(opened.token) is None and not tunnels.owned(opened)
        assert opened.server is not None and not opened.server.is_serving()
    finally:
        tunnels._close(opened.id)


def test_what_was_typed_is_not_lost_with_the_session(staff: People) -> None:
    browser = signed_in(staff.clerk)
    Session.objects.all().delete()
    address = f"/resources/core/v1/configmaps/{staff.here}/{staff.mark}-mine/edit/"
    sent = browser.post(address, {"yaml": "typed: here"}, headers={"origin": "http://localhost"})
    assert sent.status_code == 401
    page = sent.content.decode()
    assert "You are signed out" in page and "typed: here" in page
    part = browser.post(address, {"yaml": "typed: here"}, headers={"origin": "http://localhost", "hx-request": "true"})
    assert part.status_code == 401 and "X-Console-Kept" in part
    asked = browser.get(address, headers={"hx-request": "true", "hx-current-url": "http://localhost/namespaces/"})
    assert asked["HX-Redirect"] == "/sign-in/?next=%2Fnamespaces%2F&why=over"
    # A page of another site gets nothing shown.
    other = browser.post(address, {"yaml": "typed: here"}, headers={"origin": "https://evil.example"})
    assert other.status_code == 302
    assert json.loads(browser.get("/api/schema/").content)["title"] == "You are signed out"
    assert sessions.over({"a"}) == {"a"}
