"""GET …/pods/<namespace>/<name>/logs/raw/: a whole log as it is, passed on piece by piece; with `save=1` as a file.

Raw ASGI: a log may be larger than the memory of the console, and a slow reader must hold no thread of the pages.
"""

import asyncio
import contextlib
import re
from urllib.parse import unquote

from django.utils.http import content_disposition_header

from console.web.asgi import Receive, Scope, Send
from kube.channels import follow_log
from kube.errors import KubeError
from kube.transport import AsyncTransport
from resources.podlogs.logs import part
from resources.views.endless_response import OpenEnded, in_thread
from resources.views.stream import plain, until_gone
from resources.views.stream_request import Refused, request_of

PATH = re.compile(r"^/resources/core/v1/pods/(?P<namespace>[^/]+)/(?P<pod>[^/]+)/logs/raw/$")


class RawLogApp(OpenEnded):
    """The first piece is waited for before the answer begins, so that a refusal has its own status."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            if scope["method"] != "GET":
                raise Refused(405, "only GET")
            await self.until_first(until_gone(receive), _answer(scope, send))
        except Refused as error:
            await plain(send, error.status, str(error))


async def _answer(scope: Scope, send: Send) -> None:
    try:
        request = await in_thread(lambda: request_of(scope))
        client = request.cluster
        config = await in_thread(lambda: client.config)
    except Refused as error:
        await plain(send, error.status, str(error))
        return
    except KubeError as error:
        await plain(send, 503, str(error))
        return
    found = PATH.match(scope["path"])
    assert found is not None
    namespace, pod = unquote(found["namespace"]), unquote(found["pod"])
    container = request.GET.get("container", "")
    wanted = part(request.GET.dict(), usual=0)
    begun = False
    async with AsyncTransport(config) as transport:
        pieces = follow_log(transport, pod, namespace, container=container, follow=False, **wanted.options)
        try:
            async with contextlib.aclosing(pieces):  # type: ignore[type-var]
                async for piece in pieces:
                    if not begun:
                        await _begin(send, f"{pod}-{container}.log" if "save" in request.GET else "")
                        begun = True
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
        except KubeError as error:
            if not begun:
                status = error.code if 400 <= error.code < 600 else 502
                await plain(send, status, str(error))
                return
            await send({"type": "http.response.body", "body": f"\n[{error}]\n".encode(), "more_body": True})
    if not begun:
        await _begin(send, f"{pod}-{container}.log" if "save" in request.GET else "")
    with contextlib.suppress(OSError, asyncio.CancelledError):
        await send({"type": "http.response.body", "body": b""})


async def _begin(send: Send, file: str) -> None:
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        (b"content-security-policy", b"default-src 'none'; sandbox"),
        (b"x-accel-buffering", b"no"),
    ]
    if file:
        headers.append((b"content-disposition", str(content_disposition_header(True, file)).encode()))
    await send({"type": "http.response.start", "status": 200, "headers": headers})
