"""A session that ends closes its streams, in whichever process they are."""

import asyncio
import time
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from console.signin.models import Session
from kube.client import ClusterClient
from resources.changes import ChangeLog, Topic, position, streams
from resources.stream import gate
from resources.stream.broker import Broker
from resources.stream.line import BrowserConnection
from resources.views.stream import StreamApp
from tests.eventually import reached
from tests.resources.stream.browser import COLUMNS, Browser, opened, render, row_of


@pytest.fixture
def token(client: ClusterClient, settings: Any) -> str:
    """A token with all permissions: of a kubeconfig without one, a ServiceAccount's."""
    settings.SIGN_IN, settings.LOCAL_ONLY = "token", False
    return client.config.token()


@pytest.fixture
def person(transactional_db: None, token: str) -> Client:
    return _entered(token)


def _entered(token: str) -> Client:
    found = Client(headers={"host": "localhost"})
    assert found.post("/sign-in/", {"token": token}).status_code == 302
    return found


def _cookie(person: Client, settings: Any) -> dict[str, str]:
    return {"cookie": f"{settings.SESSION_COOKIE_NAME}={person.cookies[settings.SESSION_COOKIE_NAME].value}"}


async def _until_ended(browser: Browser) -> None:
    async with asyncio.timeout(10):
        while not browser.ended:
            browser.arrived.clear()
            await browser.arrived.wait()


async def test_what_ends_a_stream_is_told_when_something_else_is_just_being_written() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    line = BrowserConnection(send, "en")
    line.mailbox.greeting = b"hello"
    line.begin()
    # One turn of the event loop: the body is taken, and not written yet.
    await asyncio.sleep(0)
    line.mailbox.control("ended", "", b"ended")
    line.end()
    await reached(lambda: line.over)
    assert [message["body"] for message in sent] == [b"hello", b"ended"]
    assert [message["more_body"] for message in sent] == [True, False]


async def test_signing_out_ends_all_streams_of_the_session_and_no_others(
    app: StreamApp, log: ChangeLog, topic: Topic, person: Client, settings: Any, token: str
) -> None:
    other = StreamApp(Broker(render))  # another process
    query = [("topic", str(topic)), ("since", position())]
    first = _cookie(person, settings)
    # Something else is put into the session: its cookie is another then.
    session = person.session
    session["colour"] = "blue"
    session.save()
    person.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    second = _cookie(person, settings)
    assert first != second
    stranger = _entered(token)
    try:
        async with (
            opened(app, query, **first) as here,
            opened(other, query, **second) as there,
            opened(app, query, **_cookie(stranger, settings)) as somebody_else,
            opened(app, query) as nobody,
        ):
            assert nobody.status == 401
            for browser in (here, there, somebody_else):
                await browser.get("hello")
            person.post("/sign-out/")
            began = time.monotonic()
            for browser in (here, there):
                data, _ = await browser.get("ended")
                assert (
                    data["message"] == "Your session ended, or you started or stopped impersonation. Reload the page."
                )
                await _until_ended(browser)
            assert time.monotonic() - began < 5
            await log.append(topic, [row_of("a")], "1", COLUMNS)
            await somebody_else.get("row")
            assert not [kind for kind, _, _ in here.events + there.events if kind == "row"]
        # A cookie that was kept is worth nothing any more.
        async with opened(app, query, **first) as again:
            assert again.status == 401
    finally:
        await other._broker.stop()
        await other.stop()


async def test_a_process_that_starts_later_knows_who_left(
    app: StreamApp, topic: Topic, person: Client, settings: Any
) -> None:
    cookie = _cookie(person, settings)
    person.post("/sign-out/")
    async with opened(app, [("topic", str(topic))], **cookie) as browser:
        # Either refused at once, or ended as soon as the process has read who left.
        if browser.status == 200:
            await browser.get("ended")
            await _until_ended(browser)
        else:
            assert browser.status == 401


async def test_a_session_that_expired_is_noticed(
    app: StreamApp, topic: Topic, person: Client, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "SESSION_CHECK_SECONDS", 0.1)
    async with opened(app, [("topic", str(topic))], **_cookie(person, settings)) as browser:
        await browser.get("hello")
        await asyncio.sleep(2)  # looked at again, and found alive
        assert not browser.ended
        await asyncio.to_thread(Session.objects.update, until=timezone.now())
        await browser.get("ended")
        await _until_ended(browser)


def test_signing_out_works_while_redis_is_away(
    person: Client, settings: Any, redis_server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> Any:
        raise sessions_error

    from redis.exceptions import ConnectionError as sessions_error

    monkeypatch.setattr(streams, "sync_client", refuse)
    assert person.post("/sign-out/").status_code == 302


def test_sessions_that_ended_are_bounded(pipe: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "KEEP_ENDED_SESSIONS", 100)
    for number in range(1000):
        streams.end_session(f"{number}")
    assert pipe.xlen("test:ended") < 300


def test_who_has_not_signed_in_has_no_session_to_end(client: ClusterClient) -> None:
    from django.test import RequestFactory

    from resources.views.stream_request import session_digest

    assert session_digest(RequestFactory().get("/")) == ""
