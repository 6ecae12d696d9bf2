"""The API server restarts, and kinds come and go: which requests are retried, and how long cached discovery is used."""

import asyncio
import json
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any
from uuid import uuid4

import pytest
from aiohttp import web

from kube.catalog import TypeCatalog
from kube.client import ClusterClient
from kube.config import ClusterConfig
from kube.errors import NotFound, Unreachable
from kube.requests import ApiRequest
from kube.transport import Answer, AsyncTransport, SyncTransport
from tests.eventually import until
from tests.kube.script_server import Handler


@asynccontextmanager
async def _server(handler: Handler, port: int = 0) -> AsyncIterator[ClusterConfig]:
    """One that may be started again at the port of the last; its end closes every connection."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port, reuse_address=True).start()
    try:
        found = runner.addresses[0][1]
        yield ClusterConfig(
            name="scripted", host=f"http://127.0.0.1:{found}", user="tester", token=lambda: "", tls=None
        )
    finally:
        await runner.cleanup()


def _request(method: str) -> ApiRequest:
    return ApiRequest(method=method, path="/thing", body=b"{}" if method == "POST" else None, ref="a thing")


class Script:
    """Answers, or hangs up in the middle of the next requests. `seen`: their methods."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.hang_ups = 0

    async def respond(self, request: web.Request) -> web.StreamResponse:
        self.seen.append(request.method)
        await request.read()
        if self.hang_ups:
            self.hang_ups -= 1
            assert request.transport is not None
            request.transport.abort()
        return web.json_response({})


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_kept_connections_to_a_server_that_was_started_anew_cost_nothing(method: str) -> None:
    script = Script()
    async with _server(script.respond) as config:
        sync = SyncTransport(config)
        async with AsyncTransport(config) as transport:
            await asyncio.to_thread(sync.send, _request("GET"))
            await transport.send(_request("GET"))
            port = int(config.host.rpartition(":")[2])
    async with AsyncTransport(config) as transport:
        async with _server(script.respond, port):
            await asyncio.to_thread(sync.send, _request("GET"))
            await transport.send(_request("GET"))
        with pytest.raises(Unreachable, match="connection refused"):
            await asyncio.to_thread(sync.send, _request(method))
        with pytest.raises(Unreachable, match="connection refused"):
            await transport.send(_request(method))
        script.seen.clear()
        async with _server(script.respond, port):
            await asyncio.to_thread(sync.send, _request(method))
            await transport.send(_request(method))
    assert script.seen == [method, method]


async def test_a_read_that_was_cut_off_is_sent_once_more_and_a_write_never() -> None:
    script = Script()
    async with _server(script.respond) as config:
        sync = SyncTransport(config)
        script.hang_ups = 1
        await asyncio.to_thread(sync.send, _request("GET"))
        assert script.seen == ["GET", "GET"]
        script.seen.clear()
        script.hang_ups = 2
        with pytest.raises(Unreachable):
            await asyncio.to_thread(sync.send, _request("GET"))
        assert script.seen == ["GET", "GET"]
        async with AsyncTransport(config) as transport:
            for send in (lambda request: asyncio.to_thread(sync.send, request), transport.send):
                script.seen.clear()
                script.hang_ups = 1
                with pytest.raises(Unreachable):
                    await send(_request("POST"))
                assert script.seen == ["POST"]


