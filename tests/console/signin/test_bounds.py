"""What one person may have at once: open streams and terminals, and expensive questions. Others are not held up."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver

from console.asgi import Console
from console.signin import clients, guard, rate_limits
from console.signin.models import Session
from kube import limits
from kube.client import ClusterClient
from tests.attacks.pages import routes
from tests.console.signin import test_open_connections
from tests.console.signin.people import People, signed_in
from tests.console.signin.test_open_connections import connected, topic_of

pytestmark = pytest.mark.django_db(transaction=True)
server = test_open_connections.server


@pytest.fixture(autouse=True)
def _anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "_people", {})


def test_expensive_questions_have_a_pace_of_each_persons_own(staff: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "BURST", 3)
    monkeypatch.setattr(rate_limits, "A_SECOND", 0.01)
    clerk, boss = signed_in(staff.clerk), signed_in(staff.boss)
    search = "/resources/search/?q=nothing-is-called-so"
    assert [clerk.get(search).status_code for _each in range(5)] == [200, 200, 200, 429, 429]
    refused = clerk.get(search)
    assert "Too many requests" in refused.content.decode() and 1 <= int(refused["Retry-After"]) <= 100
    part = clerk.get(search, headers={"HX-Request": "true"})
    assert part.status_code == 429 and "<html" not in part.content.decode()
    as_json = clerk.get("/api/schema/", headers={"Accept": "application/json"})
    assert as_json.status_code == 429 and as_json.json()["reason"] == "TooManyRequests"
    # Another session of the same user shares the limit; another user doesn't, and cheap requests are answered.
    assert signed_in(staff.clerk).get(search).status_code == 429
    assert boss.get(search).status_code == 200
    assert clerk.get(f"/resources/core/v1/configmaps/?namespace={staff.here}").status_code == 200


def test_so_many_at_once_and_no_more_and_all_places_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [rate_limits.enter("ann") for _each in range(rate_limits.AT_ONCE)] == [0.0] * rate_limits.AT_ONCE
    assert rate_limits.enter("ann") == 1.0 and rate_limits.enter("bob") == 0.0
    rate_limits.leave("ann")
    assert rate_limits.enter("ann") == 0.0


def test_a_file_has_its_place_until_its_last_byte(staff: People) -> None:
    """It is made while it is sent, by one of eight threads."""
    clerk, download = (
        signed_in(staff.clerk),
        f"/resources/core/v1/configmaps/download/?namespace={staff.here}&format=yaml",
    )
    begun: list[Any] = [clerk.get(download) for _each in range(rate_limits.AT_ONCE)]
    assert [item.status_code for item in begun] == [200] * rate_limits.AT_ONCE
    assert clerk.get(download).status_code == 429
    assert signed_in(staff.boss).get("/resources/search/?q=nothing-is-called-so").status_code == 200
    # One is read to its end, another one is given up.
    assert b"".join(begun[0].streaming_content)
    begun[1].close()
    again: list[Any] = [clerk.get(download) for _each in range(3)]
    assert [item.status_code for item in again] == [200, 200, 429]
    for response in (*begun, *again):
        response.close()
    assert not any(person.now for person in rate_limits._people.values())


def test_each_expensive_address_is_there() -> None:
    assert get_resolver() and {name for name, _arguments in routes()} >= rate_limits.EXPENSIVE


async def test_too_many_streams_are_told_so_and_others_are_not_held_up(
    server: Console,
    staff: People,
    admin: ClusterClient,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "OPEN_AT_ONCE", replace(limits.OPEN_AT_ONCE, value=2))
    mine, yours = [await asyncio.to_thread(signed_in, item) for item in (staff.clerk, staff.boss)]
    stream = f"/stream?topic={topic_of(admin, staff.here)}"
    watch = f"/api/resources/core/v1/configmaps/?watch=1&namespace={staff.here}"
    async with connected(server, stream, mine) as first, connected(server, watch, mine) as second:
        await first.until(lambda: first.status == 200)
        await second.until(lambda: second.status == 200)
        for address, kind in (
            (stream, "http"),
            (watch, "http"),
            (f"/resources/core/v1/pods/{staff.here}/x/terminal/socket/", "websocket"),
        ):
            async with connected(server, address, mine, kind) as more:
                await more.until(lambda more=more: more.over)
                if kind == "http":
                    assert more.status == 429 and b"close some tabs" in more.body
                    assert (b"retry-after", b"10") in more.sent[0]["headers"]
                else:
                    frame = more.sent[1]["bytes"]
                    assert frame[0] == 3 and "close some tabs" in json.loads(frame[1:])["message"]
                    assert more.sent[-1]["code"] == 4429
        async with connected(server, stream, yours) as other:
            await other.until(lambda: other.status == 200)
    assert not guard._open_connections
    async with connected(server, stream, mine) as again:
        await again.until(lambda: again.status == 200)


@pytest.mark.parametrize("how", ["signed out here", "signed out in another process"])
async def test_a_sign_out_ends_streams_while_redis_takes_nothing(
    server: Console,
    staff: People,
    admin: ClusterClient,
    pipe: Any,
    monkeypatch: pytest.MonkeyPatch,
    how: str,
) -> None:
    monkeypatch.setattr(clients, "EXPIRY_SECONDS", 0.2)
    browser: Client = await asyncio.to_thread(signed_in, staff.clerk)
    async with connected(server, f"/stream?topic={topic_of(admin, staff.here)}", browser) as stream:
        await stream.until(lambda: stream.status == 200)
        pipe.config_set("maxmemory", 1)
        try:
            if how == "signed out here":
                assert (await asyncio.to_thread(browser.post, "/sign-out/")).status_code == 302
            else:
                await asyncio.to_thread(Session.objects.all().delete)
            await stream.until(lambda: stream.over, 5)
        finally:
            pipe.config_set("maxmemory", 0)
