"""What happens at the API server, and on the way to it, while a hub watches: no change is lost, and pages show
what they can't follow.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import redis

from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from resources.changes import ChangeLog, Topic, position
from resources.watch import hub, reflector
from tests.api import custom_resource_definition
from tests.eventually import reached, until
from tests.resources.watch.hubs import after, config_maps, make_map, next_change, running_hub
from tests.resources.watch.proxy import through_a_proxy

USER = "live-watcher"


@pytest.fixture
async def log(pipe: redis.Redis) -> AsyncIterator[ChangeLog]:
    found = ChangeLog()
    yield found
    await found.close()


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reflector, "REFUSED_PAUSE", 0.5)
    monkeypatch.setattr(hub, "PROBE_SECONDS", 0.3)
    monkeypatch.setattr(hub, "PROBE_TIMEOUT_SECONDS", 1.5)


@pytest.fixture
def name(client: ClusterClient) -> Iterator[str]:
    """Of the objects of one test alone."""
    found = f"fault-{time.time_ns()}"
    yield found
    type_ = client.find("", "v1", "configmaps")
    for obj in client.list(type_, "default").items:
        if obj["metadata"]["name"].startswith(found):
            client.delete(type_, obj["metadata"]["name"], "default")


async def _no_resync(log: ChangeLog, topic: Topic, since: str) -> bool:
    found = await log.since(str(topic), since)
    assert found is not None
    return not any(entry.change.kind == "RESYNC" for entry in found)


async def test_a_network_that_is_cut_off_without_a_word_is_noticed(
    log: ChangeLog, client: ClusterClient, name: str
) -> None:
    maps, start = config_maps(client), position(1)
    await log.renew_interest([str(maps)])
    async with through_a_proxy(client) as (proxy, by_proxy), running_hub(by_proxy, "one"):
        await next_change(log, maps, start, "RESYNC")
        since = await after()
        proxy.silence()
        await asyncio.to_thread(make_map, client, name)
        await _problem(log, "does not answer: it took too long")
        proxy.silent = False
        await next_change(log, maps, since, "ADDED", name)
        await _problem(log, "")
        assert await _no_resync(log, maps, since)


async def _problem(log: ChangeLog, wanted: str) -> None:
    async def has_problem() -> bool:
        problems = [hub.problem for hub in await log.hubs()]
        return bool(problems) and (wanted in problems[0] if wanted else not problems[0])

    await reached(has_problem, wanted or "no problem", seconds=30)


async def test_connections_that_break_cost_nothing(log: ChangeLog, client: ClusterClient, name: str) -> None:
    maps, start = config_maps(client), position(1)
    await log.renew_interest([str(maps)])
    async with through_a_proxy(client) as (proxy, by_proxy), running_hub(by_proxy, "one"):
        await next_change(log, maps, start, "RESYNC")
        since = await after()
        for number in range(5):
            proxy.cut()
            await asyncio.to_thread(make_map, client, f"{name}-{number}")
        for number in range(5):
            await next_change(log, maps, since, "ADDED", f"{name}-{number}")

        async def counted() -> int:
            return (await log.hubs())[0].errors

        await reached(counted, "errors of the watch")
        assert await _no_resync(log, maps, since)


async def test_rights_that_are_withdrawn_pause_the_topic_until_they_are_back(
    log: ChangeLog, client: ClusterClient, name: str
) -> None:
    maps, start = config_maps(client), position(1)
    roles = client.find("rbac.authorization.k8s.io", "v1", "roles")
    bindings = client.find("rbac.authorization.k8s.io", "v1", "rolebindings")
    role = {
        "metadata": {"name": name},
        "rules": [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list", "watch"]}],
    }
    binding = {
        "metadata": {"name": name},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": USER}],
    }
    await asyncio.to_thread(client.create, roles, role, "default")
    await asyncio.to_thread(client.create, bindings, binding, "default")
    headers = (("Impersonate-User", USER), ("Impersonate-Group", "system:authenticated"))
    try:
        await log.renew_interest([str(maps)])
        async with through_a_proxy(client, headers=headers) as (proxy, by_proxy), running_hub(by_proxy, "one"):
            await next_change(log, maps, start, "RESYNC")
            await asyncio.to_thread(client.delete, bindings, name, "default")
            # The API server asks for rights when a watch begins.
            async with asyncio.timeout(30):
                while not (troubles := await log.troubles([str(maps)])):
                    proxy.cut()
                    await asyncio.sleep(0.3)
            paused = await next_change(log, maps, start, "PAUSED")
            for sentence in (paused.text, troubles[str(maps)]):
                assert "forbidden" in sentence
                assert USER in sentence
            await asyncio.to_thread(make_map, client, name)
            await asyncio.to_thread(client.create, bindings, binding, "default")
            await next_change(log, maps, start, "RESUMED")
            assert await log.troubles([str(maps)]) == {}
            found = await log.since(str(maps), start)
            assert found is not None
            kinds = [entry.change.kind for entry in found]
            assert kinds[kinds.index("RESUMED") + 1] == "RESYNC"
            await asyncio.to_thread(make_map, client, f"{name}-2")
            await next_change(log, maps, start, "ADDED", f"{name}-2")
    finally:
        for type_ in (bindings, roles):
            with contextlib.suppress(NotFound):
                client.delete(type_, name, "default")


async def test_a_type_that_is_deleted_and_comes_back_with_other_columns(log: ChangeLog, client: ClusterClient) -> None:
    group, start = "live.example.com", position(1)
    crds = client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
    topic = Topic(cluster=client.name, group=group, version="v1", plural="gadgets")

    def make(*columns: str) -> None:
        printed = [{"name": column, "type": "string", "jsonPath": f".spec.{column.lower()}"} for column in columns]
        client.create(crds, custom_resource_definition(group, "gadgets", "Gadget", additionalPrinterColumns=printed))
        _eventually(lambda: client.find(group, "v1", "gadgets"))

    def put(name: str) -> None:
        body = {"apiVersion": f"{group}/v1", "kind": "Gadget", "metadata": {"name": name}, "spec": {"size": "big"}}
        _eventually(lambda: client.create(client.find(group, "v1", "gadgets"), body, "default"))

    async def new_columns() -> bool:
        _digest, text = await log.columns(str(topic))
        return b"Colour" in text

    await asyncio.to_thread(make, "Size")
    try:
        await log.renew_interest([str(topic)])
        async with running_hub(client, "one"):
            await next_change(log, topic, start, "RESYNC")
            await asyncio.to_thread(put, "first")
            first = await next_change(log, topic, start, "ADDED", "first")
            await asyncio.to_thread(client.delete, crds, f"gadgets.{group}")
            await next_change(log, topic, start, "DELETED", "first")
            deleted = position()
            await next_change(log, topic, deleted, "RESYNC")
            assert await log.troubles([str(topic)]) == {}, "that a type is gone is no trouble"
            resumed = position()
            await asyncio.to_thread(make, "Size", "Colour")
            # Not only a RESYNC: the end of the old type may bring a second one, and what is created before the hub has
            # listed the new type is in that list.
            await reached(new_columns)
            await next_change(log, topic, resumed, "RESYNC")
            await asyncio.to_thread(put, "second")
            second = await next_change(log, topic, resumed, "ADDED", "second")
            assert second.columns != first.columns
            digest, text = await log.columns(str(topic))
            assert digest == second.columns
            assert b"Colour" in text
            assert await log.troubles([str(topic)]) == {}
    finally:
        client.delete(crds, f"gadgets.{group}")
        await reached(lambda: not _served(client, group))


def _served(client: ClusterClient, group: str) -> bool:
    client.forget_types()
    return any(type_.group == group for type_ in client.types())


def _eventually(ask: Any) -> Any:
    """A new type takes a moment to be served."""
    return until(ask, seconds=30, not_yet=(KubeError,))
