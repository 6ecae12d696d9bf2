"""POST /stream: a page hears only of what it shows."""

from typing import Any

import pytest
import redis

from kube import limits
from resources.changes import Change, ChangeLog, Topic, position
from resources.views.stream import StreamApp
from tests.resources.stream.browser import COLUMNS, opened, row_of


def _gone(name: str, version: str = "") -> Change:
    return Change(kind="DELETED", uid=f"uid-{name}", name=name, namespace="default", version=version)


async def test_only_the_rows_shown_are_drawn(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    body = {"since": position(), "rows": [{"topic": str(topic), "uids": ["uid-a", "uid-b"]}]}
    async with opened(app, [], body) as browser:
        assert browser.status == 200
        await browser.get("hello")
        await log.append(topic, [row_of("x", version="5"), row_of("a", version="6")], "6", COLUMNS)
        data, id_ = await browser.get("row")
        assert (data["uid"], data["html"], data["version"]) == ("uid-a", "<tr>ConfigMap a en</tr>", "6")
        assert "@" in id_
        await log.append(topic, [row_of("y", "ADDED", "7"), row_of("z", version="8")], "8")
        news, _id = await browser.get("changed")
        # z only changed: without `moves` this list isn't affected.
        assert news == {"topic": str(topic), "version": "7", "names": [["default", "y"]]}
        await log.append(topic, [_gone("b", "9")], "9")
        assert (await browser.get("gone"))[0]["uid"] == "uid-b"
        # It is not on the page any more: that it came again has to be looked up.
        await log.append(topic, [row_of("b", "ADDED", "10")], "10")
        assert (await browser.get("changed"))[0]["names"] == [["default", "b"]]
    assert not [data for kind, data, _ in browser.events if kind == "row"]


async def test_a_list_in_the_order_of_its_states_hears_of_every_change(
    app: StreamApp, log: ChangeLog, topic: Topic
) -> None:
    body = {"since": position(), "rows": [{"topic": f"{topic}?state", "uids": ["uid-a"], "moves": True}]}
    async with opened(app, [], body) as browser:
        await browser.get("hello")
        await log.append(topic, [row_of("x", version="5")], "6", COLUMNS)
        news, _ = await browser.get("changed", topic=f"{topic}?state")
        assert (news["names"], news["version"]) == ([["default", "x"]], "5")


async def test_many_news_are_told_once_and_without_names(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    body = {"since": position(), "notices": [{"topic": str(topic)}]}
    async with opened(app, [], body) as browser:
        await browser.get("hello")
        await log.append(topic, [row_of(f"n{number}", version=str(number)) for number in range(1, 101)], "100", COLUMNS)
        news, _ = await browser.get("changed")
        assert news["topic"] == str(topic)
        assert "names" not in news
        # Changes after the limit was reached are sent, too.
        await log.append(topic, [row_of("later", version="101")], "101")
        assert (await browser.get("changed"))[0]["names"] == [["default", "later"]]


async def test_a_notice_of_names_hears_of_these_only(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    body = {"since": position(), "notices": [{"topic": str(topic), "names": ["a"]}]}
    async with opened(app, [], body) as browser:
        await browser.get("hello")
        await log.append(topic, [row_of("x"), row_of("y", "ADDED"), _gone("z"), row_of("a", version="4")], "4", COLUMNS)
        assert (await browser.get("changed"))[0] == {"topic": str(topic), "version": "4", "names": [["default", "a"]]}


async def test_what_a_busy_topic_missed_is_caught_up_for_the_rows_shown(
    app: StreamApp, log: ChangeLog, topic: Topic
) -> None:
    """Hundreds of changes since the page was made, none of them lost and none of them a reason to list again."""
    rendered = position()
    for part in range(6):
        await log.append(topic, [row_of(f"n{number}", version=str(part + 1)) for number in range(100)], "1", COLUMNS)
    async with opened(app, [], {"since": rendered, "rows": [{"topic": str(topic), "uids": ["uid-n7"]}]}) as browser:
        data, _ = await browser.get("row")
        assert (data["uid"], data["version"]) == ("uid-n7", "6")
        _, last = await browser.get("hello")
        assert last
    assert not browser.events


async def test_subscriptions_of_several_tabs_are_merged(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    rows = [{"topic": str(topic), "uids": ["uid-a"]}, {"topic": str(topic), "uids": ["uid-b"], "moves": True}]
    async with opened(app, [], {"since": position(), "rows": rows, "notices": [{"topic": str(topic)}]}) as browser:
        await browser.get("hello")
        await log.append(topic, [row_of("a"), row_of("b")], "1", COLUMNS)
        assert {(await browser.get("row"))[0]["uid"], (await browser.get("row"))[0]["uid"]} == {"uid-a", "uid-b"}


@pytest.mark.parametrize(("language", "drawn"), [("ko", "ko"), ("xx", "en"), ("", "en")])
async def test_rows_come_in_the_language_of_the_page(
    app: StreamApp, log: ChangeLog, topic: Topic, language: str, drawn: str
) -> None:
    """A browser's worker asks for all tabs, and may know of no language but its own."""
    body = {"since": position(), "language": language, "rows": [{"topic": str(topic), "uids": ["uid-a"]}]}
    async with opened(app, [], body) as browser:
        await browser.get("hello")
        await log.append(topic, [row_of("a")], "1", COLUMNS)
        assert (await browser.get("row"))[0]["html"].endswith(f" {drawn}</tr>")


async def test_a_gap_in_redis_is_told(app: StreamApp, log: ChangeLog, topic: Topic, pipe: redis.Redis) -> None:
    body = {"since": position(), "rows": [{"topic": str(topic), "uids": ["uid-a"]}]}
    async with opened(app, [], body) as browser:
        await browser.get("hello")
        pipe.flushall()
        await browser.get("resync", topic=str(topic))
        # And continues on the same connection.
        await log.append(topic, [row_of("a", version="3")], "3", COLUMNS)
        assert (await browser.get("row"))[0]["version"] == "3"


_MANY = [f"u{number}" for number in range(5001)]


@pytest.mark.parametrize(
    ("body", "headers", "status", "text"),
    [
        (b"{", {}, 400, "not what a stream can be asked for"),
        ({"rows": [{"uids": []}]}, {}, 400, "missing required field `topic`"),
        ({"rows": [{"topic": "t", "uids": [1]}]}, {}, 400, "$.rows[0].uids[0]"),
        ({"rows": [{"topic": "t", "uids": _MANY}]}, {}, 400, "more than 5000 rows"),
        ({"notices": [{"topic": f"t{number}"} for number in range(300)]}, {}, 400, "more than 200 topics"),
        ({"since": "x" * limits.STREAM_BODY_BYTES.value}, {}, 413, "at most"),
        ({}, {"content_length": str(limits.STREAM_BODY_BYTES.value + 1)}, 413, "at most"),
        ({}, {"content_type": "text/plain"}, 415, "application/json"),
        ({}, {"content_type": ""}, 415, "application/json"),
        ({}, {"sec_fetch_site": "cross-site"}, 403, "another site"),
        ({}, {"sec_fetch_site": "same-site"}, 403, "another site"),
        ({}, {"origin": "https://evil.example"}, 403, "another site"),
        ({}, {"origin": "null"}, 403, "another site"),
        ({}, {"host": "evil.example"}, 400, "ALLOWED_HOSTS"),
        ({"rows": [{"topic": "nonsense"}]}, {}, 403, "no topic"),
    ],
)
async def test_a_subscription_that_cannot_be_served(
    app: StreamApp, client: Any, body: Any, headers: Any, status: int, text: str
) -> None:
    async with opened(app, [], body, **headers) as browser:
        assert (browser.status, text in browser.text) == (status, True), browser.text


async def test_a_page_of_ours_may_ask(app: StreamApp, topic: Topic) -> None:
    headers = {
        "sec_fetch_site": "same-origin",
        "origin": "http://localhost:9000",
        "content_type": "application/json; charset=utf-8",
    }
    async with opened(app, [], {"rows": [{"topic": str(topic)}], "later": 1}, **headers) as browser:
        assert browser.status == 200


async def test_a_proxy_that_gives_another_host(app: StreamApp, topic: Topic, settings: Any) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://console.example.com", "https://*.example.org"]
    body = {"rows": [{"topic": str(topic)}]}
    for origin, status in (
        ("https://console.example.com", 200),
        ("https://a.example.org", 200),
        ("http://a.example.org", 403),
        ("https://example.com", 403),
        ("https://evilexample.org", 403),
    ):
        async with opened(app, [], body, sec_fetch_site="same-origin", origin=origin) as browser:
            assert (origin, browser.status) == (origin, status)


async def test_other_methods(app: StreamApp, client: Any) -> None:
    async with opened(app, [], {}, "PUT") as browser:
        assert browser.status == 405
