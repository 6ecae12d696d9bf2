"""New log lines as server-sent events: of one container, or of all Pods of an object.

GET …/pods/<namespace>/<name>/logs/follow/ (FollowApp): the last lines of one container, then each new one.
GET …/<namespace>/<name>/logs/follow-all/ (FollowAllApp): the same for all containers of an object's Pods, merged into
one stream. New Pods are added, and deleted ones removed. Each container is read by a request of its own.

Raw ASGI like /stream: a followed log has no end. The API server checks the permission with the user's own credentials.
Lines that arrive together are one event, so that a chatty container costs few events.

Finding the Pods of a custom resource reads some thirty kinds. So that is done once, and again only for a new or deleted
Pod; a watch on Pods reports changes of the known ones.
"""

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator, Coroutine, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from typing import Any
from urllib.parse import unquote

from console.web.access import pod_permission, while_held
from console.web.asgi import Scope, Send
from kube import requests
from kube.channels import LineCutter, follow_log
from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import parse_table, uid_of
from kube.transport import AsyncTransport
from kube.watch import WatchEvent, watch
from resources import podlogs
from resources.place import Place
from resources.podlogs import LogPart, LogSource, log_line, log_part, log_sources, merged_tails
from resources.stream.live_update import HEARTBEAT, encode_event
from resources.views.logs import merged_log_part
from resources.views.stream import EventStream, in_thread
from resources.views.stream_request import Refused, client_of, request_of

FOLLOW_PATH = re.compile(r"^/resources/core/v1/pods/(?P<namespace>[^/]+)/(?P<pod>[^/]+)/logs/follow/$")
FOLLOW_ALL_PATH = re.compile(
    r"^/resources/(?P<group>[^/]+)/(?P<version>[^/]+)/(?P<plural>[^/]+)/(?P<namespace>[^/]+)/(?P<name>[^/]+)/logs/follow-all/$"
)
_HEARTBEAT_SECONDS = 15.0
# Of one event. Nothing is left out: who reads slowly holds the reading up, and the API server waits.
_BATCH_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerLogRequest:
    """Which container's log, and which part of it."""

    client: ClusterClient
    namespace: str
    pod: str
    container: str
    part: LogPart


def _container_request(scope: Scope) -> ContainerLogRequest:
    found = FOLLOW_PATH.match(scope["path"])
    request = request_of(scope)
    if found is None:
        raise Refused(404, "no such log")
    client = client_of(request)
    return ContainerLogRequest(
        client=client,
        namespace=unquote(found["namespace"]),
        pod=unquote(found["pod"]),
        container=request.GET.get("container", ""),
        part=log_part(request.GET.dict()),
    )


async def _follow_container(log_request: ContainerLogRequest, send: Send) -> None:
    queue: asyncio.Queue[bytes | None] = asyncio.Queue(maxsize=64)
    message = ""

    async def read() -> None:
        nonlocal message
        transport, cutter = AsyncTransport(log_request.client.config), LineCutter()
        try:
            async for piece in follow_log(
                transport,
                log_request.pod,
                log_request.namespace,
                container=log_request.container,
                follow=not log_request.part.previous,
                **log_request.part.options,
            ):
                await queue.put(cutter.feed(piece))
        except KubeError as error:
            message = str(error)
        finally:
            await transport.close()

    async def read_while_allowed() -> None:
        nonlocal message
        permission = pod_permission(log_request.client, "log", log_request.namespace, log_request.pod)
        if not await while_held(permission, read()):
            message = permission.loss
        await queue.put(None)

    reader = asyncio.ensure_future(read_while_allowed())
    try:
        await _send_container_lines(queue, send)
    finally:
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)
    await send({"type": "http.response.body", "body": encode_event("end", {"message": message}), "more_body": True})


async def _send_container_lines(queue: "asyncio.Queue[bytes | None]", send: Send) -> None:
    """Until the queue says None. Half a line waits for its other half."""
    rest = b""
    more = True
    while more:
        body = HEARTBEAT
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_HEARTBEAT_SECONDS):
                piece = await queue.get()
            pieces = [rest]
            while piece is not None:
                pieces.append(piece)
                if queue.empty():
                    break
                piece = queue.get_nowait()
            more = piece is not None
            whole, _, rest = b"".join(pieces).rpartition(b"\n") if more else (b"".join(pieces), b"", b"")
            body = b"".join(
                encode_event("lines", {"text": text.decode("utf-8", "replace")})
                for text in in_batches(whole, _BATCH_BYTES)
            )
        if body:
            await send({"type": "http.response.body", "body": body, "more_body": True})


