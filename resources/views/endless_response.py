"""Answers that have no end, as raw ASGI applications: kept count of, so that a server that stops can end them first."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Generic, TypeVar

from asgiref.sync import ThreadSensitiveContext, sync_to_async

from console.web.asgi import Receive, Scope, Send
from resources.views.stream import HEADERS, plain, until_gone
from resources.views.stream_request import Refused

W = TypeVar("W")


class OpenEnded:
    """Work that runs while a client is connected."""

    def __init__(self) -> None:
        self._open: set[asyncio.Task[None]] = set()

    def close(self) -> None:
        """End all of it: the server stops."""
        for task in self._open:
            task.cancel()

    async def until_first(self, *work: Coroutine[Any, Any, None]) -> None:
        """All at once, until one of them ends; then the others end too."""
        jobs = {asyncio.ensure_future(coroutine) for coroutine in work}
        self._open |= jobs
        try:
            await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for job in jobs:
                job.cancel()
            await asyncio.gather(*jobs, return_exceptions=True)
            self._open -= jobs


class EventStream(OpenEnded, Generic[W]):
    """Server-sent events.

    `wish` reads the request, in a thread of Django's, and raises Refused; `follow` sends until there is nothing more to
    say.
    """

    def __init__(self, wish: Callable[[Scope], W], follow: Callable[[W, Send], Coroutine[Any, Any, None]]) -> None:
        super().__init__()
        self._wish, self._follow = wish, follow

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            if scope["method"] != "GET":
                raise Refused(405, "only GET")
            wish = await in_thread(lambda: self._wish(scope))
        except Refused as error:
            await plain(send, error.status, str(error))
            return
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await self.until_first(until_gone(receive), self._follow(wish, send))
        with contextlib.suppress(OSError):
            await send({"type": "http.response.body", "body": b""})


async def in_thread(call: Callable[[], W]) -> W:
    """What Django and the cluster are asked for while a page would be made: away from the event loop."""
    async with ThreadSensitiveContext():
        answer: Awaitable[W] = sync_to_async(call)()
        return await answer
