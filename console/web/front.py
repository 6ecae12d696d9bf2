"""Strips the cluster's prefix (/c/<context>/) from addresses and cookies of a request
(docs/decisions/0025-several-clusters.md).

Views don't see prefixes: paths look as with one cluster, reverse() adds Django's script prefix, and a cookie's plain
name is that of the cluster in the address.
"""

import contextvars
import hashlib
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse, parse_cookie
from django.urls import get_script_prefix, set_script_prefix
from django.utils import translation

from console.web import clusters
from console.web.asgi import Message, Receive, Scope, Send
from console.web.clusters import Offered
from kube.errors import InvalidConfig

App = Callable[[Scope, Receive, Send], Awaitable[None]]
P = ParamSpec("P")
T = TypeVar("T")
# What belongs to the console or a secret address, and to no cluster.
_NOBODYS = ("/static/", "/forwarded/", "/healthz", "/readyz", "/metrics")
#: In the scope: the headers as they came.
_BROUGHT = "console.brought"
#: As console/web/request.py and console/prefer/store.py have them.
_NAMESPACES = ("console_namespace", "console_begin")


def place_of(request: HttpRequest) -> Offered:
    """Of which cluster the address is. Raises InvalidConfig for one that is not offered (any more)."""
    found = clusters.at(request.META.get("SCRIPT_NAME", ""))
    if found is None:
        raise InvalidConfig("this console has no such cluster")
    return found


class Front:
    """Before everything else, also before the raw ASGI applications."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        place, path = taken_off(scope["path"])
        names = _own_cookies(place)
        if place.prefix:
            raw = b"/" + b"".join((scope.get("raw_path") or b"").split(b"/", 3)[3:])
            scope = {**scope, "path": path, "raw_path": raw, "root_path": place.prefix}
        if names:
            scope = {**scope, "headers": [*_inward(scope["headers"], names)], _BROUGHT: scope["headers"]}
        await self._app(scope, receive, _outward(send, names) if names else send)


def taken_off(path: str) -> tuple[Offered, str]:
    """Of which cluster, and the rest of the address.

    What names none that is offered stays as it is: nothing answers there but a page that says so.
    """
    if path.startswith(clusters.PREFIX):
        part, _slash, rest = path.removeprefix(clusters.PREFIX).partition("/")
        found = clusters.at(f"{clusters.PREFIX}{part}")
        if found is not None and not f"/{rest}".startswith(_NOBODYS):
            return found, f"/{rest}"
    return clusters.default(), path


# Cookies


def _own_cookies(place: Offered) -> dict[bytes, bytes]:
    """Names as the console knows them → as the browser keeps them, for what is one cluster's.

    The default one's are as they always were, but for the token of forms: should the default change, a page of before
    is not the new one's to send.
    """
    if not clusters.several():
        return {}
    tag = hashlib.sha256(place.context.encode()).hexdigest()[:8]
    names = [settings.CSRF_COOKIE_NAME]
    if not place.default:
        session = settings.SESSION_COOKIE_NAME
        names += [session, f"{session}_last", "messages", *_NAMESPACES]
    return {name.encode(): f"{name}.{tag}".encode() for name in names}


def cookie_of(request: HttpRequest, place: Offered, name: str) -> str:
    """What the browser keeps for another cluster under this name, '' for nothing."""
    scope = request.META.get("asgi.scope") or {}
    wanted = _own_cookies(place).get(name.encode(), name.encode()).decode("latin-1")
    for header, value in scope.get(_BROUGHT, ()):
        if header.lower() == b"cookie":
            found = parse_cookie(value.decode("latin-1")).get(wanted)
            if found:
                return str(found)
    return ""


def _inward(headers: Any, names: dict[bytes, bytes]) -> Iterator[tuple[bytes, bytes]]:
    known = {prefixed: name for name, prefixed in names.items()}
    for header, value in headers:
        if header.lower() != b"cookie":
            yield header, value
            continue
        found = []
        for pair in value.split(b";"):
            name, equals, content = pair.strip().partition(b"=")
            if name not in names:
                found.append(known.get(name, name) + equals + content)
        if found:
            yield header, b"; ".join(found)


def _outward(send: Send, names: dict[bytes, bytes]) -> Send:
    async def renamed(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = []
            for header, value in message.get("headers", ()):
                name, equals, rest = value.partition(b"=")
                own = header.lower() == b"set-cookie" and name in names
                headers.append((header, names[name] + equals + rest if own else value))
            message = {**message, "headers": headers}
        await send(message)

    return renamed


# Addresses


class PlaceMiddleware:
    """First of all: `place` on the request, and Django's script prefix, by which every address that is made leads to
    the same cluster.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        place = request.place = place_of(request)  # type: ignore[attr-defined]
        # Not taken back: an answer that streams makes addresses after this. The next request sets its own.
        set_script_prefix(f"{place.prefix}/")
        return self.get_response(request)


@contextmanager
def addresses_of(place: Offered) -> Iterator[None]:
    """For what is made without a request."""
    before = get_script_prefix()
    set_script_prefix(f"{place.prefix}/")
    try:
        yield
    finally:
        set_script_prefix(before)


class Workers(ThreadPoolExecutor):
    """Threads that work for a request, with its language and its cluster's script prefix."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> "Future[T]":
        # asgiref's Local is per thread (3.13), whatever the context: set Django's language and script prefix again.
        language, prefix = translation.get_language() or settings.LANGUAGE_CODE, get_script_prefix()

        def work() -> T:
            before = get_script_prefix()
            set_script_prefix(prefix)
            try:
                with translation.override(language):
                    return fn(*args, **kwargs)
            finally:
                set_script_prefix(before)

        return super().submit(contextvars.copy_context().run, work)
