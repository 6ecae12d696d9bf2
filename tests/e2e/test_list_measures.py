"""What a list promises its user: rows near the top, nothing that moves under the pointer, names on one line."""

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Locator, Page, expect

from kube.client import ClusterClient
from tests.chromium import Contexts
from tests.e2e.conftest import Site

SLOW = 60_000
LONG_NAME = "settings-of-the-payment-service-in-the-first-zone-7d4f9b5c88-x2kqp"


@pytest.fixture(scope="module")
def place(client: ClusterClient) -> Iterator[str]:
    """A namespace with 60 ConfigMaps, map-00 … map-59, and one with a long name before them."""
    name, type_ = f"measures-{uuid4().hex[:6]}", client.find("", "v1", "namespaces")
    client.create(type_, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    for number in range(60):
        _make(client, name, f"map-{number:02}")
    _make(client, name, f"a-{LONG_NAME}")
    yield name
    client.delete(type_, name)


def _make(client: ClusterClient, namespace: str, name: str) -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "1"}}
    client.create(client.find("", "v1", "configmaps"), body, namespace)


def _remove(client: ClusterClient, namespace: str, name: str) -> None:
    client.delete(client.find("", "v1", "configmaps"), name, namespace)


def _open(page: Page, site: Site, place: str, width: int = 1440, height: int = 900) -> Locator:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{site.url}/resources/core/v1/configmaps/?namespace={place}")
    page.wait_for_load_state()
    return page.locator("#rows > tr")


def _box(found: Locator) -> dict[str, Any]:
    box = found.bounding_box()
    assert box is not None
    return dict(box)


@pytest.mark.journey
@pytest.mark.parametrize("path", ["/resources/core/v1/pods/", "/resources/core/v1/configmaps/"])
def test_the_first_row_is_near_the_top(site: Site, page: Page, path: str) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{site.url}{path}?namespace=-")
    assert _box(page.locator("#rows > tr").first)["y"] <= 190
    assert _box(page.locator(".list-toolbar"))["height"] <= 50


