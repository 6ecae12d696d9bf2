"""A console of its own and a browser to take pictures of it with."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from bench.browser import ARGUMENTS
from bench.console import console
from kube.client import ClusterClient
from kube.config import load
from kube.errors import NotFound

PICTURES = Path(__file__).resolve().parent.parent.parent / "docs/pictures"


@dataclass(frozen=True, slots=True)
class Scene:
    """What is pictured."""

    url: str
    client: ClusterClient


@contextmanager
def camera(catalog: Path | None = None) -> Iterator[tuple[Scene, Browser]]:
    """A console with a cluster of its own, gone afterwards, and Debian's Chromium."""
    with console(catalog=catalog) as running, sync_playwright() as playwright:
        client = ClusterClient(load(str(running.data / "sandbox/kubeconfig"), None))
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=list(ARGUMENTS))
        yield Scene(running.url, client), browser
        browser.close()


def until(ask: Callable[[], Any], seconds: float = 60) -> Any:
    """The first true answer."""
    end = time.monotonic() + seconds
    while True:
        try:
            if answer := ask():
                return answer
        except NotFound:
            pass
        if time.monotonic() > end:
            raise TimeoutError(f"nothing came of it in {seconds} s")
        time.sleep(0.2)


def shoot(page: Page, url: str, file: Path, path: str, height: int = 900, *, wait: int = 1500) -> None:
    """Take one picture of an address; `wait`: milliseconds for what the page loads after its first response.

    Ends the program when the page answers an error.
    """
    page.set_viewport_size({"width": page.viewport_size["width"] if page.viewport_size else 1400, "height": height})
    answer = page.goto(f"{url}{path}")
    if answer is None or answer.status >= 400:
        raise SystemExit(f"{path} answers {answer.status if answer else 'nothing'}")
    page.wait_for_timeout(wait)
    take(page, file)


def take(page: Page, file: Path) -> None:
    """The page as it stands."""
    file.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=file)
    print(f"{file.relative_to(PICTURES)}  {page.url}", flush=True)
