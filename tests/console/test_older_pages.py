"""O16: while a cluster is silent, a page shows what it last showed to the same person, and how old that is."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.cache import caches
from django.http import HttpResponse
from django.test import RequestFactory

from console.asgi import Console
from console.web import soft_timeout
from console.web.asgi import Receive, Scope, Send
from kube import limits
from tests.console.test_requests import scope_of
from tests.console.test_soft_timeout import NAVIGATION, Answer, receive

pytestmark = pytest.mark.django_db(transaction=True)

PAGE = (
    '<html><head><link rel="stylesheet" href="/static/a.css"></head><body><nav>Menu</nav><main'
    ' id="main">Banner<!--content--><h1 class="title">Pods</h1><form action="/delete"><input name="all" hidden><button'
    ' name="all">Delete</button></form><script>alert(1)</script><a href="/resources/core/v1/pods/web/" hx-get="/part"'
    ' data-live="topic" id="row">web</a><table><tr><td'
    ' data-label="Status">Running</td></tr></table></main><dialog>Palette</dialog></body></html>'
)


@pytest.fixture(autouse=True)
def _nothing_kept() -> Iterator[None]:
    caches["older_pages"].clear()
    yield
    caches["older_pages"].clear()


def cached_page(page: HttpResponse, mode: str = "navigate") -> soft_timeout.OlderPage | None:
    soft_timeout.keep_page("address", RequestFactory().get("/", headers={"Sec-Fetch-Mode": mode}), page)
    return soft_timeout.find_older_page("address")


def test_what_acts_or_asks_is_left_out() -> None:
    found = cached_page(HttpResponse(PAGE))
    assert found and found.seconds < 60
    assert found.styles == '<link rel="stylesheet" href="/static/a.css">'
    assert '<h1 class="title">Pods</h1>' in found.content and '<td data-label="Status">Running</td>' in found.content
    assert '<input hidden=""><button>Delete</button>' in found.content
    assert '<a href="/resources/core/v1/pods/web/">web</a>' in found.content
    for gone in ("Menu", "Banner", "Palette", "action=", "name=", "alert", "hx-get", "data-live=", "id="):
        assert gone not in found.content


@pytest.mark.parametrize(
    ("page", "mode"),
    [
        (HttpResponse(PAGE, status=403), "navigate"),
        (HttpResponse(PAGE, content_type="application/yaml"), "navigate"),
        (HttpResponse("<p>a part</p>"), "navigate"),
        (HttpResponse(PAGE), "cors"),
        (HttpResponse(PAGE, headers={"Cache-Control": "no-store"}), "navigate"),
    ],
)
def test_only_pages_are_kept(page: HttpResponse, mode: str) -> None:
    assert cached_page(page, mode) is None


def test_a_large_page_is_not_kept() -> None:
    assert cached_page(HttpResponse(PAGE.replace("Running", "R" * limits.OLDER_PAGE.value))) is None


async def _page(console: Console, path: str, cookie: str = "a=b") -> str:
    answer = Answer()
    async with asyncio.timeout(30):
        await console(scope_of("GET", path, NAVIGATION, (b"cookie", cookie.encode())), receive, answer.send)
    assert answer.sent[0]["status"] == 200
    return answer.body.decode()


async def test_o16_the_frame_shows_what_its_address_last_showed(
    monkeypatch: pytest.MonkeyPatch, redis_server: str, cluster_kubeconfig: Any
) -> None:
    """To the same session alone; another address has the frame alone."""
    console = Console()
    namespaces = await _page(console, "/namespaces/")
    assert "kube-system" in namespaces

    async def never(scope: Scope, _receive: Receive, _send: Send) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(console._pages, "_app", never)
    monkeypatch.setattr(soft_timeout, "SOFT_SECONDS", 0.1)
    monkeypatch.setattr(soft_timeout, "_silent_seconds", lambda _prefix: 42.0)
    frame = await _page(console, "/namespaces/")
    assert "kube-system" in frame and frame.count(" data-age") > namespaces.count(" data-age")
    assert "data-live=" not in frame.partition("</h1>")[2].partition("</main>")[0]
    assert "kube-system" not in await _page(console, "/operators/")
    somebody_else = "console_session_9000=theirs"
    assert "kube-system" not in await _page(console, "/namespaces/", somebody_else)
