"""Shows a page's frame after three seconds without an answer from the cluster, and the page once it is rendered.

The frame shows the address' last content with its age and reloads the address, which joins the pending page: no call is
made twice. Only if the page's own API server is silent (kube/silence.py); a page that is slow for another reason has no
such timeout.

The last content is a read-only copy without scripts and the attributes that they read, so that it sends no requests. It
is cached in this process for ten minutes by address and session, so that no user sees another user's page.
"""

import asyncio
import hashlib
import re
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import nh3
from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest, HttpResponse, parse_cookie
from django.shortcuts import render
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from console.web import clusters
from console.web.asgi import Message, Receive, Scope, Send
from console.web.front import place_of
from kube import limits, silence
from kube.errors import InvalidConfig, Unreachable

App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: The frame is shown once a page and its API server have been silent for so long.
SOFT_SECONDS = 3.0
#: A pending page that is not fetched again is dropped after so long.
_KEEP_SECONDS = 60.0
COOKIE = "console_pending"
_CHECK_SECONDS = 0.25
_FORGET_COOKIE = (b"set-cookie", f"{COOKIE}=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax".encode())
# Last parts of addresses that are saved and not shown: a frame in their stead would stay.
_FILES = ("download", "export", "schema")
#: In the scope: the frame alone is wanted.
_FRAME = "console.frame"


@dataclass(slots=True, kw_only=True)
class _Page:
    """A page that is being made. `begun`: its answer has begun, or it failed."""

    address: str
    messages: list[Message] = field(default_factory=list)
    size: int = 0
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Future[None] | None" = None
    sink: Send | None = None

    async def send(self, message: Message) -> None:
        """Takes a message of the application: sends it to the browser if it still waits, else keeps it."""
        if self.sink is not None:
            self.begun.set()
            await self.sink(message)
            return
        self.size += len(message.get("body", b""))
        if self.size <= limits.PENDING_PAGE.value:
            self.messages.append(message)


