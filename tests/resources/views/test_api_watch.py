"""GET /api/resources/…?watch=1: changes as server-sent events, resumed by resourceVersion."""

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async

from console.audit.models import AuditEntry
from kube.client import ClusterClient
from kube.errors import Gone, NotFound
from resources.views import api_watch
from resources.views.api_watch import ApiWatchApp, wanted
from tests.eventually import reached

PATH = "/api/resources/core/v1/configmaps/"


def scope(query: str, headers: dict[str, str] | None = None, path: str = PATH) -> dict[str, Any]:
    pairs = {"host": "localhost", **(headers or {})}
    return {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": query.encode(),
        "headers": [(name.lower().encode(), value.encode()) for name, value in pairs.items()],
    }


class Listener:
    """What a browser would get, piece by piece."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.ended = False
        self.gone = asyncio.Event()

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.body += message.get("body", b"")
            self.ended = not message.get("more_body", False)

    async def receive(self) -> dict[str, str]:
        await self.gone.wait()
        return {"type": "http.disconnect"}

    @property
    def events(self) -> list[tuple[str, str, Any]]:
        """(event, id, data)."""
        found = []
        for block in self.body.decode().split("\n\n"):
            lines = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line and not line.startswith(":"))
            if "event" in lines:
                found.append((lines["event"], lines.get("id", ""), json.loads(lines["data"])))
        return found

    async def until(self, holds: Callable[["Listener"], bool]) -> None:
        await reached(lambda: holds(self), seconds=60)

    def has(self, event: str, name: str) -> bool:
        return any(
            item == event and data["metadata"]["name"] == name for item, _id, data in self.events if item != "bookmark"
        )


async def follow(asked: dict[str, Any], steps: Callable[[Listener], Any]) -> Listener:
    listener = Listener()
    task = asyncio.ensure_future(ApiWatchApp()(asked, listener.receive, listener.send))
    try:
        await steps(listener)
    finally:
        listener.gone.set()
        async with asyncio.timeout(30):
            await task
    assert listener.ended
    return listener


@pytest.mark.django_db(transaction=True)
def test_what_there_is_and_what_comes_and_where_to_go_on(client: ClusterClient) -> None:
    maps, names = client.find("", "v1", "configmaps"), [f"w-{uuid4().hex[:6]}" for _ in range(3)]

    def make(name: str) -> None:
        obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"test": "watch"}}}
        client.create(maps, obj, "default")

    def change(name: str) -> None:
        client.patch(maps, name, {"data": {"a": "1"}}, "default")

    def remove(name: str) -> None:
        client.delete(maps, name, "default")

    async def first(listener: Listener) -> None:
        await listener.until(lambda item: any(event == "bookmark" for event, _id, _data in item.events))
        assert listener.has("added", names[0])
        await sync_to_async(make)(names[1])
        await listener.until(lambda item: item.has("added", names[1]))
        await sync_to_async(change)(names[0])
        await listener.until(lambda item: item.has("modified", names[0]))

    async def second(listener: Listener) -> None:
        await sync_to_async(remove)(names[0])
        await listener.until(lambda item: item.has("deleted", names[0]))

    query = "watch=1&namespace=default&labels=test%3Dwatch"
    make(names[0])
    try:
        received = asyncio.run(follow(scope(query), first))
        assert received.status == 200
        assert received.headers["content-type"].startswith("text/event-stream")
        # All that there was came without an id; only what may be resumed from has one.
        assert [
            id_ for event, id_, data in received.events if event == "added" and data["metadata"]["name"] == names[0]
        ] == [""]
        make(names[2])
        again = asyncio.run(follow(scope(query, {"Last-Event-ID": received.events[-1][1]}), second))
        assert [(event, data["metadata"]["name"]) for event, _id, data in again.events if event != "bookmark"] == [
            ("added", names[2]),
            ("deleted", names[0]),
        ]
    finally:
        for name in names:
            with contextlib.suppress(NotFound):
                remove(name)


async def _to_its_end(listener: Listener) -> None:
    await listener.until(lambda item: item.ended)


@pytest.mark.django_db(transaction=True)
def test_refusals_are_problems(client: ClusterClient, monkeypatch: pytest.MonkeyPatch) -> None:
    unknown = asyncio.run(follow(scope("watch=1", path="/api/resources/core/v1/poems/"), _to_its_end))
    assert (unknown.status, json.loads(unknown.body)["reason"]) == (404, "NotFound")
    wrong = asyncio.run(follow(scope("watch=1&labels=a%3D%3D%3D"), _to_its_end))
    assert wrong.status == 400

    def expired(*asked: Any) -> Any:
        raise Gone("too old resource version: 1 (9)")

    monkeypatch.setattr(api_watch, "watch", expired)
    old = asyncio.run(follow(scope("watch=1&resourceVersion=1"), _to_its_end))
    assert (old.status, json.loads(old.body)["reason"]) == (410, "Expired")
    # Under way it is an event, since the answer has begun.
    late = asyncio.run(follow(scope("watch=1&labels=test%3Dnothing"), _to_its_end))
    assert late.status == 200
    assert [(event, data.get("status")) for event, _id, data in late.events] == [("bookmark", None), ("error", 410)]


def test_only_a_watch_is_taken() -> None:
    assert wanted(scope("namespace=a&watch=1"))
    assert not wanted(scope("watch=10"))
    assert not wanted(scope(""))
    assert not wanted(scope("watch=1", path="/api/resources/core/v1/configmaps/default/x/"))


@pytest.mark.django_db(transaction=True)
def test_s9_a_watch_of_secrets_is_in_the_audit(client: ClusterClient) -> None:
    """S9: a watch hands out values; the row names what came first, and there is one for a resumed watch too."""
    secrets, name = client.find("", "v1", "secrets"), f"w-{uuid4().hex[:6]}"
    obj = {"metadata": {"name": name, "labels": {"test": name}}, "stringData": {"key": "hunter2"}}
    made = client.create(secrets, obj, "default")

    async def listed(listener: Listener) -> None:
        await listener.until(lambda found: found.has("added", name))

    async def changed(listener: Listener) -> None:
        await listener.until(lambda found: found.status == 200)

    path, query = "/api/resources/core/v1/secrets/", f"watch=1&namespace=default&labels=test%3D{name}"
    try:
        asyncio.run(follow(scope(query, path=path), listed))
        version = made["metadata"]["resourceVersion"]
        asyncio.run(follow(scope(f"{query}&resourceVersion={version}", path=path), changed))
    finally:
        client.delete(secrets, name, "default")
    rows = list(AuditEntry.objects.filter(resource="secrets").order_by("pk"))
    assert [(row.verb, row.namespace, row.name, row.source) for row in rows] == [("reveal", "default", "", "api")] * 2
    assert name in rows[0].detail
    assert not any("hunter2" in row.detail for row in rows)