def test_who_waits_for_a_silent_server_waits_no_longer_than_the_first() -> None:
    """Ten pages at once, each of which would wait five seconds for the one before it."""
    asked: list[str] = []

    def silent(request: ApiRequest) -> Answer:
        asked.append(request.path)
        time.sleep(1.0)
        raise Unreachable("nothing")

    catalog = TypeCatalog(silent)
    refused: list[str] = []

    def poll() -> None:
        try:
            catalog.current()
        except Unreachable as error:
            refused.append(str(error))

    threads = [threading.Thread(target=poll) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == ["nothing"] * 10
    # Threads that come during a request share its result; one that starts late sends its own.
    assert len(asked) < 5


def test_an_answer_is_as_old_as_its_question() -> None:
    """On a busy machine it may lie about before it is read: a kind that was made meanwhile is looked for again, not
    denied.
    """
    served: list[str] = []

    def late(request: ApiRequest) -> Answer:
        names = [*served] if request.path == "/apis" else []
        if not served:
            time.sleep(0.4)
        return Answer(200, {}, json.dumps(_discovery(names)).encode())

    catalog = TypeCatalog(late)
    assert not catalog.current().types
    served.append("widgets")
    assert catalog.find("example.com", "v1", "widgets").kind == "Widgets"


def _discovery(plurals: list[str]) -> dict[str, object]:
    resources = [
        {"resource": plural, "responseKind": {"kind": plural.title()}, "scope": "Namespaced", "verbs": []}
        for plural in plurals
    ]
    group = {"metadata": {"name": "example.com"}, "versions": [{"version": "v1", "resources": resources}]}
    return {"kind": "APIGroupDiscoveryList", "items": [group] if plurals else []}


@pytest.fixture
def watcher(client: ClusterClient) -> ClusterClient:
    """A client as in another process, whose caches no other client drops."""
    return ClusterClient(client.config)


@contextmanager
def _kind(client: ClusterClient, group: str, *versions: str) -> Iterator[Callable[..., None]]:
    """A kind that is served in these versions, and a function that serves it in others."""
    crds = client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
    name = f"bears.{group}"

    def document(*served: str) -> dict[str, Any]:
        schema = {"openAPIV3Schema": {"type": "object"}}
        listed = [
            {"name": version, "served": version in served, "storage": version == versions[-1], "schema": schema}
            for version in versions
        ]
        names = {"plural": "bears", "singular": "bear", "kind": "Bear", "listKind": "BearList"}
        return {"spec": {"group": group, "scope": "Namespaced", "names": names, "versions": listed}}

    client.create(crds, {"metadata": {"name": name}, **document(*versions)})

    def serve(*served: str) -> None:
        client.patch(crds, name, document(*served))

    try:
        yield serve
    finally:
        client.delete(crds, name)


def _listed(client: ClusterClient, group: str, version: str) -> bool:
    try:
        client.list(client.find(group, version, "bears"), "default")
    except NotFound:
        return False
    return True


def test_a_version_that_is_served_no_more_is_forgotten_at_its_first_404(
    client: ClusterClient, watcher: ClusterClient
) -> None:
    group = f"{uuid4().hex[:6]}.zoo.example"
    with _kind(client, group, "v1alpha1", "v1") as serve:
        until(lambda: _listed(watcher, group, "v1alpha1") and _listed(watcher, group, "v1"))
        old = watcher.find(group, "v1alpha1", "bears")
        serve("v1")
        # The API server itself takes a moment. No waiting for the ten seconds that types are kept.
        until(lambda: not _listed(watcher, group, "v1alpha1"), 9)
        with pytest.raises(NotFound, match="the cluster serves no resource 'bears'"):
            until(lambda: watcher.find(group, "v1alpha1", "bears") != old, 9)
        assert watcher.find(group, "", "bears").version == "v1"
        serve("v1alpha1", "v1")
        # Looked for again at once, since it may be new.
        until(lambda: _listed(watcher, group, "v1alpha1"), 9)


def test_a_kind_that_was_deleted_and_came_back_otherwise(client: ClusterClient, watcher: ClusterClient) -> None:
    group = f"{uuid4().hex[:6]}.zoo.example"
    with _kind(client, group, "v1"):
        until(lambda: _listed(watcher, group, "v1"))
    until(lambda: not _listed(watcher, group, "v1"), 9)
    with pytest.raises(NotFound, match="its CustomResourceDefinition may not be installed, or have another version"):
        until(lambda: watcher.find(group, "", "bears") is None, 9)
    with _kind(client, group, "v2"):
        until(lambda: _listed(watcher, group, "v2"), 9)


def test_an_object_that_is_missing_costs_no_look_at_all_types(client: ClusterClient, namespace: str) -> None:
    maps = client.find("core", "v1", "configmaps")
    asked = client._catalog._asked
    with pytest.raises(NotFound) as missing:
        client.get(maps, "none", namespace)
    assert not missing.value.unserved
    assert client._catalog._asked == asked
