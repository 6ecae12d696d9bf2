"""The numbered steps of a page, walked in Chromium by nothing but the names that stand there in bold."""

import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Error, Locator, Page

from tests.tutorials.page_sections import Act

#: Until a name appears. As long as the pages let kubectl wait: between two steps an operator may be installed, and OLM
#: takes minutes for a large one on a busy machine.
LONG = 180_000
ROLES = ("button", "link", "tab", "radio", "checkbox", "menuitem", "option")


def walk(page: Page, url: str, act: Act, folder: Path) -> None:
    """One act. Fails when nothing visible has that name. `folder`: where the page's files are."""
    if act.does == "open":
        page.goto(f"{url}{act.label}")
    elif act.does == "see":
        _see(page, act.label)
    elif act.does == "fill":
        _fill(page, act, folder)
    else:
        _shown(page, _clickable(page, act.label), act).click(timeout=LONG)


def _see(page: Page, words: str) -> None:
    """The words, `…` standing for anything, are to be read somewhere.

    Asked in short: what a page says is too much for a message.
    """
    pattern = re.compile(r"\s+".join(".*".join(re.escape(part) for part in word.split("…")) for word in words.split()))
    until = time.monotonic() + LONG / 1000
    shown = ""
    while time.monotonic() < until:
        with suppress(Error):  # it is on its way to another page
            shown = page.locator("body").inner_text(timeout=1_000)
        if pattern.search(shown):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"{urlsplit(page.url).path} does not show “{words}”, but:\n{shown[-3000:]}")


def _clickable(page: Page, label: str) -> list[Locator]:
    """What may be meant, in the page first and then in the bars around it."""
    found = []
    for place in (page.get_by_role("dialog"), page.locator("main"), page.locator("body")):
        found += [place.get_by_role(role, name=label, exact=True) for role in ROLES]  # type: ignore[arg-type]
        found.append(place.locator("summary").filter(has_text=re.compile(rf"^\s*{re.escape(label)}\s*$")))
        found.append(place.get_by_label(label, exact=True))
        found.append(place.locator("label").filter(has_text=re.compile(rf"^\s*{re.escape(label)}\s*$")))
    return found


def _fill(page: Page, act: Act, folder: Path) -> None:
    # Behind the name may stand a colon, and the mark of what must be there.
    name = re.compile(rf"^\s*{re.escape(act.label)}\s*:?\s*\*?\s*$")
    main = page.locator("main")
    group = main.get_by_role("radiogroup", name=act.label)
    there = [main.get_by_label(name), page.get_by_label(name), group]
    found = _shown(page, there, act)
    role = found.evaluate("element => element.getAttribute('role') || element.tagName")
    if role == "radiogroup":
        found.get_by_label(act.value, exact=True).check()
    elif role == "SELECT":
        found.select_option(act.value)
    elif found.get_attribute("type") == "file":
        found.set_input_files(folder / act.value)
    else:
        found.fill(act.value)
        if found.get_attribute("type") == "search":
            found.press("Enter")


def _shown(page: Page, candidates: list[Locator], act: Act) -> Locator:
    """The first that is visible, as soon as one is."""
    until = time.monotonic() + LONG / 1000
    while time.monotonic() < until:
        for item in _visible(candidates):
            return item
        page.wait_for_timeout(50)
    raise AssertionError(f"{urlsplit(page.url).path} shows nothing named “{act.label}” to {act.does}")


def _visible(candidates: list[Locator]) -> Iterator[Locator]:
    for locator in candidates:
        try:
            for item in locator.all():
                if item.is_visible() and item.is_enabled():
                    yield item
        except Error:  # the page changed meanwhile: retry
            continue
