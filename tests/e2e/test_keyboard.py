"""By keyboard and without a mouse's help: skip link, focus that is seen, rows by arrow keys; less motion, more
contrast, forced colours.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.chromium import Contexts
from tests.e2e.conftest import Site

pytestmark = pytest.mark.page_only

KINDS: tuple[tuple[str, str], ...] = ()
LIST = "/resources/core/v1/namespaces/"
# Where Tab stands: its words, whether its frame or outline is seen, and whether it is in the window.
STAND = """() => {
  const at = document.activeElement;
  const style = getComputedStyle(at);
  const box = at.getBoundingClientRect();
  const words = at.innerText?.trim() || at.ariaLabel || at.name || at.id;
  const outlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1;
  return [words, outlined, box.width > 0 && box.right > 0 && box.left < innerWidth];
}"""


@pytest.mark.journey
def test_the_first_tab_skips_the_navigation(site: Site, page: Page) -> None:
    page.goto(f"{site.url}{LIST}")
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("() => Boolean(document.activeElement.closest('#main'))")


@pytest.mark.journey
def test_tab_goes_in_reading_order_and_is_always_seen(site: Site, page: Page) -> None:
    page.goto(f"{site.url}{LIST}")
    places, tops = [], []
    for _ in range(60):
        page.keyboard.press("Tab")
        name, outlined, inside = page.evaluate(STAND)
        assert outlined and inside, f"the focus is not seen on {name}"
        place, top = page.evaluate(
            "() => { const at = document.activeElement; const box = at.getBoundingClientRect();"
            " return [['#masthead', '#navigation', '#main'].findIndex((one) => at.closest(one)), box.top]; }"
        )
        places.append(place)
        tops.append(top)
        if place == 2 and places.count(2) > 12:
            break
    # First the head, then the navigation, then the page.
    known = [place for place in places if place >= 0]
    assert known == sorted(known)
    assert set(known) == {0, 1, 2}


def test_rows_by_arrow_keys(site: Site, page: Page) -> None:
    page.goto(f"{site.url}{LIST}")
    page.wait_for_load_state()
    names = page.locator("#rows .resource-name a")
    assert names.count() > 2
    names.first.focus()
    page.keyboard.press("ArrowDown")
    expect(names.nth(1)).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(names.first).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(names.first).to_be_focused()
    page.keyboard.press("End")
    expect(names.last).to_be_focused()
    page.keyboard.press("Home")
    ticks = page.locator("#rows input[type=checkbox]")
    ticks.first.focus()
    page.keyboard.press("ArrowDown")
    expect(ticks.nth(1)).to_be_focused()
    page.keyboard.press("Space")
    expect(ticks.nth(1)).to_be_checked()
    # In a field the arrow keys are the field's.
    field = page.get_by_label("Filter by name")
    field.fill("default")
    page.keyboard.press("Home")
    expect(field).to_be_focused()


def test_the_list_of_keys_names_them(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/settings/")
    page.wait_for_load_state()
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keyboard shortcuts")
    for description in ("the row above or below", "Expand or collapse a tree row", "Ctrl K"):
        expect(keys).to_contain_text(description)
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()


def test_less_motion(site: Site, contexts: Contexts) -> None:
    page = contexts(reduced_motion="reduce").new_page()
    page.goto(f"{site.url}/")
    longest = page.evaluate(
        """() => Math.max(...[...document.querySelectorAll('*')].flatMap((one) => { const style = getComputedStyle(one);
          return [...style.transitionDuration.split(','), ...style.animationDuration.split(',')].map(parseFloat); }))"""
    )
    assert longest < 0.01


def test_more_contrast(site: Site, contexts: Contexts) -> None:
    look = """() => { const css = (one) => getComputedStyle(document.querySelector(one));
      return [css("main .console-muted").color, css(":root").getPropertyValue("--pf-t--global--border--color--default"),
        css("main .overview-steps a").textDecorationLine]; }"""
    seen = []
    for contrast in ("no-preference", "more"):
        context = contexts(contrast=contrast)
        page = context.new_page()
        page.goto(f"{site.url}/")
        seen.append(page.evaluate(look))
    usual, strong = seen
    assert usual[0] != strong[0] and usual[1] != strong[1]
    assert strong[2] == "underline"


def test_the_navigation_of_a_phone_is_seen_when_it_has_the_focus(site: Site, contexts: Contexts) -> None:
    page = contexts(viewport={"width": 390, "height": 800}, reduced_motion="reduce").new_page()
    page.goto(f"{site.url}/")
    link = page.get_by_role("navigation", name="Main").get_by_role("link").first
    assert link.evaluate("(one) => one.getBoundingClientRect().right") <= 0
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("() => Boolean(document.activeElement.closest('#navigation'))"):
            break
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()


def test_forced_colours_show_where_one_is(site: Site, contexts: Contexts) -> None:
    context = contexts(forced_colors="active")
    page = context.new_page()
    page.goto(f"{site.url}/namespaces/")
    current = page.locator("#navigation [aria-current=page]").first
    assert current.evaluate("(one) => getComputedStyle(one).outlineStyle") == "solid"
    page.keyboard.press("Tab")
    assert page.evaluate("() => getComputedStyle(document.activeElement).outlineWidth") == "3px"
