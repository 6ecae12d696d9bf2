"""Real Chromium tabs on real lists, through their document: what they show, and whether a row ever went back to an
older number.
"""

import json
from contextlib import asynccontextmanager
from dataclasses import dataclass

from playwright.async_api import Page, async_playwright

from bench.browser import ARGUMENTS, find_chromium
from tests.faults.assembly import LABEL, Place

#: Checks each change of the document before it is painted.
_WATCH = """(() => {
  const seen = new Map(), times = new Map(), gone = new Map(), backward = [], returned = [];
  window.__faults = { seen, times, gone, backward, returned };
  const look = () => {
    const here = new Set();
    for (const row of document.querySelectorAll("#rows tr[id^=row-]")) {
      const cell = row.querySelector('td[data-label=LABEL]');
      if (!cell) continue;
      const uid = row.id.slice(4), number = Number(cell.textContent.trim()) || 0;
      here.add(uid);
      if (gone.delete(uid)) returned.push([uid, number]);
      if (seen.get(uid) === number) continue;
      if (number < seen.get(uid)) backward.push([uid, seen.get(uid), number]);
      seen.set(uid, number);
      times.set(uid, Date.now());
    }
    for (const uid of seen.keys()) if (!here.has(uid) && !gone.has(uid)) gone.set(uid, Date.now());
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true });
})();""".replace("LABEL", json.dumps(LABEL))
_STATE = """() => {
  const { seen, times, gone, backward, returned } = window.__faults;
  const shown = [...document.querySelectorAll("#rows tr[id^=row-]")].map((row) => {
    const uid = row.id.slice(4);
    return [uid, Number(row.querySelector('td[data-label=LABEL]')?.textContent.trim()) || 0, times.get(uid) ?? 0];
  });
  return { shown, gone: [...gone], backward, returned };
}""".replace("LABEL", json.dumps(LABEL))


@dataclass(frozen=True, slots=True)
class Seen:
    """`shown`: uid → (number, since when as time.time()); `backward`: (uid, number, older number that took its
    place); `returned`: rows that came back.
    """

    shown: dict[str, tuple[int, float]]
    gone: dict[str, float]
    backward: list[tuple[str, int, int]]
    returned: list[tuple[str, int]]


class Tab:
    def __init__(self, name: str, page: Page, place: Place) -> None:
        self.name = name
        self.place = place
        self._page = page

    async def open(self, url: str) -> None:
        await self._page.add_init_script(_WATCH)
        await self._page.goto(f"{url}{self.place.page}", timeout=60_000)
        await self._page.wait_for_selector("#rows tr[id^=row-]", state="attached", timeout=60_000)

    async def seen(self) -> Seen:
        state = await self._page.evaluate(_STATE)
        return Seen(
            {uid: (number, at / 1000) for uid, number, at in state["shown"]},
            {uid: at / 1000 for uid, at in state["gone"]},
            [tuple(item) for item in state["backward"]],
            [tuple(item) for item in state["returned"]],
        )


@asynccontextmanager
async def tabs(url: str, places: list[Place]):
    """One browser with a tab for each place."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=find_chromium(), args=ARGUMENTS)
        try:
            context = await browser.new_context(viewport={"width": 1400, "height": 1000}, locale="en-US")
            found = []
            for number, place in enumerate(places):
                tab = Tab(f"tab-{number + 1}", await context.new_page(), place)
                await tab.open(url)
                found.append(tab)
            yield found
        finally:
            await browser.close()
