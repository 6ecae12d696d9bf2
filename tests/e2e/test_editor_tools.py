"""The buttons and keys of the YAML editor, in a real browser."""

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.sync_api import Locator, Page, expect

from kube.client import ClusterClient
from kube.config import load
from kube.errors import NotFound
from tests.e2e.conftest import Site

pytestmark = pytest.mark.page_only

TEXT = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  namespace: default\ndata:\n  a: b\n"


@pytest.fixture
def name(site: Site) -> Iterator[str]:
    """Of a ConfigMap in `default`; what was made under it is deleted."""
    made = f"tools-{uuid4().hex[:6]}"
    yield made
    client = ClusterClient(load(str(site.kubeconfig), None))
    with contextlib.suppress(NotFound):
        client.delete(client.find("", "v1", "configmaps"), made, "default")


@pytest.fixture
def editor(site: Site, page: Page) -> Locator:
    page.goto(f"{site.url}/resources/core/v1/configmaps/new-yaml/?namespace=default")
    found = page.locator(".cm-content")
    expect(found).to_be_visible()
    return found


@pytest.mark.journey
def test_a_file_is_taken_and_given_back(page: Page, editor: Locator, name: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(TEXT.format(name=name))
    page.locator("[data-editor-file]").set_input_files(file)
    expect(editor).to_contain_text(name)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download", exact=True).click()
    assert download.value.suggested_filename == f"{name}.yaml"
    assert Path(download.value.path()).read_text() == file.read_text()


def test_a_file_that_is_too_large_is_refused_in_words(page: Page, editor: Locator, tmp_path: Path) -> None:
    before = editor.inner_text()
    file = tmp_path / "large.yaml"
    file.write_text("a: b\n" * 1_000_000)
    page.locator("[data-editor-file]").set_input_files(file)
    expect(page.locator("[data-editor-state]")).to_contain_text("too large")
    assert editor.inner_text() == before


def test_a_dropped_file_is_taken_as_an_uploaded_one(page: Page, editor: Locator) -> None:
    editor.evaluate("""(place) => {
      const data = new DataTransfer();
      data.items.add(new File(["dropped: 1\\n"], "x.yaml"));
      place.dispatchEvent(new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }));
    }""")
    expect(editor).to_contain_text("dropped: 1")
    assert page.locator("textarea[data-editor]").input_value() == "dropped: 1\n"


def test_the_text_goes_to_the_clipboard(page: Page, editor: Locator) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy", exact=True).click()
    expect(page.locator("[data-editor-do=copy][data-copied]")).to_be_visible()
    assert "kind: ConfigMap" in page.evaluate("navigator.clipboard.readText()")


def test_f12_the_whole_screen_and_back(page: Page, editor: Locator) -> None:
    """F12: nothing of the page lies over an editor in full screen."""
    frame = page.locator("[data-editor-frame]")
    before = frame.bounding_box()
    button = page.get_by_role("button", name="Full screen")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    assert page.evaluate(
        """() => [[2, 2], [innerWidth - 3, 2], [2, innerHeight - 3], [innerWidth / 2, 60], [60, innerHeight / 2]]
            .every(([x, y]) => document.elementFromPoint(x, y).closest("[data-editor-frame]"))"""
    )
    expect(editor).to_be_focused()
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    assert frame.bounding_box() == before


def test_a_click_below_a_short_text_is_one_into_it(page: Page, editor: Locator) -> None:
    frame = page.locator(".cm-editor").bounding_box()
    assert frame
    page.mouse.click(frame["x"] + frame["width"] / 2, frame["y"] + frame["height"] - 10)
    expect(editor).to_be_focused()


@pytest.mark.journey
def test_settings_hold_in_every_tab_and_stay(page: Page, editor: Locator) -> None:
    other = page.context.new_page()
    other.goto(page.url)
    expect(other.locator(".cm-content")).to_be_visible()
    menu = page.locator("summary").filter(has_text="Settings")
    menu.press("Enter")
    page.get_by_label("Font size").select_option("20")
    page.get_by_label("Wrap lines").press("Space")
    page.get_by_label("Hints while typing").press("Space")
    page.keyboard.press("Escape")
    expect(menu).to_be_focused()
    page.reload()
    for shown in (page, other):
        expect(shown.locator(".cm-editor")).to_have_css("font-size", "20px")
        expect(shown.locator(".cm-content")).to_have_class(re.compile("cm-lineWrapping"))
        text = shown.locator(".cm-content")
        text.click()
        shown.keyboard.press("Control+a")
        shown.keyboard.type("apiVersion: v1\nkind: ConfigMap\nimm")
        shown.wait_for_timeout(500)  # longer than hints take
        expect(shown.locator(".cm-tooltip-autocomplete")).to_have_count(0)
        shown.keyboard.press("Control+Space")
        expect(shown.locator(".cm-tooltip-autocomplete")).to_contain_text("immutable")


def test_saved_by_the_keyboard(page: Page, editor: Locator, name: str) -> None:
    editor.click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(TEXT.format(name=name))
    page.keyboard.press("Control+s")
    expect(page.get_by_role("heading", name=name).first).to_be_visible()
