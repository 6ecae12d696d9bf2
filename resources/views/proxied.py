"""/forwarded/<token>/…: the page of a Pod through the console, where a port of this machine would be of no use to who looks at it.

Whoever knows the token may read: it is made when the forward is opened, is shown to its owner only, and ends with the forward, or with its owner's session. What comes back is a stranger's
page on our own origin, so it is put into a sandbox (an origin of its own): its scripts can't read our pages, our cookies are never passed on, and its
cookies are dropped. Programs that want absolute addresses are told their prefix (X-Forwarded-Prefix); those that don't listen don't work, and kubectl does.
"""

import asyncio
import contextlib
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

import aiohttp
from django.conf import settings
from django.db import connections
from yarl import URL

from console.web.asgi import Receive, Scope, Send
from resources.forward.tunnels import HOST, Tunnel, by_token, owned
from resources.views.open_ended import OpenEnded, in_thread
from resources.views.stream import plain, until_gone

PATH = re.compile(r"^/forwarded/(?P<token>[A-Za-z0-9_-]{20,64})(?P<rest>/.*)?$")
_SANDBOX = b"sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads; frame-ancestors 'none'; base-uri 'none'"
# Of one connection only, or of our origin: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1
_HOP = frozenset(
    b"connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer transfer-encoding upgrade host".split()
)
_OURS = _HOP | {
    b"cookie",
    b"authorization",
    b"accept-encoding",
    b"origin",
    b"referer",
    b"content-length",
    b"x-csrftoken",
}
_THEIRS = _HOP | {
    b"set-cookie",
    b"content-security-policy",
    b"content-security-policy-report-only",
    b"strict-transport-security",
    b"x-frame-options",
    b"service-worker-allowed",
    b"clear-site-data",
    b"alt-svc",
    b"content-length",
    b"content-encoding",
}
_SECONDS = 60.0
_BODY = 32 * 1024 * 1024

Headers = list[tuple[bytes, bytes]]


class ProxiedApp(OpenEnded):
    """One request to the Pod for one request of the browser."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = PATH.match(scope["path"])
        tunnel = by_token(found["token"]) if found else None
        if found is None or tunnel is None or settings.LOCAL_ONLY:
            await plain(send, 404, "this port-forward has ended, or never was")
            return
        if tunnel.client.config.session and not await in_thread(lambda: _owned(tunnel)):
            await plain(send, 404, "this port-forward has ended, or never was")
            return
        if not found["rest"]:
            await _redirect(send, f"/forwarded/{tunnel.token}/")
            return
        body = await _body(receive)
        if body is None:
            await plain(send, 413, "this is more than the console passes on: use kubectl port-forward")
            return
        await self.until_first(until_gone(receive), _pass_on(scope, tunnel, body, send))


def _owned(tunnel: Tunnel) -> bool:
    try:
        return owned(tunnel)
    finally:
        # The thread is of this request only.
        connections.close_all()


async def _body(receive: Receive) -> bytes | None:
    """All of it; None when it is too much."""
    pieces, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        pieces.append(message.get("body", b""))
        size += len(pieces[-1])
        if size > _BODY:
            return None
        more = message.get("more_body", False)
    return b"".join(pieces)


def asked(headers: Iterable[tuple[bytes, bytes]], tunnel: Tunnel) -> Headers:
    """What the Pod hears: nothing of who asks."""
    kept = [
        (name, value)
        for name, value in headers
        if name.lower() not in _OURS and not name.lower().startswith((b"x-forwarded", b"impersonate-"))
    ]
    prefix = f"/forwarded/{tunnel.token}".encode()
    return [
        *kept,
        (b"Host", f"localhost:{tunnel.remote}".encode()),
        (b"X-Forwarded-Prefix", prefix),
        (b"X-Script-Name", prefix),
    ]


def answered(headers: Iterable[tuple[bytes, bytes]], tunnel: Tunnel) -> Headers:
    """What the browser hears: nothing that could touch our origin, and redirects that stay below the prefix."""
    found: Headers = []
    for name, value in headers:
        lower = name.lower()
        if lower in _THEIRS:
            continue
        found.append(
            (lower, below(value.decode("latin-1"), tunnel).encode("latin-1") if lower == b"location" else value)
        )
    return [
        *found,
        (b"content-security-policy", _SANDBOX),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"cross-origin-opener-policy", b"same-origin"),
    ]


def below(location: str, tunnel: Tunnel) -> str:
    """A redirect of the program to itself leads below our prefix; one to elsewhere is left as it is."""
    parts = urlsplit(location)
    prefix = f"/forwarded/{tunnel.token}"
    if parts.netloc and parts.hostname not in ("localhost", HOST):
        return location
    if not parts.path.startswith("/"):
        return location if not parts.netloc else f"{prefix}/"
    path = parts.path if parts.path.startswith(f"{prefix}/") else f"{prefix}{parts.path}"
    return f"{path}{'?' + parts.query if parts.query else ''}{'#' + parts.fragment if parts.fragment else ''}"


async def _redirect(send: Send, location: str) -> None:
    await send({"type": "http.response.start", "status": 308, "headers": [(b"location", location.encode())]})
    await send({"type": "http.response.body", "body": b""})


async def _pass_on(scope: Scope, tunnel: Tunnel, body: bytes, send: Send) -> None:
    raw = scope.get("raw_path") or scope["path"].encode()
    rest = raw.decode("latin-1").removeprefix(f"/forwarded/{tunnel.token}")
    query = scope.get("query_string", b"").decode("latin-1")
    scheme = "https" if tunnel.secure else "http"
    address = f"{scheme}://{HOST}:{tunnel.local}{rest}{'?' + query if query else ''}"
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=5, sock_read=_SECONDS)
    begun = False
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in asked(scope["headers"], tunnel)]
    try:
        async with (
            aiohttp.ClientSession(
                timeout=timeout, cookie_jar=aiohttp.DummyCookieJar(), auto_decompress=True
            ) as session,
            session.request(
                scope["method"],
                URL(address, encoded=True),
                headers=headers,
                data=body or None,
                allow_redirects=False,
                # A certificate of the Pod is for a name that nobody here calls it by; the way there is the API server's TLS.
                ssl=False,
            ) as answer,
        ):
            head = answered(answer.raw_headers, tunnel)
            await send({"type": "http.response.start", "status": answer.status, "headers": head})
            begun = True
            async for piece in answer.content.iter_any():
                await send({"type": "http.response.body", "body": piece, "more_body": True})
    except (aiohttp.ClientError, TimeoutError, OSError, asyncio.IncompleteReadError) as error:
        if not begun:
            await plain(send, 502, f"{tunnel.target.kind} {tunnel.target.name}: {tunnel.error or error}")
            return
    with contextlib.suppress(OSError):
        await send({"type": "http.response.body", "body": b""})
