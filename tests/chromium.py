"""One Chromium for a whole run of tests, and a new one when it hangs.

Chromium may fail to close a context (seen once in CI: fifteen minutes, until the test's time-out). The process is
killed then, which loses nothing: the test has ended, and the next one gets a process of its own.
"""

import os
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Playwright, expect, sync_playwright

from bench.browser import ARGUMENTS, find_chromium

#: Makes a context; see `contexts`.
Contexts = Callable[..., BrowserContext]
#: Seconds for a context to close; it takes a tenth of a second.
CLOSING = 60


class Chromium:
    """The browser of a run: `browser()` is always one that answers."""

    def __init__(self, playwright: Playwright, path: str) -> None:
        self._playwright = playwright
        self._path = path
        self._found: Browser | None = None

    def launch(self, *arguments: str, home: Path) -> Browser:
        """Another one, with these arguments and with a home folder of its own: it trusts the authorities there."""
        environment = {**os.environ, "HOME": str(home)}
        return self._playwright.chromium.launch(
            executable_path=self._path, args=[*ARGUMENTS, *arguments], env=environment
        )

    def browser(self) -> Browser:
        if self._found is None or not self._found.is_connected():
            self._found = self._playwright.chromium.launch(executable_path=self._path, args=ARGUMENTS)
        return self._found

    def close(self) -> None:
        if self._found is not None and self._found.is_connected():
            self._found.close()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium]:
    """Without Chromium the tests are skipped, saying so; with REQUIRE_BROWSER set (CI) they fail instead."""
    found = find_chromium()
    if found is None:
        message = "needs Chromium (Debian: apt-get install chromium)"
        if os.environ.get("REQUIRE_BROWSER"):
            pytest.fail(message)
        pytest.skip(message)
    with sync_playwright() as playwright:
        running = Chromium(playwright, found)
        yield running
        running.close()


@pytest.fixture
def browser(chromium: Chromium) -> Browser:
    return chromium.browser()


@pytest.fixture
def contexts(browser: Browser) -> Iterator[Contexts]:
    """Makes contexts that are closed after the test."""
    made: list[BrowserContext] = []

    def make(*, waits: int = 15_000, **options: Any) -> BrowserContext:
        """Of 1400 x 1000 pixels in American English unless `options` say otherwise.

        `waits`: milliseconds for what a test does with its pages.
        """
        made.append(browser.new_context(**{"viewport": {"width": 1400, "height": 1000}, "locale": "en-US", **options}))
        made[-1].set_default_timeout(waits)
        expect.set_options(timeout=15_000)
        return made[-1]

    yield make
    for context in made:
        close(context)


def close(context: BrowserContext, seconds: float = CLOSING) -> None:
    """Kills Chromium where closing takes longer than `seconds`."""
    killed = threading.Event()
    watch = threading.Timer(seconds, _kill, [killed])
    watch.start()
    try:
        context.close()
    except Error:
        if not killed.is_set():
            raise
    finally:
        watch.cancel()
    if killed.is_set():
        warnings.warn(f"Chromium could not close a context in {seconds:.0f} s and was killed", stacklevel=1)


def _kill(killed: threading.Event) -> None:
    killed.set()
    for process in psutil.Process().children(recursive=True):
        words = command_of(process)
        if words and "chrom" in words[0] and not any("--type=" in word for word in words):
            process.kill()


def command_of(process: psutil.Process) -> list[str]:
    """The words of its command line; [] of one that has just ended, as any child of a browser or a console may."""
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []
