"""/forwarded/<token>/…: the page of a Pod through the console, for users who can't reach a port of the console's
machine.

The token grants access: it is made when the forward is opened, is shown to its owner only, and ends with the forward,
or with its owner's session. The response is untrusted content on our own origin, so it is put into a sandbox (an origin
of its own): its scripts can't read our pages, our cookies are never passed on, and its cookies are dropped. Programs
that need absolute addresses get their prefix (X-Forwarded-Prefix); those that ignore it don't work here, only with
kubectl.
"""

import asyncio
import contextlib
import re
import ssl
from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from aiohttp.client_proto import ResponseHandler
from django.conf import settings
from django.db import connections
from django.http.request import split_domain_port, validate_host
from yarl import URL

from console.web.asgi import Receive, Scope, Send
from console.web.request_body import BodyRefused, read_body, send_refusal
from kube import limits
from resources.forward.tunnels import HOST, Tunnel, by_token, connect, owned
from resources.views.endless_response import OpenEnded, in_thread
from resources.views.stream import plain, until_gone

PATH = re.compile(r"^/forwarded/(?P<token>[A-Za-z0-9_-]{20,64})(?P<rest>/.*)?$")
_SANDBOX = (
    b"sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads; frame-ancestors 'none'; base-uri"
    b" 'none'"
)
# Of one connection only, or of our origin: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1
_HOP = frozenset(
    b"connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer transfer-encoding"
    b" upgrade host".split()
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

Headers = list[tuple[bytes, bytes]]


class PodConnector(aiohttp.BaseConnector):
    """Connections through a port-forward that listens nowhere."""

    def __init__(self, tunnel: Tunnel) -> None:
        super().__init__(force_close=True)
        self._tunnel = tunnel

    async def _create_connection(
        self, req: aiohttp.ClientRequest, traces: list[Any], timeout: aiohttp.ClientTimeout
    ) -> ResponseHandler:
        # A Pod's certificate is for a name that isn't used here; the connection is inside the API server's TLS.
        context = _unverified() if req.is_ssl() else None
        _transport, protocol = await self._loop.create_connection(
            self._factory,
            sock=await connect(self._tunnel),
            ssl=context,
            server_hostname="localhost" if context else None,
        )
        return protocol


def _unverified() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


class ProxiedApp(OpenEnded):
    """One request to the Pod for one request of the browser."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _is_own_host(scope):
            await plain(send, 400, "this host name is not the console's: see ALLOWED_HOSTS")
            return
        if _is_part_of_our_page(scope):
            await plain(send, 403, "pages of the console load nothing from a forwarded page")
            return
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
        try:
            body = await read_body(scope, receive, limits.FORWARDED_BODY_BYTES.value)
        except BodyRefused as error:
            await send_refusal(scope, send, error)
            return
        await self.until_first(until_gone(receive), _pass_on(scope, tunnel, body, send))


def _is_own_host(scope: Scope) -> bool:
    host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
    return validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS)


def _is_part_of_our_page(scope: Scope) -> bool:
    """A script of a Pod has the console's address, so `script-src 'self'` would let our pages load it.

    The sandboxed page's own requests are cross-site.

    https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
    """
    headers = dict(scope["headers"])
    ours = headers.get(b"sec-fetch-site") in (b"same-origin", b"same-site")
    return ours and headers.get(b"sec-fetch-dest", b"document") != b"document"


def _owned(tunnel: Tunnel) -> bool:
    try:
        return owned(tunnel)
    finally:
        # The thread is of this request only.
        connections.close_all()


def asked(headers: Iterable[tuple[bytes, bytes]], tunnel: Tunnel) -> Headers:
    """The request headers for the Pod, without those that identify the user."""
    passed_on = [
        (name, value)
        for name, value in headers
        if name.lower() not in _OURS and not name.lower().startswith((b"x-forwarded", b"impersonate-"))
    ]
    prefix = f"/forwarded/{tunnel.token}".encode()
    return [
        *passed_on,
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
    address = f"{scheme}://localhost:{tunnel.remote}{rest}{'?' + query if query else ''}"
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=5, sock_read=_SECONDS)
    begun = False
    headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in asked(scope["headers"], tunnel)]
    try:
        async with (
            aiohttp.ClientSession(
                connector=PodConnector(tunnel),
                timeout=timeout,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=True,
            ) as session,
            session.request(
                scope["method"],
                URL(address, encoded=True),
                headers=headers,
                data=body or None,
                allow_redirects=False,
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