def in_batches(whole: bytes, most: int) -> Iterator[bytes]:
    """Whole lines of at most `most` bytes together, without the last line's end; a line longer than that stands
    alone.
    """
    while whole:
        if len(whole) <= most:
            yield whole
            return
        cut = whole.rfind(b"\n", 0, most)
        if cut < 0:
            cut = whole.find(b"\n", most)
        if cut < 0:
            yield whole
            return
        yield whole[:cut]
        whole = whole[cut + 1 :]


#: Events: `lines` {text}, `end` {message}: the container ended, or the API server refused. Text is whole lines.
FollowApp = partial(EventStream, _container_request, _follow_container)


# For the merged log. The Pods are found again at most so often, and at least so often while the watch holds.
_LOOK_SECONDS = 3.0
_AGAIN_SECONDS = 120
# Without a watch (it is forbidden, or broke) they are found again less and less often, up to this.
_MAX_WAIT_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class MergedLogRequest:
    client: ClusterClient
    place: Place
    part: LogPart


@dataclass(slots=True)
class MergedFollowing:
    """One browser's merged log. `readers` by uid of the Pod, container and run."""

    queue: "asyncio.Queue[tuple[str, str]]" = field(default_factory=lambda: asyncio.Queue(maxsize=256))
    # The time of the last line of each source that was sent with the beginning.
    until: dict[str, str] = field(default_factory=dict)
    readers: dict[tuple[str, str, int], "asyncio.Task[None]"] = field(default_factory=dict)


def _merged_request(scope: Scope) -> MergedLogRequest:
    found = FOLLOW_ALL_PATH.match(scope["path"])
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
    return MergedLogRequest(client, place, merged_log_part(request.GET.dict()))


async def _follow_merged(log_request: MergedLogRequest, send: Send) -> None:
    following = MergedFollowing()
    async with AsyncTransport(log_request.client.config) as transport:
        await _send_merged_tails(log_request, following, send)
        out = asyncio.ensure_future(_send_merged_lines(following, send))
        try:
            await _keep_readers(log_request, transport, following, send)
        except KubeError as error:
            await send(
                {"type": "http.response.body", "body": encode_event("end", {"message": str(error)}), "more_body": True}
            )
        finally:
            tasks = [out, *following.readers.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _send_merged_tails(log_request: MergedLogRequest, following: MergedFollowing, send: Send) -> None:
    """The last lines of all, in the order in which they were written."""
    try:
        lines, _problems = await in_thread(
            lambda: merged_tails(
                log_request.client, log_sources(_pods(log_request.client, log_request.place)), log_request.part
            )
        )
    except KubeError:
        # What comes next meets it too, and says it.
        return
    for source, group in groupby(lines, key=lambda line: line.source):
        members = list(group)
        following.until[source] = max(line.at for line in members)
        data = {"source": source, "text": "\n".join(line.text for line in members)}
        await send({"type": "http.response.body", "body": encode_event("lines", data), "more_body": True})


async def _keep_readers(
    log_request: MergedLogRequest, transport: AsyncTransport, following: MergedFollowing, send: Send
) -> None:
    """Readers for the containers that there are, again and again. Ends with the error that ends it."""
    sent_names: list[str] = []
    seen: set[tuple[str, str, int]] = set()
    first = True
    async for found in source_updates(log_request.client, log_request.place, transport):
        # A run that has ended is read to its end; of a Pod that is gone nothing more comes.
        there = {source.uid for source in found}
        for key in [key for key in following.readers if key[0] not in there]:
            following.readers.pop(key).cancel()
        for source in found:
            key = (source.uid, source.container, source.restarts)
            if source.has_log and key not in seen:
                seen.add(key)
                # Of a Pod that came later all is news.
                part = log_request.part if first else LogPart(timestamps=log_request.part.timestamps)
                reading = _read_source(log_request, transport, source, part, following)
                following.readers[key] = asyncio.ensure_future(_while_allowed(log_request, source, following, reading))
        names = [source.key for source in found]
        if names != sent_names:
            sent_names = names
            await send(
                {"type": "http.response.body", "body": encode_event("sources", {"sources": names}), "more_body": True}
            )
        first = False


async def _while_allowed(
    log_request: MergedLogRequest, source: LogSource, following: MergedFollowing, reading: Coroutine[Any, Any, None]
) -> None:
    permission = pod_permission(log_request.client, "log", source.namespace, source.pod)
    if not await while_held(permission, reading):
        await following.queue.put((source.key, f"[{permission.loss}]"))


async def _read_source(
    log_request: MergedLogRequest,
    transport: AsyncTransport,
    source: LogSource,
    part: LogPart,
    following: MergedFollowing,
) -> None:
    """Requests each line with its time, to skip lines that were sent already."""
    until, rest, cutter = following.until.get(source.key, ""), b"", LineCutter()
    try:
        options = replace(part, timestamps=True).options
        async for piece in follow_log(transport, source.pod, source.namespace, container=source.container, **options):
            whole, _, rest = (rest + cutter.feed(piece)).rpartition(b"\n")
            for some in in_batches(whole, _BATCH_BYTES):
                await _put_lines(source, some, until, following, keep=part.timestamps)
    except KubeError as error:
        rest = f"[{error}]".encode()
    await _put_lines(source, rest, until, following, keep=part.timestamps)


async def _put_lines(source: LogSource, piece: bytes, until: str, following: MergedFollowing, *, keep: bool) -> None:
    lines = (log_line(source.key, line, keep=keep) for line in piece.decode("utf-8", "replace").split("\n") if line)
    if text := "\n".join(line.text for line in lines if not line.at or line.at > until):
        await following.queue.put((source.key, text))


async def _send_merged_lines(following: MergedFollowing, send: Send) -> None:
    while True:
        body = HEARTBEAT
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_HEARTBEAT_SECONDS):
                source, text = await following.queue.get()
            body = encode_event("lines", {"source": source, "text": text})
        await send({"type": "http.response.body", "body": body, "more_body": True})


