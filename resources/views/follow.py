"""GET …/pods/<namespace>/<name>/logs/follow/: what a container said last and says from now on, as server-sent events.

Raw ASGI like the stream of changes: a followed log has no end. The API server judges the right to read it, with the
user's own credentials. Lines come in batches, one event for what arrived together, so that a chatty container costs few
events.
"""

import asyncio
import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from urllib.parse import unquote

from console.web.access_watch import pod_permission, while_held
from console.web.asgi import Scope, Send
from kube.channels import follow_log
from kube.client import ClusterClient
from kube.errors import KubeError
from kube.log_lines import LineCutter
from kube.transport import AsyncTransport
from resources.podlogs.logs import LogPart, log_part
from resources.stream.sse import HEARTBEAT, encode
from resources.views.endless_response import EventStream
from resources.views.stream_request import Refused, request_of

PATH = re.compile(r"^/resources/core/v1/pods/(?P<namespace>[^/]+)/(?P<pod>[^/]+)/logs/follow/$")
_HEARTBEAT_SECONDS = 15.0
# Of one event. Nothing is left out: who reads slowly holds the reading up, and the API server waits.
_BATCH_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRequest:
    """Which log, and which part of it."""

    client: ClusterClient
    namespace: str
    pod: str
    container: str
    part: LogPart


def _wish(scope: Scope) -> LogRequest:
    found = PATH.match(scope["path"])
    request = request_of(scope)
    if found is None:
        raise Refused(404, "no such log")
    try:
        client: ClusterClient = request.cluster
        assert client.name is not None
    except KubeError as error:
        raise Refused(503, str(error)) from error
    return LogRequest(
        client=client,
        namespace=unquote(found["namespace"]),
        pod=unquote(found["pod"]),
        container=request.GET.get("container", ""),
        part=log_part(request.GET.dict()),
    )


async def _follow(wish: LogRequest, send: Send) -> None:
    queue: asyncio.Queue[bytes | None] = asyncio.Queue(maxsize=64)
    message = ""

    async def read() -> None:
        nonlocal message
        transport, cutter = AsyncTransport(wish.client.config), LineCutter()
        try:
            async for piece in follow_log(
                transport,
                wish.pod,
                wish.namespace,
                container=wish.container,
                follow=not wish.part.previous,
                **wish.part.options,
            ):
                await queue.put(cutter.feed(piece))
        except KubeError as error:
            message = str(error)
        finally:
            await transport.close()

    async def read_while_allowed() -> None:
        nonlocal message
        permission = pod_permission(wish.client, "log", wish.namespace, wish.pod)
        if not await while_held(permission, read()):
            message = permission.loss
        await queue.put(None)

    reader = asyncio.ensure_future(read_while_allowed())
    try:
        await _send_lines(queue, send)
    finally:
        reader.cancel()
        await asyncio.gather(reader, return_exceptions=True)
    await send({"type": "http.response.body", "body": encode("end", {"message": message}), "more_body": True})


async def _send_lines(queue: "asyncio.Queue[bytes | None]", send: Send) -> None:
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
                encode("lines", {"text": text.decode("utf-8", "replace")}) for text in in_batches(whole, _BATCH_BYTES)
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
FollowApp = partial(EventStream, _wish, _follow)
