"""The form's frame in a real browser: the bar is always in view and hides nothing, the outline follows, folds stay
folded.
"""

from collections.abc import Iterator

import pytest
from playwright.sync_api import ConsoleMessage, Page, expect

from kube.client import ClusterClient
from kube.discovery import ResourceType
from tests.e2e import gallery
from tests.e2e.conftest import Site

WIDE, TABLET, PHONE = (1440, 900), (820, 1180), (390, 844)
SCROLLED = "share => { const main = document.getElementById('main'); main.scrollTop = main.scrollHeight * share; }"
#: Whether a point in the middle of the button is the button's: nothing lies over it.
ON_TOP = """button => {
  const { x, y, width, height } = button.getBoundingClientRect();
  return button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""
#: What has the focus, where it stands, and where the bar begins.
FOCUSED = """() => {
  const focused = document.activeElement;
  const box = (focused.type === "radio" ? focused.parentElement : focused).getBoundingClientRect();
  const bar = document.querySelector("[data-bar]");
  return { name: focused.name || focused.textContent.trim().slice(0, 30), bottom: box.bottom, top: box.top,
    bar: bar.getBoundingClientRect().top, inBar: bar.contains(focused), inForm: Boolean(focused.closest("#form")) };
}"""


@pytest.fixture(scope="module")
def place(client: ClusterClient) -> Iterator[tuple[ResourceType, str]]:
    with gallery.served(client) as found:
        yield found


@pytest.fixture
def form(site: Site, page: Page, place: tuple[ResourceType, str]) -> gallery.Form:
    page.set_viewport_size({"width": WIDE[0], "height": WIDE[1]})
    return gallery.new(site, page, place[1], "spine")


@pytest.mark.parametrize("size", [WIDE, TABLET, PHONE], ids=["wide", "tablet", "phone"])
def test_create_is_always_in_view(page: Page, form: gallery.Form, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    form.advanced()
    for share in (0, 0.5, 1):
        page.evaluate(SCROLLED, share)
        for name in ("Create", "Review changes"):
            button = page.get_by_role("button", name=name, exact=True)
            expect(button).to_be_in_viewport(ratio=1)
            assert button.evaluate(ON_TOP), (name, share)
        expect(page.get_by_role("link", name="Cancel")).to_be_in_viewport(ratio=1)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_first_field_is_seen_at_once(page: Page, form: gallery.Form) -> None:
    box = form.box("/spec/title").bounding_box()
    assert box is not None
    assert box["y"] <= 330


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_the_focus_is_never_below_the_bar(page: Page, form: gallery.Form, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    form.advanced()
    form.control("/metadata/name").focus()
    seen = 0
    for _ in range(70):
        page.keyboard.press("Tab")
        found = page.evaluate(FOCUSED)
        if found["inBar"] or not found["inForm"]:
            break
        assert found["bottom"] <= found["bar"] + 1, found
        seen += 1
    assert seen > 40


def test_the_outline_follows_and_leads(page: Page, form: gallery.Form) -> None:
    outline = page.get_by_role("navigation", name="Form sections")
    expect(outline.get_by_role("link", name="Name")).to_have_attribute("aria-current", "true")
    outline.get_by_role("link", name="General").click()
    expect(form.control("/spec/title")).to_be_focused()
    expect(outline.get_by_role("link", name="General")).to_have_attribute("aria-current", "true")
    form.fill("/spec/title", "fine")
    expect(outline.get_by_role("listitem").filter(has_text="General")).to_contain_text("1")


def test_a_small_screen_has_a_menu_of_sections(page: Page, form: gallery.Form) -> None:
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    expect(page.get_by_role("navigation", name="Form sections")).to_be_hidden()
    page.get_by_label("Jump to").select_option(label="General")
    expect(form.control("/spec/title")).to_be_focused()


def test_a_field_is_added_without_opening_all_the_others(page: Page, form: gallery.Form) -> None:
    expect(form.control("/spec/port")).to_be_hidden()
    page.keyboard.press("Escape")
    page.get_by_label("Add field").fill("spec.port")
    page.get_by_label("Add field").press("Enter")
    expect(form.control("/spec/port")).to_be_focused()
    expect(form.control("/spec/story")).to_be_hidden()
    form.fill("/spec/port", "8080")
    form.fill("/spec/title", "fine")
    form.send("Review changes")
    expect(page.locator(".console-diff-frame")).to_contain_text("8080")
    page.get_by_role("button", name="Back").click()
    expect(form.control("/spec/port")).to_have_value("8080")
    expect(form.control("/spec/port")).to_be_visible()


def test_errors_are_counted_and_lead_to_their_fields(page: Page, form: gallery.Form) -> None:
    form.fill("/metadata/name", "Wrong_Name")
    form.send("Create")
    bar = page.locator("[data-bar]")
    expect(bar).to_contain_text("2 errors")
    bar.get_by_role("button", name="2 errors").click()
    summary = page.locator("#form-errors")
    expect(summary).to_be_focused()
    summary.get_by_role("link", name="Title").click()
    expect(form.control("/spec/title")).to_be_focused()
    form.fill("/spec/title", "fine")
    page.get_by_role("button", name="Use “wrong-name”").click()
    expect(form.control("/metadata/name")).to_have_value("wrong-name")
    expect(bar).not_to_contain_text("error")


def test_labels_are_folded_and_named(site: Site, page: Page, place: tuple[ResourceType, str]) -> None:
    form = gallery.new(site, page, place[1], "labels")
    page.get_by_text("Labels and annotations").click()
    form.add("/metadata/labels")
    expect(page.get_by_label("Key 1")).to_be_focused()
    expect(page.get_by_label("Entry 1 of Labels")).to_be_visible()


@pytest.mark.parametrize("view", ["form", "yaml"])
def test_no_style_is_refused(site: Site, page: Page, place: tuple[ResourceType, str], view: str) -> None:
    """The editor's own styles carry the page's nonce: the browser's console stays empty."""
    errors: list[str] = []

    def hear(message: ConsoleMessage) -> None:
        if message.type == "error":
            errors.append(message.text)

    page.on("console", hear)
    path = "new" if view == "form" else "new-yaml"
    page.goto(f"{site.url}/resources/{gallery.GROUP}/v1/galleries/{path}/?namespace={place[1]}&view={view}")
    if view == "yaml":
        page.locator(".cm-content").click()
        page.keyboard.press("Control+f")
        expect(page.locator(".cm-search")).to_be_visible()
    else:
        expect(page.locator("[data-set-count]")).to_contain_text("set")
    assert errors == []
