"""What a page says when its stream stops, and what a hidden tab does;
tests/e2e/live/fake_site.py is the server.
"""

import re

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.live.fake_site import OTHER, TOPIC, Scripted, open_page, value

pytestmark = pytest.mark.page_only

HIDE = """(hidden) => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });
document.dispatchEvent(new Event('visibilitychange')); }"""


def test_what_is_paused_is_said_until_it_goes_on(site: Scripted, opened: Page, context: BrowserContext) -> None:
    banner = opened.locator("#health-banner")
    site.say("paused", topic=TOPIC, message="nobody may watch it")
    expect(banner).to_have_text(re.compile("configmaps paused: nobody may watch it"))
    # A tab that comes later hears of it, too, and one that shows something else doesn't.
    later = _open_quietly(site, context)
    expect(later.locator("#health-banner")).to_contain_text("configmaps paused")
    site.say("resumed", topic=TOPIC)
    for page in (opened, later):
        expect(page.locator("#health-banner")).to_be_hidden()
    site.say("paused", topic=OTHER, message="not this page's")
    site.row("a", 20, "two")
    value(opened, "a").to_have_text("two")
    expect(banner).to_be_hidden()


def _open_quietly(site: Scripted, context: BrowserContext) -> Page:
    """The connection that stands has all that it wants."""
    found = context.new_page()
    found.goto(site.url)
    return found


def test_a_refusal_is_said_and_nobody_asks_again(site: Scripted, opened: Page) -> None:
    site.say("refused", topic=TOPIC, message="you don't have permission to watch them", lasting=True)
    banner = opened.locator("#health-banner")
    expect(banner).to_contain_text("configmaps refused: you don't have permission to watch them")
    expect(banner.locator("a")).to_be_visible()
    site.send(None)
    site.until(lambda: len(site.subscriptions) >= 2)
    assert site.subscriptions[-1]["rows"] == site.subscriptions[-1]["notices"] == []


def test_a_whole_refusal_is_the_same(site: Scripted, page: Page) -> None:
    site.answers["POST"], site.refusal = 403, "none of it"
    page.goto(site.url)
    expect(page.locator("#health-banner")).to_contain_text("configmaps refused: none of it")
    page.wait_for_timeout(1500)
    assert len(site.methods) <= 3


def test_an_ended_session_is_said_and_left_alone(site: Scripted, opened: Page) -> None:
    site.say("ended", message="")
    banner = opened.locator("#health-banner")
    expect(banner).to_contain_text("session ended")
    expect(banner.locator("a")).to_be_visible()
    asked = len(site.methods)
    opened.wait_for_timeout(1500)
    assert len(site.methods) == asked


def test_who_is_not_signed_in_is_told_the_same(site: Scripted, page: Page) -> None:
    site.answers["POST"] = 401
    page.goto(site.url)
    expect(page.locator("#health-banner")).to_contain_text("session ended")


def test_a_hidden_tab_shows_it_when_it_is_looked_at(site: Scripted, opened: Page) -> None:
    opened.evaluate(HIDE, True)
    for version in range(20, 2020):
        site.row("a", version, f"version {version}")
    site.row("b", 2021, "last")
    site.say("health", part="last", ready=False, message="that was all")
    expect(opened.locator("#health-banner")).to_contain_text("that was all")
    value(opened, "a").to_have_text("one")
    opened.evaluate(HIDE, False)
    value(opened, "a").to_have_text("version 2019")
    value(opened, "b").to_have_text("last")


def test_a_tab_that_nobody_looks_at_lets_its_topics_go_and_catches_up(site: Scripted, page: Page) -> None:
    page.clock.install()
    opened = open_page(site, page)
    site.row("a", 20, "two")
    value(opened, "a").to_have_text("two")
    opened.evaluate(HIDE, True)
    opened.clock.fast_forward(61_000)
    site.until(lambda: not site.open)
    last_seen = site.clock
    opened.evaluate(HIDE, False)
    site.until(lambda: site.open)
    assert site.subscriptions[-1]["since"] == f"{last_seen}-0@e"
    assert site.subscriptions[-1]["rows"][0]["uids"] == ["a", "b", "c"]
    site.row("a", 21, "three")
    value(opened, "a").to_have_text("three")


def test_too_much_for_a_hidden_tab_is_listed_again(site: Scripted, page: Page) -> None:
    site.rows = {f"r{number}": (1, "0") for number in range(1050)}
    opened = open_page(site, page)
    opened.evaluate(HIDE, True)
    site.rows = {uid: (5000 + number, "listed") for number, uid in enumerate(site.rows)}
    for number in range(1050):
        site.row(f"r{number}", 5000 + number, "event")
    # All has arrived when the last word of the connection has.
    site.say("health", part="last", ready=False, message="that was all")
    expect(opened.locator("#health-banner")).to_contain_text("that was all")
    value(opened, "r5").to_have_text("0")
    opened.evaluate(HIDE, False)
    site.until(lambda: site.lists)
    value(opened, "r5").to_have_text("listed")
    assert len(site.lists) == 1
