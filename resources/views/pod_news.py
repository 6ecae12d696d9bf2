"""The containers of an object's Pods, sent again whenever they change: for pages that follow all their logs.

Finding the Pods of a custom resource takes reading some thirty kinds. So that is done once, and again only for a new
Pod; a watch on Pods reports changes of the known ones, which costs nothing while nothing happens.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

from kube import requests
from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import uid_of
from kube.table import parse
from kube.transport import AsyncTransport
from kube.watch import WatchEvent, watch
from resources.place import Place
from resources.podlogs import merged_logs, pods
from resources.podlogs.merged_logs import Source
from resources.views.endless_response import in_thread

# Looks at everything are so far apart at least, and so far at most while the watch holds.
_LOOK_SECONDS = 3.0
_AGAIN_SECONDS = 120
# Without a watch (it is forbidden, or broke) looks become rarer.
_PATIENCE_SECONDS = 20.0


async def containers(
    client: ClusterClient, place: Place, transport: AsyncTransport
) -> AsyncIterator[tuple[Source, ...]]:
    """Endless. Raises KubeError when the object is gone or the user can't read its Pods."""
    wait = _LOOK_SECONDS
    while True:
        version = await in_thread(lambda: _version(client, place))
        read_at = time.monotonic()
        known = {uid_of(pod): pod for pod in await in_thread(lambda: _pods(client, place))}
        yield merged_logs.sources(known.values())
        try:
            if not version:
                raise KubeError("Pods can't be watched")
            async for found in _until_others(client, place, transport, version, known):
                yield found
            wait = _LOOK_SECONDS
        except KubeError:
            await asyncio.sleep(wait)
            wait = min(wait * 1.5, _PATIENCE_SECONDS)
        await asyncio.sleep(max(0.0, read_at + _LOOK_SECONDS - time.monotonic()))


def _pods(client: ClusterClient, place: Place) -> tuple[dict[str, Any], ...]:
    return pods.pods_of(client, place.type, place.get(client))[: pods.MOST]


def _version(client: ClusterClient, place: Place) -> str:
    """From where a watch begins; '' where there can be none."""
    try:
        return client.list(client.find("", "v1", "pods"), place.namespace, limit=1).resource_version
    except KubeError:
        return ""


async def _until_others(
    client: ClusterClient, place: Place, transport: AsyncTransport, version: str, known: dict[str, dict[str, Any]]
) -> AsyncIterator[tuple[Source, ...]]:
    """Changes of the known Pods, until there are others or the watch ends."""
    type_ = await in_thread(lambda: client.find("", "v1", "pods"))
    request = requests.watch_table(type_, place.namespace, version, _AGAIN_SECONDS, "Object")
    sent = merged_logs.sources(known.values())
    async for burst in watch(transport, request):
        for event in burst:
            if _take(event, known):
                return
        if (now := merged_logs.sources(known.values())) != sent:
            sent = now
            yield now


def _take(event: WatchEvent, known: dict[str, dict[str, Any]]) -> bool:
    """True where all has to be looked at again: a Pod is new here, or gone."""
    if event.type == "BOOKMARK":
        return False
    for row in parse(event.table()).rows:
        uid = uid_of(row.object)
        if event.type == "DELETED" and uid in known:
            # Perhaps its owner went too, and who follows has to hear that.
            return True
        if uid in known:
            known[uid] = row.object
        elif event.type == "ADDED":
            return True
    return False
