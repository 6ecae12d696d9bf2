"""Who may follow what is asked once for all connections, and again as the answer ages."""

import asyncio
import contextlib
import dataclasses
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from console.web import access
from kube.client import ClusterClient
from kube.errors import KubeError
from resources.changes import ChangeLog, Topic, position
from resources.stream import gate
from resources.stream.gate import Verdict
from resources.views.stream import StreamApp
from tests.eventually import reached
from tests.resources.stream.browser import COLUMNS, opened, row_of


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """How often each topic was asked for; slowly, so that questions meet."""
    counted: Counter[str] = Counter()
    real = gate.may_follow

    def slow(client: ClusterClient, text: str) -> Verdict:
        counted[text] += 1
        import time

        time.sleep(0.05)
        return real(client, text)

    monkeypatch.setattr(gate, "may_follow", slow)
    yield counted


async def test_many_connections_are_one_question(app: StreamApp, topic: Topic, asked: Counter[str]) -> None:
    async def connect() -> None:
        async with opened(app, [("topic", str(topic))]) as browser:
            await browser.get("hello")
            await asyncio.sleep(0.2)

    await asyncio.gather(*(connect() for _ in range(30)))
    await connect()
    assert asked == {str(topic): 1}


async def test_o15_a_verdict_that_ages_while_others_are_awaited_is_still_given(
    client: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """KeyError: one that no connection held was forgotten meanwhile."""
    go_on = threading.Event()

    def slow(_client: ClusterClient, text: str) -> Verdict:
        assert text == "known" or go_on.wait(20)
        return Verdict(topic=text, type_=None)

    monkeypatch.setattr(gate, "may_follow", slow)
    with ThreadPoolExecutor(2) as pool:
        found = gate.Gate(pool, lambda _line, _verdict: None)
        asker = gate.Asker(client, "en")
        await found.judge(asker, ["known"])
        both = asyncio.create_task(found.judge(asker, ["known", "slow"]))
        async with asyncio.timeout(10):
            while asker.key("slow") not in found._asking:
                await asyncio.sleep(0)
        # As _look_again does with answers that are due and unused.
        found._known.clear()
        go_on.set()
        assert [verdict.topic for verdict in await asyncio.wait_for(both, 10)] == ["known", "slow"]


async def test_answers_age(app: StreamApp, topic: Topic, asked: Counter[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "AGAIN_SECONDS", 0.2)
    async with opened(app, [("topic", str(topic))]), opened(app, [("topic", str(topic))]):
        await reached(lambda: asked[str(topic)] >= 4)


@pytest.fixture
def guest(client: ClusterClient, monkeypatch: pytest.MonkeyPatch) -> Iterator[ClusterClient]:
    """A user who can watch ConfigMaps in `default`, until `binding` is deleted. Returns the administrator's client."""
    config = dataclasses.replace(client.config, headers=(("Impersonate-User", "guest"),), user="guest")
    rbac = {kind: client.find("rbac.authorization.k8s.io", "v1", kind) for kind in ("roles", "rolebindings")}
    rules = [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "watch"]}]
    client.create(rbac["roles"], {"metadata": {"name": "guest"}, "rules": rules}, "default")
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "guest"}
    subjects = [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "guest"}]
    client.create(
        rbac["rolebindings"], {"metadata": {"name": "guest"}, "roleRef": reference, "subjects": subjects}, "default"
    )
    monkeypatch.setattr("console.web.request.console_client", lambda: ClusterClient(config))
    monkeypatch.setattr(access, "_review", access._review.__wrapped__)
    yield client
    for kind in ("rolebindings", "roles"):
        with contextlib.suppress(KubeError):
            client.delete(rbac[kind], "guest", "default")


async def test_a_right_that_is_withdrawn_ends_the_topic_and_nothing_else(
    app: StreamApp, log: ChangeLog, topic: Topic, guest: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "AGAIN_SECONDS", 0.3)
    query = [("topic", str(topic)), ("since", position())]
    async with opened(app, query) as browser, opened(app, [], {"notices": [{"topic": str(topic)}]}) as other:
        await browser.get("hello")
        await other.get("hello")
        await log.append(topic, [row_of("a")], "1", COLUMNS)
        await browser.get("row")
        await other.get("changed")
        guest.delete(guest.find("rbac.authorization.k8s.io", "v1", "rolebindings"), "guest", "default")
        for item in (browser, other):
            data, _ = await item.get("refused")
            assert data["lasting"] is True
            assert data["message"] == "You don't have permission to list configmaps in the namespace “default”."
        await log.append(topic, [row_of("b")], "2")
        # Later entries don't reach this connection, but its stream stays open.
        await app._broker._log.poke()
        await asyncio.sleep(0.5)
        assert not [kind for kind, _, _ in (*browser.events, *other.events) if kind in ("row", "changed", "refused")]
        assert not browser.ended
        assert str(topic) not in app._broker.feeds


async def test_a_cluster_that_is_away_withdraws_nothing(
    app: StreamApp, log: ChangeLog, topic: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "AGAIN_SECONDS", 0.2)
    async with opened(app, [("topic", str(topic)), ("since", position())]) as browser:
        await browser.get("hello")
        again = asyncio.Event()
        here = asyncio.get_running_loop()

        def away(client: ClusterClient, text: str) -> Verdict:
            here.call_soon_threadsafe(again.set)
            return Verdict(topic=text, type_=None, refusal="The API server does not answer", lasting=False)

        monkeypatch.setattr(gate, "may_follow", away)
        async with asyncio.timeout(10):
            await again.wait()
        await log.append(topic, [row_of("a")], "1", COLUMNS)
        await browser.get("row")
        assert not [kind for kind, _, _ in browser.events if kind == "refused"]
        # A new connection is refused too, and asked to retry.
        async with opened(app, [("topic", str(topic))]) as late:
            data: dict[str, Any] = (await late.get("refused"))[0]
            assert data["lasting"] is False


async def test_a_right_that_goes_while_a_connection_catches_up(
    app: StreamApp, log: ChangeLog, topic: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = position()
    await log.append(topic, [row_of("a")], "1", COLUMNS)
    real, here = app._broker._replay.since, asyncio.Event()

    async def slow(*args: str) -> Any:
        found = await real(*args)
        (line,) = app._broker.lines
        app._withdraw(line, Verdict(topic=str(topic), type_=None, refusal="not any more"))
        here.set()
        return found

    monkeypatch.setattr(app._broker._replay, "since", slow)
    other = str(Topic(cluster=topic.cluster, group="core", version="v1", plural="secrets", namespace="default"))
    async with opened(app, [("topic", str(topic)), ("notice", other), ("since", start)]) as browser:
        assert (await browser.get("refused"))[0]["message"] == "not any more"
        await browser.get("hello")
        assert here.is_set()
        await log.append(topic, [row_of("b")], "2")
        await log.append(Topic.parse(other), [row_of("c")], "2")
        assert (await browser.get("row"))[0]["name"] == "c"
        assert list(app._broker.feeds) == [other]