async def source_updates(
    client: ClusterClient, place: Place, transport: AsyncTransport
) -> AsyncIterator[tuple[LogSource, ...]]:
    """The containers of an object's Pods, and again whenever they change. Endless.

    Raises KubeError when the object is gone or the user can't read its Pods.
    """
    wait = _LOOK_SECONDS
    while True:
        version = await in_thread(lambda: _pods_version(client, place))
        read_at = time.monotonic()
        known = {uid_of(pod): pod for pod in await in_thread(lambda: _pods(client, place))}
        yield log_sources(known.values())
        try:
            if not version:
                raise KubeError("Pods can't be watched")
            async for found in _known_pod_updates(client, place, transport, version, known):
                yield found
            wait = _LOOK_SECONDS
        except KubeError:
            await asyncio.sleep(wait)
            wait = min(wait * 1.5, _MAX_WAIT_SECONDS)
        await asyncio.sleep(max(0.0, read_at + _LOOK_SECONDS - time.monotonic()))


def _pods(client: ClusterClient, place: Place) -> tuple[dict[str, Any], ...]:
    return podlogs.pods_of(client, place.type, place.get(client))[: podlogs.MAX_PODS]


def _pods_version(client: ClusterClient, place: Place) -> str:
    """From where a watch begins; '' where there can be none."""
    try:
        return client.list(client.find("", "v1", "pods"), place.namespace, limit=1).resource_version
    except KubeError:
        return ""


async def _known_pod_updates(
    client: ClusterClient, place: Place, transport: AsyncTransport, version: str, known: dict[str, dict[str, Any]]
) -> AsyncIterator[tuple[LogSource, ...]]:
    """Changes of the known Pods, until there are others or the watch ends."""
    type_ = await in_thread(lambda: client.find("", "v1", "pods"))
    request = requests.watch_table(type_, place.namespace, version, _AGAIN_SECONDS, "Object")
    sent = log_sources(known.values())
    async for burst in watch(transport, request):
        for event in burst:
            if _needs_look(event, known):
                return
        if (now := log_sources(known.values())) != sent:
            sent = now
            yield now


def _needs_look(event: WatchEvent, known: dict[str, dict[str, Any]]) -> bool:
    """True where all has to be looked at again: a Pod is new here, or gone."""
    if event.type == "BOOKMARK":
        return False
    for row in parse_table(event.table()).rows:
        uid = uid_of(row.object)
        if event.type == "DELETED" and uid in known:
            # Perhaps its owner went too, and who follows has to hear that.
            return True
        if uid in known:
            known[uid] = row.object
        elif event.type == "ADDED":
            return True
    return False


#: Events: `sources` {sources}: whose logs these are; `lines` {source, text}; `end` {message}: the object is gone or
#: can't be read.
FollowAllApp = partial(EventStream, _merged_request, _follow_merged)
