"""Hubs and waiting, for the tests of this folder."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from kube.client import ClusterClient
from resources.changes import Change, ChangeLog, Topic, position
from resources.watch.hub import WatchHub


@asynccontextmanager
async def running_hub(client: ClusterClient, name: str) -> AsyncIterator[asyncio.Task[None]]:
    """Its task; it has ended when this has."""
    task = asyncio.create_task(WatchHub(client, name).run())
    # A hub that fails fails the test, with its own error.
    task.add_done_callback(lambda ended: None if ended.cancelled() else ended.exception() and ended.print_stack())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def next_change(
    log: ChangeLog, topic: Topic, since: str, kind: str, name: str = "", seconds: float = 30
) -> Change:
    """The first of this kind (and of this object) since then."""
    async with asyncio.timeout(seconds):
        async for entry in log.follow([topic], since):
            if entry.change.kind == kind and name in ("", entry.change.name):
                return entry.change
    raise AssertionError


async def after() -> str:
    """A position that holds nothing of what has come: reading begins a millisecond early."""
    await asyncio.sleep(0.01)
    return position()


def config_maps(client: ClusterClient) -> Topic:
    return Topic(cluster=client.name, group="core", version="v1", plural="configmaps", namespace="default")


def make_map(client: ClusterClient, name: str) -> None:
    """Creates a ConfigMap; the name is generated, so that a leftover of an earlier test doesn't matter."""
    type_ = client.find("", "v1", "configmaps")
    client.create(type_, {"metadata": {"name": name}}, "default")
