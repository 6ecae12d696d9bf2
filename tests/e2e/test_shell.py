"""The shell in a browser: its measures (docs/ui-figures.md), what folds, and that it stands in the same place on
every page.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Site

PAGES = (
    "/",
    "/operators/?namespace=-",
    "/resources/core/v1/pods/?namespace=-",
    "/resources/core/v1/namespaces/-/default/",
)


def _box(page: Page, selector: str) -> dict[str, float]:
    box = page.locator(selector).first.bounding_box()
    assert box is not None, selector
    return dict(box)


@pytest.mark.journey
def test_the_shell_is_small_and_stands_still(site: Site, page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    places = []
    for address in PAGES:
        page.goto(f"{site.url}{address}")
        expect(page.locator("#navigation [data-nav-group]").last).to_be_visible()
        assert _box(page, "#masthead")["height"] <= 56
        assert _box(page, "#navigation")["width"] <= 224
        row = _box(page, "#navigation [data-nav-group] > summary")
        assert row["height"] <= 32
        # All groups are in view.
        last = _box(page, "#navigation [data-nav-group]:last-of-type > summary")
        assert last["y"] + last["height"] < 900
        places.append((_box(page, "#pick-namespace")["x"], _box(page, "[data-palette-open]")["x"]))
    # Until its font has come, a text is wider by a fraction of a pixel.
    pickers = [picker for picker, _search in places]
    assert max(pickers) - min(pickers) < 1, "the picker does not move from page to page"


@pytest.mark.journey
def test_a_namespace_is_found_by_typing(site: Site, page: Page) -> None:
    namespace = "kube-public"
    page.goto(f"{site.url}/resources/core/v1/configmaps/?namespace=-")
    page.locator("#pick-namespace").click()
    expect(page.locator("#namespace-menu [type=search]")).to_be_focused()
    page.keyboard.type(namespace)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/configmaps/?namespace={namespace}")
    expect(page.locator("#pick-namespace")).to_contain_text(namespace)
    # A link does not change it.
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Overview").click()
    expect(page.locator("#pick-namespace")).to_contain_text(namespace)


def test_it_folds_to_icons_and_stays_so(site: Site, page: Page) -> None:
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(f"{site.url}/")
    page.keyboard.press("Control+b")
    assert _box(page, "#navigation")["width"] <= 56
    page.reload()
    assert _box(page, "#navigation")["width"] <= 56, "as it was left, from the first paint on"
    page.locator("#navigation [data-nav-group=storage] > summary").click()
    expect(page.get_by_role("link", name="StorageClasses")).to_be_visible()
    assert _box(page, "#navigation")["width"] > 200


@pytest.mark.parametrize(("width", "height"), [(820, 1180), (390, 844)])
def test_on_a_small_screen_nothing_lies_over_something_else(site: Site, page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.goto(f"{site.url}/")
    boxes = [
        _box(page, selector)
        for selector in ("#pick-namespace", "[data-palette-open]", ".console-tools", ".console-brand")
    ]
    for index, box in enumerate(boxes):
        for other in boxes[index + 1 :]:
            apart_x = box["x"] + box["width"] <= other["x"] or other["x"] + other["width"] <= box["x"]
            apart_y = box["y"] + box["height"] <= other["y"] or other["y"] + other["height"] <= box["y"]
            assert apart_x or apart_y
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.locator("[data-nav-toggle]").click()
    expect(page.get_by_role("navigation", name="Main").get_by_role("link", name="OperatorHub")).to_be_visible()


def test_g_and_a_letter(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/")
    page.keyboard.press("g")
    page.keyboard.press("h")
    page.wait_for_url("**/operatorhub/")
