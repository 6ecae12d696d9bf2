"""Pages judged by axe-core, loaded once per page and asked in each theme without loading the page again.

The rules are those of WCAG 2.0, 2.1 and 2.2, levels A and AA
(https://www.deque.com/axe/core-documentation/api-documentation/#axecore-tags).
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

from playwright.sync_api import Page

from tests.conftest import ROOT

_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
_AXE = ROOT / "node_modules/axe-core/axe.min.js"
# `target-size` is of WCAG 2.2 and off by default. Only violations are returned, in few words.
_RUN = """async ([tags, only]) => {
  const wanted = only ? {runOnly: only} : {runOnly: tags, rules: {"target-size": {enabled: true}}};
  const found = await axe.run(document, {...wanted, resultTypes: ["violations"], elementRef: false, ancestry: false});
  const why = (checks) => checks.map((check) => check.message).join(" ").slice(0, 200);
  return found.violations.map(({id, help, nodes}) => ({id, help, nodes: nodes.map(({html, target, any}) =>
    ({html: html.slice(0, 200), target: target.join(" "), why: why(any)}))}));
}"""
# Colours change at once: no transition is measured halfway.
_THEME = """async (dark) => {
  document.documentElement.classList.toggle("pf-v6-theme-dark", dark);
  if (!document.getElementById("still")) {
    const still = new CSSStyleSheet();
    still.replaceSync("*, *::before, *::after {transition: none !important; animation: none !important}");
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
  }
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
# Elements that reach past the right edge, except those with their own scroll bar.
_OVERHANG = """() => [...document.querySelectorAll('main *')].filter((one) =>
    one.getBoundingClientRect().right > innerWidth + 1 && getComputedStyle(one).position !== 'absolute'
    && !one.closest('.console-table-wrap, pre, .cm-editor, .xterm, .pf-v6-c-tabs, .list-bulk, .list-strip, .list-foot')
    && one.checkVisibility({contentVisibilityAuto: true})).slice(0, 3).map((one) => one.outerHTML.slice(0, 120))"""


@dataclass(frozen=True, slots=True)
class Found:
    """One rule that one page breaks."""

    rule: str
    where: str
    count: int

    def __str__(self) -> str:
        return f"{self.rule} ×{self.count}: {self.where}"


def overhangs(page: Page) -> list[Found]:
    """What hangs out of the window."""
    return [Found("hangs out", item, 1) for item in page.evaluate(_OVERHANG)]


def violations(page: Page, *, only: list[str] | None = None) -> list[Found]:
    """What breaks a rule on the page as it stands; `only`: these rules and no others."""
    if not page.evaluate("() => Boolean(window.axe)"):
        page.evaluate(source())
    return [_found(item) for item in page.evaluate(_RUN, [_TAGS, only])]


def both_themes(page: Page) -> list[Found]:
    """Every rule in the light, and what colours decide in the dark."""
    page.evaluate(_THEME, False)
    light = violations(page)
    page.evaluate(_THEME, True)
    return [
        *light,
        *(
            Found(f"dark {violation.rule}", violation.where, violation.count)
            for violation in violations(page, only=["color-contrast", "link-in-text-block"])
        ),
    ]


@cache
def source() -> str:
    """axe-core itself: evaluated as a script of the browser's own, which the page's policy does not touch."""
    return _AXE.read_text()


def _found(item: dict[str, Any]) -> Found:
    first = item["nodes"][0]
    return Found(
        f"{item['id']} ({item['help']})", f"{first['target']} {first['html']} {first['why']}", len(item["nodes"])
    )
