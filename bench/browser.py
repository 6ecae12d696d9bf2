"""A real Chromium, and what a page costs in it when nothing is cached."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from playwright.sync_api import Browser, CDPSession, Page, sync_playwright

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def find_chromium() -> str | None:
    """The browser of this machine."""
    return shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chromium-browser")


@contextmanager
def chromium() -> Iterator[Browser]:
    path = find_chromium()
    if path is None:
        raise SystemExit("bench: no Chromium on this machine (Debian: apt-get install chromium)")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """One cold load: milliseconds until `selector` was visible, kilobytes over the wire, requests, elements, the
    server's own milliseconds.
    """

    milliseconds: float
    kilobytes: float
    requests: int
    elements: int
    server_milliseconds: float


class Wire:
    """Counts what really came over the wire, as Chromium's network service reports it."""

    def __init__(self, session: CDPSession) -> None:
        self.bytes = 0
        self.requests = 0
        session.send("Network.enable")
        session.on("Network.requestWillBeSent", lambda event: self._request())
        session.on("Network.loadingFinished", lambda event: self._finished(event))

    def _request(self) -> None:
        self.requests += 1

    def _finished(self, event: dict) -> None:
        self.bytes += int(event["encodedDataLength"])


# Milliseconds since navigation began at the frame that shows the selector.
_NOTE_VISIBLE = """window.__visible = new Promise((done) => {
  const look = () => {
    const found = document.querySelector(SELECTOR);
    if (found && found.getClientRects().length) requestAnimationFrame(() => done(performance.now()));
    else requestAnimationFrame(look);
  };
  look();
})"""


def cold_load(browser: Browser, url: str, selector: str) -> Load:
    """A new profile, an empty cache, 1400x1000; until `selector` is visible, then until the network is quiet for the
    bytes.
    """
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    page: Page = context.new_page()
    wire = Wire(context.new_cdp_session(page))
    page.add_init_script(_NOTE_VISIBLE.replace("SELECTOR", json.dumps(selector)))
    page.goto(url, wait_until="commit")
    milliseconds = float(page.evaluate("window.__visible"))
    page.wait_for_timeout(700)
    timing = page.evaluate(
        "(() => { const t = performance.getEntriesByType('navigation')[0]; return t.responseStart - t.requestStart;"
        " })()"
    )
    elements = int(page.evaluate("document.getElementsByTagName('*').length"))
    context.close()
    return Load(
        milliseconds=milliseconds,
        kilobytes=wire.bytes / 1000,
        requests=wire.requests,
        elements=elements,
        server_milliseconds=float(timing),
    )
