"""GET …/<namespace>/<name>/logs/follow-all/: what all containers of an object's Pods say from now on, as one stream
of server-sent events.

Pods that come later are taken in, those that go are let go. Each container is read by a request of its own, with the
user's credentials.
"""

import asyncio
import contextlib
import re
from collections.abc import Coroutine
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from typing import Any
from urllib.parse import unquote

from console.web.access_watch import pod_permission, while_held
from console.web.asgi import Scope, Send
from kube.channels import follow_log
from kube.client import ClusterClient
from kube.errors import KubeError
from kube.log_lines import LineCutter
from kube.transport import AsyncTransport
from resources.place import Place
from resources.podlogs import merged_logs, pods
from resources.podlogs.logs import LogPart
from resources.podlogs.merged_logs import Source
from resources.stream.sse import HEARTBEAT, encode
from resources.views.endless_response import EventStream, in_thread
from resources.views.follow import in_batches
from resources.views.logs_all import part_of
from resources.views.pod_news import containers
from resources.views.stream_request import Refused, request_of

PATH = re.compile(
    r"^/resources/(?P<group>[^/]+)/(?P<version>[^/]+)/(?P<plural>[^/]+)/(?P<namespace>[^/]+)/(?P<name>[^/]+)/logs/follow-all/$"
)
_HEARTBEAT_SECONDS = 15.0
_BATCH_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class MergedLogRequest:
    client: ClusterClient
    place: Place
    part: LogPart


@dataclass(slots=True)
class Following:
    """What one browser hears. `readers` by uid of the Pod, container and run."""

    queue: "asyncio.Queue[tuple[str, str]]" = field(default_factory=lambda: asyncio.Queue(maxsize=256))
    # The time of the last line of each source that was sent with the beginning.
    until: dict[str, str] = field(default_factory=dict)
    readers: dict[tuple[str, str, int], "asyncio.Task[None]"] = field(default_factory=dict)


def _wish(scope: Scope) -> MergedLogRequest:
    found = PATH.match(scope["path"])
    request = request_of(scope)
    if found is None:
        raise Refused(404, "no such object")
    try:
        client: ClusterClient = request.cluster
        type_ = client.find(unquote(found["group"]), unquote(found["version"]), unquote(found["plural"]))
    except KubeError as error:
        raise Refused(error.code if 400 <= error.code < 600 else 503, str(error)) from error
    namespace = unquote(found["namespace"])
    place = Place(type_, "" if namespace == "-" else namespace, unquote(found["name"]))
    return MergedLogRequest(client, place, part_of(request.GET.dict()))


async def _follow(wish: MergedLogRequest, send: Send) -> None:
    following = Following()
    async with AsyncTransport(wish.client.config) as transport:
        await _begin(wish, following, send)
        out = asyncio.ensure_future(_send_lines(following, send))
        try:
            await _look_after(wish, transport, following, send)
        except KubeError as error:
            await send(
                {"type": "http.response.body", "body": encode("end", {"message": str(error)}), "more_body": True}
            )
        finally:
            tasks = [out, *following.readers.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _begin(wish: MergedLogRequest, following: Following, send: Send) -> None:
    """The last lines of all, in the order in which they were written."""
    try:
        lines, _problems = await in_thread(lambda: merged_logs.tails(wish.client, _sources(wish), wish.part))
    except KubeError:
        # What comes next meets it too, and says it.
        return
    for source, group in groupby(lines, key=lambda line: line.source):
        members = list(group)
        following.until[source] = max(line.at for line in members)
        data = {"source": source, "text": "\n".join(line.text for line in members)}
        await send({"type": "http.response.body", "body": encode("lines", data), "more_body": True})


async def _look_after(wish: MergedLogRequest, transport: AsyncTransport, following: Following, send: Send) -> None:
    """Readers for the containers that there are, again and again. Ends with the error that ends it."""
    sent_names: list[str] = []
    seen: set[tuple[str, str, int]] = set()
    first = True
    async for found in containers(wish.client, wish.place, transport):
        # A run that has ended is read to its end; of a Pod that is gone nothing more comes.
        there = {source.uid for source in found}
        for key in [key for key in following.readers if key[0] not in there]:
            following.readers.pop(key).cancel()
        for source in found:
            key = (source.uid, source.container, source.restarts)
            if source.has_log and key not in seen:
                seen.add(key)
                # Of a Pod that came later all is news.
                part = wish.part if first else LogPart(timestamps=wish.part.timestamps)
                reading = _read(wish, transport, source, part, following)
                following.readers[key] = asyncio.ensure_future(_while_allowed(wish, source, following, reading))
        names = [source.key for source in found]
        if names != sent_names:
            sent_names = names
            await send({"type": "http.response.body", "body": encode("sources", {"sources": names}), "more_body": True})
        first = False


def _sources(wish: MergedLogRequest) -> tuple[Source, ...]:
    obj = wish.place.get(wish.client)
    return merged_logs.sources(pods.pods_of(wish.client, wish.place.type, obj)[: pods.MOST])


async def _while_allowed(
    wish: MergedLogRequest, source: Source, following: Following, reading: Coroutine[Any, Any, None]
) -> None:
    permission = pod_permission(wish.client, "log", source.namespace, source.pod)
    if not await while_held(permission, reading):
        await following.queue.put((source.key, f"[{permission.loss}]"))


async def _read(
    wish: MergedLogRequest, transport: AsyncTransport, source: Source, part: LogPart, following: Following
) -> None:
    """Requests each line with its time, to skip lines that were sent already."""
    until, rest, cutter = following.until.get(source.key, ""), b"", LineCutter()
    try:
        options = replace(part, timestamps=True).options
        async for piece in follow_log(transport, source.pod, source.namespace, container=source.container, **options):
            whole, _, rest = (rest + cutter.feed(piece)).rpartition(b"\n")
            for some in in_batches(whole, _BATCH_BYTES):
                await _put(source, some, until, following, keep=part.timestamps)
    except KubeError as error:
        rest = f"[{error}]".encode()
    await _put(source, rest, until, following, keep=part.timestamps)


async def _put(source: Source, piece: bytes, until: str, following: Following, *, keep: bool) -> None:
    lines = (
        merged_logs.stamped(source.key, line, keep=keep)
        for line in piece.decode("utf-8", "replace").split("\n")
        if line
    )
    if text := "\n".join(line.text for line in lines if not line.at or line.at > until):
        await following.queue.put((source.key, text))


async def _send_lines(following: Following, send: Send) -> None:
    while True:
        body = HEARTBEAT
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_HEARTBEAT_SECONDS):
                source, text = await following.queue.get()
            body = encode("lines", {"source": source, "text": text})
        await send({"type": "http.response.body", "body": body, "more_body": True})


#: Events: `sources` {sources}: whose logs these are; `lines` {source, text}; `end` {message}: the object is gone or
#: can't be read.
FollowAllApp = partial(EventStream, _wish, _follow)
