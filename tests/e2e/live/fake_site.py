"""A site with one list and one region whose stream says what the test says: what the browser does with it can be
tried event by event.
"""

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import uvicorn
from playwright.sync_api import LocatorAssertions, Page, expect

from console.processes.parts import free_port

VENDOR = Path(__file__).resolve().parents[3] / "static/vendor"
TOPIC, OTHER = "here/core/v1/configmaps/default", "here/core/v1/secrets/default"
POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src 'self'; worker-src 'self'"
)
TYPES = {".js": "text/javascript", ".css": "text/css"}
PAGE = """<!DOCTYPE html><html class="{theme}" data-stream="/stream"><head><title>live</title>
<meta name="htmx-config" content='{{"allowEval":false,"includeIndicatorStyles":false}}'>
<link rel="stylesheet" href="/static/vendor/css/console.css">
<script type="module" src="/static/vendor/js/console.js"></script>
<script type="module" src="/static/vendor/js/live.js"></script></head>
<body data-live-since="1000-0@e"><div id="main">
<div id="health-banner" data-text-lost="interrupted" data-text-paused="{{kind}} paused: {{message}}"
 data-text-refused="{{kind}} refused: {{message}}" data-text-ended="session ended" hidden>
<span data-health-text></span> <a data-health-reload href="" hidden>Reload</a></div>
<table class="pf-v6-c-table">
<tbody id="rows" data-live-rows="{topic}" data-live-url="/rows"{moves}>{rows}</tbody></table>
<button id="ask" hx-get="/rows" hx-target="#rows" hx-swap="morph:innerHTML" hx-ext="morph">ask</button>
{region}</div></body></html>"""
REGION = """<section id="region" data-live="{topic}" data-live-names="watched" data-live-url="/region">
<dl><dt>Value</dt><dd id="value">{value}</dd></dl>
<span class="pf-v6-c-label"><span class="pf-v6-c-label__content">
<span class="pf-v6-c-label__text" id="badge">{value}</span></span></span></section>"""
ROW = """<tr class="pf-v6-c-table__tr" id="row-{uid}" data-version="{version}">
<td class="pf-v6-c-table__td"><input type="checkbox" id="tick-{uid}"></td>
<td class="pf-v6-c-table__td"><a href="#{uid}">{uid}</a></td><td class="pf-v6-c-table__td value">{text}</td>
<td class="pf-v6-c-table__td"><button popovertarget="menu-{uid}">menu</button>
<ul popover id="menu-{uid}" data-live-keep><li>act</li></ul></td></tr>"""


def row(uid: str, version: int | str, text: str) -> str:
    """Those of a thousand have no more than what is looked at: uids that begin with `r`."""
    if uid.startswith("r"):
        return f'<tr id="row-{uid}" data-version="{version}"><td class="value">{text}</td></tr>'
    return ROW.format(uid=uid, version=version, text=text)


