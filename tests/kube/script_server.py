"""A scripted API server: it answers with the responses that a test defines, over real HTTP."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web

from kube.config import ClusterConfig

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[ClusterConfig]:
    """The configuration of a client of `handler`, which gets every request."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    try:
        yield ClusterConfig(name="scripted", host=f"http://127.0.0.1:{port}", user="tester", token=lambda: "", tls=None)
    finally:
        await runner.cleanup()


async def stream(request: web.Request, *pieces: bytes) -> web.StreamResponse:
    """A 200 whose body comes in these pieces, then ends."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    for piece in pieces:
        await response.write(piece)
    return response


def status(code: int, reason: str, message: str) -> web.Response:
    """A metav1.Status as the answer."""
    body = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "code": code,
        "reason": reason,
        "message": message,
    }
    return web.json_response(body, status=code)