class SoftTimeout:
    """Before the page threads. `frames` answers with frames alone, in threads of its own."""

    def __init__(self, app: App, frames: App) -> None:
        self._app, self._frames = app, frames
        self._pending: dict[str, _Page] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _is_navigation(scope):
            await self._app(scope, receive, send)
            return
        address = _address(scope)
        token, _sign, digest = _cookie(scope, COOKIE).partition(".")
        if digest == address:
            page = self._pending.get(token)
            if page is None or page.address != address or not await self._joined(token, page, send):
                # Another process has it, or it is too large to keep: this time the browser waits for it.
                await self._app(scope, receive, send)
            return
        page = _Page(address=address, sink=send)
        page.task = asyncio.ensure_future(self._app(scope, receive, page.send))
        try:
            if await self._answers(page, scope.get("root_path") or ""):
                await page.task
                return
        except asyncio.CancelledError:
            page.task.cancel()
            raise
        page.sink = None
        await self._frames({**scope, _FRAME: self._keep(page)}, receive, send)

    async def _joined(self, token: str, page: _Page, send: Send) -> bool:
        """Sends the page once it is made. False when there is none to send."""
        self._pending.pop(token, None)
        assert page.task is not None
        await asyncio.wait([page.task])
        if not page.messages or page.size > limits.PENDING_PAGE.value:
            return False
        for message in page.messages:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), _FORGET_COOKIE]}
            await send(message)
        return True

    async def _answers(self, page: _Page, prefix: str) -> bool:
        """Whether the page has begun, or failed, before its cluster was silent for too long."""
        assert page.task is not None
        loop, begun = asyncio.get_running_loop(), asyncio.create_task(page.begun.wait())
        try:
            started = loop.time()
            while True:
                await asyncio.wait((begun, page.task), timeout=_CHECK_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                # The event itself: its waiter might not have run yet.
                if page.begun.is_set() or page.task.done():
                    return True
                if loop.time() - started >= SOFT_SECONDS and _silent_seconds(prefix) >= SOFT_SECONDS:
                    return False
        finally:
            begun.cancel()

    def _keep(self, page: _Page) -> str:
        """The token by which the page is asked for."""
        while len(self._pending) >= limits.PENDING_PAGES.value:
            self._pending.pop(next(iter(self._pending)))
        token = secrets.token_urlsafe(16)
        self._pending[token] = page
        asyncio.get_running_loop().call_later(_KEEP_SECONDS, self._pending.pop, token, None)
        return f"{token}.{page.address}"


def _is_navigation(scope: Scope) -> bool:
    """A browser's own GET of a page: not a part of one, no file, no script's request, no program's."""
    headers = dict(scope["headers"])
    is_file = scope["path"].rstrip("/").rpartition("/")[2] in _FILES
    return bool(scope["method"] == "GET" and headers.get(b"sec-fetch-mode") == b"navigate" and not is_file)


def _silent_seconds(prefix: str) -> float:
    """Of the cluster whose addresses begin so."""
    place = clusters.at(prefix)
    try:
        return silence.waited_seconds(clusters.endpoint_of(place).current().host) if place else 0.0
    except InvalidConfig:
        return 0.0


def _address(scope: Scope) -> str:
    """A digest of the address and the session, so that no other session gets the page."""
    target = (scope.get("root_path") or "").encode() + (scope.get("raw_path") or b"") + b"?" + scope["query_string"]
    session = _cookie(scope, settings.SESSION_COOKIE_NAME)
    return hashlib.sha256(target + b"\0" + session.encode()).hexdigest()[:32]


def _cookie(scope: Scope, name: str) -> str:
    for header, value in scope["headers"]:
        if header.lower() == b"cookie" and name.encode() in value:
            return str(parse_cookie(value.decode("latin-1")).get(name, ""))
    return ""


# In templates/base.html, where a page's own content begins.
_BEGIN = b"<!--content-->"
_STYLE = re.compile(rb'<link rel="stylesheet" href="[^"]*">')
_MORE_TAGS = (
    "article aside button circle datalist fieldset figure footer form g header input label legend nav optgroup option "
    "path progress rect section select small svg textarea"
)
_TAGS = nh3.ALLOWED_TAGS | frozenset(_MORE_TAGS.split())
_WITHOUT_CONTENT = {"dialog", "noscript", "script", "style", "template"}
# Of data attributes those alone that style sheets know: scripts look for the others.
_DATA = "chosen label level mark other pairs sum unmatched unmet worst"
_ATTRIBUTES = {
    "*": {"class", "dir", "hidden", "lang", "popover", "role", "title", "type"}
    | {f"data-{name}" for name in _DATA.split()},
    "a": {"href"},
    "button": {"disabled"},
    "details": {"open"},
    "img": {"alt", "height", "src", "width"},
    "input": {"checked", "placeholder", "value"},
    "option": {"selected"},
    "progress": {"max", "value"},
    "td": {"colspan", "rowspan"},
    "textarea": {"rows"},
    "th": {"colspan", "rowspan", "scope"},
    "time": {"data-age", "datetime"},
    "svg": {"fill", "height", "viewBox", "width"},
    "circle": {"cx", "cy", "fill", "r"},
    "path": {"d", "fill"},
    "rect": {"fill", "height", "rx", "width", "x", "y"},
}


@dataclass(frozen=True, slots=True)
class OlderPage:
    """A cached page, cleaned. `styles`: the links to its style sheets. `seconds`: its age."""

    content: SafeString
    styles: SafeString
    seconds: float


def keep_page(address: str, request: HttpRequest, response: HttpResponse) -> None:
    """Caches a page that a browser navigated to, unless it is `no-store` (a Secret's value) or too large."""
    headers = response.headers
    is_page = response.status_code == 200 and headers.get("Content-Type", "").startswith("text/html")
    is_asked = request.method == "GET" and request.headers.get("Sec-Fetch-Mode") == "navigate"
    if not is_page or not is_asked or response.streaming or "no-store" in headers.get("Cache-Control", ""):
        return
    head, found, rest = response.content.partition(_BEGIN)
    content = rest.rpartition(b"</main>")[0]
    if found and len(content) <= limits.OLDER_PAGE.value:
        caches["older_pages"].set(address, (time.time(), b"".join(_STYLE.findall(head)), content))


def find_older_page(address: str) -> OlderPage | None:
    """The cached page; None if there is none any more."""
    cached = caches["older_pages"].get(address)
    if cached is None:
        return None
    made, styles, content = cached
    clean = nh3.clean(
        content.decode(),
        tags=_TAGS,
        clean_content_tags=_WITHOUT_CONTENT,
        attributes=_ATTRIBUTES,
        generic_attribute_prefixes={"aria-"},
        link_rel=None,
    )
    return OlderPage(
        content=mark_safe(clean),  # noqa: S308  our own page, cleaned on the lines above
        styles=mark_safe(styles.decode()),  # noqa: S308  our own templates'
        seconds=time.time() - made,
    )


class FrameMiddleware:
    """Answers with the frame alone where that is wanted.

    After the middleware that identifies the user; views after it must not call a cluster.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        scope = request.META.get("asgi.scope") or {}
        token = scope.get(_FRAME)
        if token:
            request.cluster = _Silent(clusters.name_of(place_of(request)))  # type: ignore[attr-defined]
            return _frame(request, token, find_older_page(_address(scope)))
        response = self.get_response(request)
        if scope:
            keep_page(_address(scope), request, response)
        if COOKIE in request.COOKIES:
            response.delete_cookie(COOKIE)
        return response


def _moment(seconds: float) -> str:
    """A Unix time in RFC 3339."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


class _Silent:
    """Stands for a cluster that is not asked."""

    host = ""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, name: str) -> object:
        raise Unreachable(_("No response from the cluster yet"))


def _frame(request: HttpRequest, token: str, older: OlderPage | None) -> HttpResponse:
    now = time.time()
    context = {
        "since": _moment(now - _silent_seconds(place_of(request).prefix)),
        "older": older,
        "as_of": _moment(now - older.seconds) if older else "",
    }
    response = render(request, "console/waiting.html", context)
    response.headers["Cache-Control"] = "no-store"
    # The browser keeps showing the frame until the page begins.
    response.headers["Refresh"] = "1"
    response.set_cookie(COOKIE, token, max_age=int(_KEEP_SECONDS), httponly=True, samesite="Lax", secure=settings.HTTPS)
    return response