@pytest.mark.parametrize("width", [1920, 1440, 1100, 820])
@pytest.mark.parametrize("path", ["/resources/core/v1/pods/", "/resources/batch/v1/cronjobs/"])
def test_no_head_of_a_list_without_rows_is_cut(site: Site, page: Page, path: str, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{site.url}{path}?namespace=default")
    expect(page.locator(".list-empty")).to_be_visible()
    heads = page.locator(".list-table th:not(.list-actions)")
    assert heads.evaluate_all("all => all.filter(one => one.scrollWidth > one.clientWidth).length") == 0


def test_toolbar_and_head_stay_and_cover_nothing_that_has_the_focus(site: Site, page: Page, place: str) -> None:
    rows = _open(page, site, place)
    head, toolbar = page.locator(".list-table thead th").nth(1), page.locator(".list-toolbar")
    before = _box(head)["y"], _box(toolbar)["y"]
    page.locator(".list-scroll").evaluate("node => { node.scrollTop = node.scrollHeight; }")
    assert (_box(head)["y"], _box(toolbar)["y"]) == before
    expect(rows.last).to_be_in_viewport()
    for _ in range(30):
        page.keyboard.press("k")
    top = _box(head)["y"] + _box(head)["height"]
    assert _box(page.locator("a:focus"))["y"] >= top
    # And at the other end nothing is below the bar for what is selected.
    page.keyboard.press("x")
    for _ in range(60):
        page.keyboard.press("j")
    link = _box(page.locator("a:focus"))
    assert link["y"] + link["height"] <= _box(page.locator("#bulk"))["y"]


@pytest.mark.journey
def test_what_is_selected_brings_a_bar_and_moves_no_row(site: Site, page: Page, place: str) -> None:
    rows, bar = _open(page, site, place), page.locator("#bulk")
    expect(bar).to_be_hidden()
    before = _box(rows.nth(3))
    rows.nth(1).locator("input[name=chosen]").check()
    rows.nth(4).locator("input[name=chosen]").click(modifiers=["Shift"])
    expect(bar).to_be_visible()
    expect(page.locator("[data-ticked]")).to_contain_text("4")
    assert _box(rows.nth(3)) == before
    assert 40 <= _box(bar)["height"] <= 48
    # By keyboard: to the bar, and back to nothing.
    page.keyboard.press("b")
    expect(bar.get_by_role("button", name="Delete")).to_be_focused()
    page.keyboard.press("Escape")
    expect(bar).to_be_hidden()
    expect(page.locator("input[name=chosen]:checked")).to_have_count(0)


@pytest.mark.journey
def test_new_objects_wait_while_somebody_points_at_the_list(
    site: Site, page: Page, client: ClusterClient, place: str
) -> None:
    rows, waits = _open(page, site, place), page.locator("[data-live-new]")
    page.locator("#list-q").fill("map-1")
    expect(rows).to_have_count(10)
    page.wait_for_timeout(500)
    rows.nth(2).hover()
    before, names = _box(rows.nth(2)), rows.locator(".list-link").all_inner_texts()
    _make(client, place, "a-map-1")
    expect(waits).to_contain_text("1", timeout=SLOW)
    assert rows.locator(".list-link").all_inner_texts() == names
    assert _box(rows.nth(2)) == before
    expect(page.locator("#list-count")).to_have_text("11")
    waits.click()
    expect(rows).to_have_count(11)
    expect(waits).to_be_hidden()
    # What is deleted keeps its place as long.
    rows.nth(3).hover()
    _remove(client, place, "a-map-1")
    expect(page.locator("[data-live-gone]")).to_have_count(1, timeout=SLOW)
    page.locator("h1").hover()
    expect(rows).to_have_count(10, timeout=SLOW)


def test_a_tablet_has_names_on_one_line_and_all_of_them_to_read(site: Site, page: Page, place: str) -> None:
    rows = _open(page, site, place, 820, 1180)
    link = rows.first.locator(".list-link")
    assert _box(link)["height"] < 24
    assert _box(link)["width"] > 150
    expect(link).to_have_attribute("title", f"a-{LONG_NAME}")
    expect(page.get_by_role("link", name=f"a-{LONG_NAME}", exact=True)).to_be_visible()
    end = _box(link.locator(".list-end"))
    assert end["x"] + end["width"] <= _box(rows.first.locator("td").nth(2))["x"]
    assert page.locator(".list-scroll").evaluate("node => node.scrollWidth <= node.clientWidth")


def test_a_phone_has_two_lines_a_row(site: Site, contexts: Contexts, place: str) -> None:
    context = contexts(has_touch=True, is_mobile=True)
    page = context.new_page()
    rows = _open(page, site, place, 390, 844)
    assert 44 <= _box(rows.nth(1))["height"] <= 64
    assert page.locator(".list-scroll").evaluate("node => node.scrollWidth <= node.clientWidth")
    actions = rows.nth(1).locator(".list-actions > button")
    assert actions.evaluate("node => getComputedStyle(node).opacity") == "1"
    assert _box(rows.nth(1).locator(".list-age"))["x"] > _box(rows.nth(1).locator(".list-link"))["x"]


@pytest.mark.journey
def test_keys_and_the_peek(site: Site, page: Page, place: str) -> None:
    rows, peek = _open(page, site, place), page.locator("#peek")
    names = rows.locator(".list-link").all_inner_texts()
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(rows.nth(1).locator(".list-link")).to_be_focused()
    page.keyboard.press("Space")
    expect(peek).to_be_visible()
    expect(peek.get_by_role("heading", name=names[1])).to_be_visible()
    assert _box(peek)["width"] == 352
    assert _box(page.locator(".list-scroll"))["x"] + _box(page.locator(".list-scroll"))["width"] <= _box(peek)["x"]
    page.keyboard.press("j")
    expect(peek.get_by_role("heading", name=names[2])).to_be_visible()
    page.set_viewport_size({"width": 820, "height": 1180})
    assert _box(peek)["y"] > _box(page.locator(".list-scroll"))["y"]
    page.keyboard.press("Escape")
    expect(peek).to_be_hidden()
    expect(rows.nth(2).locator(".list-link")).to_be_focused()
    page.keyboard.press("/")
    expect(page.locator("#list-q")).to_be_focused()
    rows.nth(2).locator(".list-link").focus()
    page.keyboard.press("e")
    page.wait_for_url(f"**/{names[2]}/edit/**")


def test_logs_by_a_key_after_the_peek_was_closed(site: Site, page: Page, client: ClusterClient, place: str) -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "talks", "namespace": place},
        "spec": {"containers": [{"name": "main", "image": "quay.example/talks:1"}]},
    }
    client.create(client.find("", "v1", "pods"), pod)
    page.goto(f"{site.url}/resources/core/v1/pods/?namespace={place}")
    page.keyboard.press("j")
    page.keyboard.press("Space")
    expect(page.locator("#peek")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#peek")).to_be_hidden()
    expect(page.get_by_role("link", name="talks", exact=True)).to_be_focused()
    page.keyboard.press("l")
    page.wait_for_url("**/talks/logs/**")