class Scripted:
    """`rows`: uid → (version, text), as the list answers them; `subscriptions`: what was asked of the stream; `lists`:
    headers of each fetch of the list.
    """

    def __init__(self) -> None:
        self.url = ""
        self.loop: asyncio.AbstractEventLoop | None = None
        self.rows: dict[str, tuple[int, str]] = {"a": (10, "one"), "b": (10, "one"), "c": (10, "one")}
        self.value, self.topic, self.moves, self.theme = "one", TOPIC, False, ""
        self.subscriptions: list[dict[str, Any]] = []
        self.methods: list[str] = []
        self.lists: list[dict[str, str]] = []
        self.regions = 0
        self.answers: dict[str, int] = {}  # method → status other than 200
        self.refusal = ""
        self.version = ""  # X-Live-Version of the list's answers
        self.open: set[asyncio.Queue[bytes | None]] = set()
        self.clock = 5000

    # What a test says

    def say(self, event: str, **data: Any) -> None:
        """Under the names that the page asks for: those of its list have a question mark, unless it asked by GET."""
        topics = [data.get("topic")]
        if topics[0] and self.methods[-1] == "POST" and event in ("row", "added", "gone", "changed", "resync"):
            topics = [f"{topics[0]}?", *topics][: 1 + (event in ("changed", "resync"))]
        self.clock += 1
        for topic in topics:
            message = {**data, "topic": topic} if topic else data
            self.send(f"id: {self.clock}-0@e\nevent: {event}\ndata: {json.dumps(message)}\n\n".encode())

    def row(self, uid: str, version: int, text: str, topic: str = TOPIC) -> None:
        data = {"topic": topic, "uid": uid, "name": uid, "namespace": "default", "version": str(version)}
        self.say("row", **data, html=row(uid, version, text))

    def gone(self, uid: str, version: int) -> None:
        self.say("gone", topic=TOPIC, uid=uid, name=uid, namespace="default", version=str(version))

    def send(self, piece: bytes | None) -> None:
        assert self.loop is not None
        self.loop.call_soon_threadsafe(lambda: [queue.put_nowait(piece) for queue in self.open])

    def until(self, condition: Callable[[], Any]) -> None:
        end = time.monotonic() + 20
        while not condition():
            assert time.monotonic() < end, "it did not come to that"
            time.sleep(0.01)

    # The site

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        path = scope["path"]
        kind, body, more = "text/html", b"", {}
        if path == "/stream":
            await self._stream(scope, receive, send)
            return
        if path == "/":
            body = self._page().encode()
        elif path == "/rows":
            self.lists.append({name.decode(): value.decode() for name, value in scope["headers"]})
            more = {"x-live-since": f"{self.clock}-0@e", **({"x-live-version": self.version} if self.version else {})}
            body = self._rows().encode()
        elif path == "/region":
            self.regions += 1
            body = REGION.format(topic=self.topic, value=self.value).encode()
        elif (file := VENDOR / path.removeprefix("/static/vendor/")).is_file():
            kind, body = TYPES.get(file.suffix, "text/plain"), file.read_bytes()
        await _answer(send, 200, kind, body, **more)

    def _rows(self) -> str:
        return "".join(row(uid, version, text) for uid, (version, text) in self.rows.items())

    def _page(self) -> str:
        moves = " data-live-moves" if self.moves else ""
        region = REGION.format(topic=self.topic, value=self.value)
        return PAGE.format(topic=self.topic, rows=self._rows(), region=region, moves=moves, theme=self.theme)

    async def _stream(self, scope: Any, receive: Any, send: Any) -> None:
        self.methods.append(scope["method"])
        body = (await receive()).get("body", b"")
        if status := self.answers.get(scope["method"]):
            await _answer(send, status, "text/plain", self.refusal.encode())
            return
        self.subscriptions.append(json.loads(body) if body else parse_qs(scope["query_string"].decode()))
        queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.open.add(queue)
        gone = asyncio.ensure_future(_gone(receive, queue))
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/event-stream")]})
        hello = f"id: {self.clock}-0@e\nevent: hello\ndata: {{}}\n\n".encode()
        await send({"type": "http.response.body", "body": hello, "more_body": True})
        while (piece := await queue.get()) is not None:
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        self.open.discard(queue)
        gone.cancel()
        await send({"type": "http.response.body", "body": b""})


async def _gone(receive: Any, queue: "asyncio.Queue[bytes | None]") -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    queue.put_nowait(None)


async def _answer(send: Any, status: int, kind: str, body: bytes, **more: str) -> None:
    headers = [(b"content-type", f"{kind}; charset=utf-8".encode()), (b"content-security-policy", POLICY)]
    headers += [(name.encode(), value.encode()) for name, value in more.items()]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@contextmanager
def scripted() -> Iterator[Scripted]:
    """It runs in a thread of its own."""
    site, port = Scripted(), free_port()
    config = uvicorn.Config(site, port=port, lifespan="off", log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)

    async def serve() -> None:
        site.loop = asyncio.get_running_loop()
        await server.serve()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    site.url = f"http://127.0.0.1:{port}/"
    site.until(lambda: server.started)
    try:
        yield site
    finally:
        site.send(None)
        server.should_exit = True
        thread.join(10)


def open_page(site: Scripted, page: Page) -> Page:
    before = len(site.subscriptions)
    page.goto(site.url)
    site.until(lambda: len(site.subscriptions) > before and site.open)
    return page


def value(page: Page, uid: str) -> LocatorAssertions:
    """Of a row's own column, to be expected."""
    return expect(page.locator(f"#row-{uid} .value"))
