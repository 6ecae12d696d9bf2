"""A list in a browser: states that change while one looks, filters, columns and pages of it."""

import contextlib
import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from kube.errors import NotFound
from tests.chromium import Contexts
from tests.e2e.conftest import Site
from tests.resources.views import definitions

READY = {"phase": "Ready"}
FAILED = {"phase": "Failed", "conditions": [{"type": "Ready", "status": "False", "message": "the disk is full"}]}
SLOW = 60_000


@pytest.fixture(scope="module")
def crd(client: ClusterClient) -> Iterator[dict[str, Any]]:
    """Widgets in a group of this module's own, with any status."""
    made = definitions.definition()
    for version in made["spec"]["versions"]:
        status = version["schema"]["openAPIV3Schema"]["properties"]["status"]
        status["x-kubernetes-preserve-unknown-fields"] = True
    yield definitions.create(client, made)
    definitions.remove(client, made)


@pytest.fixture
def namespace(client: ClusterClient) -> Iterator[str]:
    type_, name = client.find("", "v1", "namespaces"), f"lists-{uuid4().hex[:6]}"
    client.create(type_, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    yield name
    with contextlib.suppress(NotFound):
        client.delete(type_, name)


@pytest.fixture
def address(site: Site, client: ClusterClient, crd: dict[str, Any], namespace: str) -> str:
    """Of a list of 60 ready widgets, item-00 … item-59."""
    for number in range(60):
        labels = {"example.com/tier": "db" if number % 2 else "web"}
        client.create(_type(client, crd), definitions.widget(crd, f"item-{number:02}", labels=labels), namespace)
        _say(client, crd, namespace, f"item-{number:02}", READY)
    return f"{site.url}/resources/{_type(client, crd).topic_part}/?namespace={namespace}"


def _type(client: ClusterClient, crd: dict[str, Any]) -> Any:
    return client.find(crd["spec"]["group"], "v1", "widgets")


def _say(client: ClusterClient, crd: dict[str, Any], namespace: str, name: str, status: dict[str, Any]) -> None:
    """What its operator would: the whole status."""
    type_ = _type(client, crd)
    whole = client.get(type_, name, namespace) | {"status": status}
    client.replace(type_, whole, namespace, subresource="status")


def _states(page: Page) -> Any:
    return page.locator("#list-states")


@pytest.mark.journey
def test_a_state_changes_while_one_looks(
    page: Page, client: ClusterClient, crd: dict[str, Any], namespace: str, address: str
) -> None:
    page.goto(address)
    row = page.locator("#rows tr", has_text="item-03")
    expect(row).to_contain_text("Ready")
    # More than a page: counted after the rows are there.
    expect(_states(page)).to_contain_text("60", timeout=SLOW)
    _say(client, crd, namespace, "item-03", FAILED)
    expect(row).to_contain_text("Degraded", timeout=SLOW)
    expect(row).to_contain_text("the disk is full")
    expect(_states(page)).to_contain_text(re.compile(r"1\s+Degraded"), timeout=SLOW)
    _states(page).get_by_role("link", name="Degraded").click()
    expect(page.locator("#rows .resource-name")).to_have_text([re.compile("item-03")])
    expect(page).to_have_url(re.compile("state=Degraded"))
    # Another fails, on what was another page, and this one recovers: the filtered list follows.
    _say(client, crd, namespace, "item-55", FAILED)
    expect(page.locator("#rows .resource-name")).to_have_text(
        [re.compile("item-03"), re.compile("item-55")], timeout=SLOW
    )
    _say(client, crd, namespace, "item-03", READY)
    expect(page.locator("#rows .resource-name")).to_have_text([re.compile("item-55")], timeout=SLOW)


def test_names_are_found_on_every_page_as_one_types(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("searchbox", name="Filter by name").press_sequentially("m-5", delay=30)
    expect(page.locator("#rows .resource-name")).to_have_count(10, timeout=SLOW)
    expect(page).to_have_url(re.compile("q=m-5"))
    page.get_by_role("link", name="Clear all filters").click()
    expect(page.locator("#rows .resource-name")).to_have_count(50)
    page.get_by_role("link", name="Next").click()
    expect(page.locator("#rows .resource-name")).to_have_count(10)


def test_a_column_is_as_wide_as_it_was_drawn(page: Page, address: str) -> None:
    page.goto(address)
    name, wide = page.locator("th[data-column=name]"), "head => head.getBoundingClientRect().width"
    before, box = name.evaluate(wide), name.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] - 3, box["y"] + 15)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] + 57, box["y"] + 15, steps=4)
    page.mouse.up()
    assert name.evaluate(wide) == pytest.approx(before + 60, abs=2)
    assert "sort=" not in page.url
    # Kept over a reload and over an answer that renews the list.
    page.reload()
    assert name.evaluate(wide) == pytest.approx(before + 60, abs=2)
    name.locator(".resource-sort").first.click()
    page.wait_for_url("**sort=**")
    assert name.evaluate(wide) == pytest.approx(before + 60, abs=2)
    name.locator(".resource-sort").first.press("Shift+ArrowLeft")
    assert name.evaluate(wide) == pytest.approx(before + 44, abs=2)
    page.locator("#list-columns summary").click()
    page.locator("#list-columns").get_by_role("button", name="Reset to default").click()
    expect(page.locator("#rows tr").first).to_be_visible()
    assert name.evaluate(wide) == pytest.approx(before, abs=2)


def test_columns_are_remembered_and_live(
    page: Page, client: ClusterClient, crd: dict[str, Any], namespace: str, address: str
) -> None:
    page.goto(address)
    page.locator("#list-columns summary").click()
    page.get_by_label("Labels as columns").fill("example.com/tier")
    page.locator("#list-columns").get_by_label("Size").uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("columnheader", name="tier")).to_be_visible()
    expect(page.get_by_role("columnheader", name="Size")).to_have_count(0)
    row = page.locator("#rows tr", has_text="item-05")
    expect(row.locator("[data-label=tier]")).to_have_text("db")
    client.patch(_type(client, crd), "item-05", {"metadata": {"labels": {"example.com/tier": "cache"}}}, namespace)
    expect(row.locator("[data-label=tier]")).to_have_text("cache", timeout=SLOW)
    expect(row.locator("[data-label=Size]")).to_have_count(0)
    page.goto(address)
    expect(page.get_by_role("columnheader", name="tier")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 800})
    page.locator("#list-columns summary").click()
    box = page.locator("#list-columns .console-menu-panel").bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 390
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_without_script_everything_can_be_read(site: Site, contexts: Contexts, address: str) -> None:
    context = contexts(java_script_enabled=False)
    page = context.new_page()
    page.goto(address)
    page.get_by_role("link", name="Count by state").click()
    expect(_states(page)).to_contain_text("60")
    _states(page).get_by_role("link", name="Ready").click()
    expect(page.locator("#rows .resource-name")).to_have_count(50)
    page.locator("#list-q").fill("item-1")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("#rows .resource-name")).to_have_count(10)
