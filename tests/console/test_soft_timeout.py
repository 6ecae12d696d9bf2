"""O16: while an API server is silent a page's frame is shown, and the page follows; all else is waited for as ever."""

import asyncio
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from console.asgi import Console
from console.web import soft_timeout
from console.web.asgi import Receive, Scope, Send
from console.web.soft_timeout import COOKIE, SoftTimeout
from kube import limits, silence
from kube.config import load
from tests.console.test_requests import scope_of

pytestmark = pytest.mark.django_db(transaction=True)
NAVIGATION = (b"sec-fetch-mode", b"navigate")


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(soft_timeout, "SOFT_SECONDS", 0.1)
    monkeypatch.setattr(soft_timeout, "_CHECK_SECONDS", 0.02)
    yield


class Answer:
    """What a browser gets."""

    def __init__(self) -> None:
        self.sent: list[Any] = []

    async def send(self, message: Any) -> None:
        self.sent.append(message)

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.sent)

    def header(self, name: bytes) -> str:
        headers = self.sent[0]["headers"]
        return next((value.decode() for key, value in headers if key.lower() == name and COOKIE.encode() in value), "")


async def receive() -> Any:
    await asyncio.Event().wait()


class Pages:
    """Pages that respond when `go_on` is set; frames that respond at once."""

    def __init__(self) -> None:
        self.asked, self.go_on = 0, asyncio.Event()
        self.tested = SoftTimeout(self.page, self.frame)

    async def page(self, scope: Scope, _receive: Receive, send: Send) -> None:
        self.asked += 1
        await self.go_on.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"page " + scope["path"].encode()})

    async def frame(self, scope: Scope, _receive: Receive, send: Send) -> None:
        cookie = (b"set-cookie", f"{COOKIE}={scope['console.frame']}".encode())
        await send({"type": "http.response.start", "status": 200, "headers": [cookie]})
        await send({"type": "http.response.body", "body": b"frame"})

    async def get(self, path: str, *headers: tuple[bytes, bytes]) -> Answer:
        answer = Answer()
        async with asyncio.timeout(10):
            await self.tested(scope_of("GET", path, *headers), receive, answer.send)
        return answer


async def test_o16_the_frame_comes_first_and_the_page_is_made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soft_timeout, "_silent_seconds", lambda _prefix: 60.0)
    pages = Pages()
    session = (b"cookie", b"a=b; console_session_9000=mine")
    frame = await pages.get("/operators/", NAVIGATION, session)
    assert frame.body == b"frame"
    pending = frame.header(b"set-cookie").encode()
    # Another page has a frame of its own meanwhile; another session gets no part of this page.
    assert (await pages.get("/resources/", NAVIGATION, (b"cookie", pending))).body == b"frame"
    assert (await pages.get("/operators/", NAVIGATION, (b"cookie", pending))).body == b"frame"
    asked = pages.asked
    joined = asyncio.create_task(pages.get("/operators/", NAVIGATION, (b"cookie", session[1] + b"; " + pending)))
    await asyncio.sleep(0.3)
    assert not joined.done(), "it is waited for, without another frame"
    pages.go_on.set()
    answer = await joined
    assert answer.body == b"page /operators/" and pages.asked == asked
    assert "Max-Age=0" in answer.header(b"set-cookie")
    # A process without the pending page renders it.
    assert (
        await pages.get("/operators/", NAVIGATION, (b"cookie", session[1] + b"; " + pending))
    ).body == b"page /operators/"


async def test_o16_pages_that_nobody_comes_back_for_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soft_timeout, "_silent_seconds", lambda _prefix: 60.0)
    monkeypatch.setattr(limits, "PENDING_PAGES", replace(limits.PENDING_PAGES, value=2))
    pages = Pages()
    pending = [(await pages.get(f"/{number}/", NAVIGATION)).header(b"set-cookie").encode() for number in range(3)]
    pages.go_on.set()
    for number in (2, 1):
        assert (await pages.get(f"/{number}/", NAVIGATION, (b"cookie", pending[number]))).body
    assert pages.asked == 3, "they were made already"
    assert (await pages.get("/0/", NAVIGATION, (b"cookie", pending[0]))).body == b"page /0/"
    assert pages.asked == 4, "the oldest was dropped"
    monkeypatch.setattr(limits, "PENDING_PAGE", replace(limits.PENDING_PAGE, value=3))
    pages.go_on.clear()
    large = (await pages.get("/large/", NAVIGATION)).header(b"set-cookie").encode()
    pages.go_on.set()
    assert (await pages.get("/large/", NAVIGATION, (b"cookie", large))).body == b"page /large/"
    assert pages.asked == 6, "it was too large to be kept"


@pytest.mark.parametrize(
    ("silent", "path", "headers"),
    [
        (0.0, "/operators/", (NAVIGATION,)),
        (60.0, "/operators/", ()),
        (60.0, "/operators/", ((b"sec-fetch-mode", b"cors"), (b"hx-request", b"true"))),
        (60.0, "/resources/core/v1/pods/download/", (NAVIGATION,)),
    ],
)
async def test_what_takes_its_time_for_another_reason_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, silent: float, path: str, headers: tuple[tuple[bytes, bytes], ...]
) -> None:
    """A busy machine, a program, a part of a page, a file."""
    monkeypatch.setattr(soft_timeout, "_silent_seconds", lambda _prefix: silent)
    pages = Pages()
    answer = asyncio.create_task(pages.get(path, *headers))
    await asyncio.sleep(0.4)
    assert not answer.done()
    pages.go_on.set()
    assert (await answer).body.startswith(b"page ")


async def test_o16_a_page_that_begins_in_the_last_moment_is_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not both, which no browser can read."""
    pages = Pages()

    def silent(_prefix: str) -> float:
        pages.go_on.set()
        return 60.0

    monkeypatch.setattr(soft_timeout, "_silent_seconds", silent)
    for _time in range(20):
        pages.go_on.clear()
        answer = await pages.get("/operators/", NAVIGATION)
        assert [message["type"] for message in answer.sent].count("http.response.start") == 1


def test_o16_a_page_is_judged_by_its_own_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one may be away for hours, and this one may have been, an hour ago."""
    hosts = {"": "here", "/c/other": "other"}
    monkeypatch.setattr(soft_timeout.clusters, "at", lambda prefix: prefix if prefix in hosts else None)
    endpoint_of = lambda prefix: SimpleNamespace(current=lambda: SimpleNamespace(host=hosts[prefix]))  # noqa: E731
    monkeypatch.setattr(soft_timeout.clusters, "endpoint_of", endpoint_of)
    monkeypatch.setattr(silence, "_waiting", {"other": 1})
    monkeypatch.setattr(silence, "_since", {"other": time.monotonic() - 60, "here": time.monotonic() - 60})
    assert soft_timeout._silent_seconds("/c/other") >= 60
    assert soft_timeout._silent_seconds("") == 0, "nobody waits for it"
    assert soft_timeout._silent_seconds("/c/gone") == 0


async def test_o16_the_frame_of_a_silent_cluster_asks_it_nothing(
    monkeypatch: pytest.MonkeyPatch, redis_server: str, cluster_kubeconfig: Path
) -> None:
    """Through the console's own middleware: the masthead, the navigation, what is missing and since when."""
    monkeypatch.setattr(soft_timeout, "_silent_seconds", lambda _prefix: 42.0)

    def asked(*_arguments: Any) -> Any:
        raise AssertionError("the cluster was asked")

    monkeypatch.setattr("kube.transport.SyncTransport.send", asked)
    console = Console()

    async def never(scope: Scope, _receive: Receive, _send: Send) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(console._pages, "_app", never)
    answer = Answer()
    async with asyncio.timeout(30):
        await console(scope_of("GET", "/resources/core/v1/pods/", NAVIGATION), receive, answer.send)
    assert answer.sent[0]["status"] == 200 and (b"refresh", b"1") in answer.sent[0]["headers"]
    text = answer.body.decode()
    name = load(str(cluster_kubeconfig)).name
    assert f'class="console-cluster-name">{name}<' in text and 'id="navigation"' in text
    assert re.search(r"data-age>\d+s<", text) and "/resources/core/v1/services/" in text


async def test_o16_who_has_not_signed_in_gets_no_frame(
    monkeypatch: pytest.MonkeyPatch, redis_server: str, settings: Any
) -> None:
    settings.SIGN_IN = "token"
    monkeypatch.setattr(soft_timeout, "_silent_seconds", lambda _prefix: 42.0)
    console = Console()

    async def never(scope: Scope, _receive: Receive, _send: Send) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(console._pages, "_app", never)
    answer = Answer()
    async with asyncio.timeout(30):
        await console(scope_of("GET", "/operators/", NAVIGATION), receive, answer.send)
    assert answer.sent[0]["status"] == 302
