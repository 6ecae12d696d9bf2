"""live.js in a real browser: rows, regions, what a person is doing meanwhile, many tabs, and what goes wrong."""

import os
import re
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from console.processes.parts import free_port
from kube.client import ClusterClient
from kube.config import load
from kube.errors import AlreadyExists
from resources.changes import living_hubs
from tests.processes import answers, running, worker_command

VENDOR = Path(__file__).resolve().parents[2] / "static/vendor"


@dataclass
class Live:
    """The small site of tests/resources/stream/site.py and its cluster."""

    url: str
    client: ClusterClient

    def put(self, name: str, **data: str) -> None:
        maps = self.client.find("", "v1", "configmaps")
        try:
            self.client.create(maps, {"metadata": {"name": name}, "data": data}, "default")
        except AlreadyExists:
            self.client.patch(maps, name, {"data": data}, "default")

    def remove(self, name: str) -> None:
        self.client.delete(self.client.find("", "v1", "configmaps"), name, "default")


def _worker(folder: Path) -> Any:
    return running(worker_command("live"), folder / "worker.log", lambda: bool(living_hubs()))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("live")


@pytest.fixture(scope="module")
def live(redis_server: str, cluster_kubeconfig: Path, folder: Path) -> Iterator[Live]:
    if not (VENDOR / "js/live.js").exists():
        pytest.skip("needs the bundled front end: python tools/setup.py")
    port = free_port()
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "uvicorn",
        "tests.resources.stream.site:application",
        "--port",
        str(port),
    ]
    url = f"http://127.0.0.1:{port}/"
    site = Live(url, ClusterClient(load(str(cluster_kubeconfig))))
    with running([*command, "--timeout-graceful-shutdown", "1"], folder / "site.log", lambda: answers(url)):
        yield site


@pytest.fixture(scope="module")
def worker(live: Live, folder: Path) -> Iterator[Popen[bytes]]:
    with _worker(folder) as process:
        yield process


@pytest.fixture
def opened(live: Live, worker: object, page: Page) -> Page:
    live.put("watched", value="one")
    live.put("other", value="x")
    page.goto(live.url)
    expect(page.locator("#value")).to_have_text("one")
    return page


def test_rows_change_come_and_go(live: Live, opened: Page) -> None:
    rows = opened.locator("#rows tr")
    expect(rows.filter(has_text="other")).to_contain_text("1")
    live.put("other", value="x", more="y")
    expect(rows.filter(has_text="other")).to_contain_text("2")
    live.put("third", value="z")
    expect(rows.filter(has_text="third")).to_have_count(1)
    live.remove("third")
    expect(rows.filter(has_text="third")).to_have_count(0)
    live.remove("other")
    expect(rows.filter(has_text="other")).to_have_count(0)


def test_a_region_changes_under_a_person_at_work(live: Live, opened: Page) -> None:
    typed = opened.locator("input[name=typed]")
    typed.fill("mine")
    opened.locator("summary").click()
    typed.focus()
    live.put("watched", value="two")
    expect(opened.locator("#value")).to_have_text("two")
    expect(typed).to_have_value("mine")
    expect(typed).to_be_focused()
    assert opened.locator("details").get_attribute("open") is not None


def test_what_happens_between_page_and_stream_is_seen(live: Live, worker: object, page: Page) -> None:
    """A change comes when the page is made and its stream not yet open: only the page's position brings it."""
    live.put("watched", value="before")
    page.add_init_script("delete window.SharedWorker")
    changed: list[str] = []

    def hold(route: Route) -> None:
        if not changed:
            live.put("watched", value="meanwhile")
            changed.append(route.request.post_data or route.request.url)
        route.continue_()

    page.route(re.compile(r"/stream(\?|$)"), hold)
    page.goto(live.url)
    expect(page.locator("#value")).to_have_text("meanwhile")
    assert "since" in changed[0]


def test_twelve_tabs_are_one_connection(live: Live, opened: Page, context: BrowserContext) -> None:
    tabs = [context.new_page() for _ in range(11)]
    for tab in tabs:
        tab.goto(live.url, timeout=10_000)
    live.put("watched", value="for all")
    for tab in (opened, *tabs):
        expect(tab.locator("#value")).to_have_text("for all")
    for tab in tabs:
        tab.close()


def test_without_a_shared_worker(live: Live, worker: object, page: Page) -> None:
    page.add_init_script("delete window.SharedWorker")
    live.put("watched", value="one")
    page.goto(live.url)
    expect(page.locator("#value")).to_have_text("one")
    live.put("watched", value="alone")
    expect(page.locator("#value")).to_have_text("alone")


def test_ages_tick(live: Live, opened: Page) -> None:
    opened.evaluate("document.querySelector('time').dateTime = new Date(Date.now() - 65000).toISOString()")
    expect(opened.locator("time").first).to_have_text("67s")


def test_a_dead_worker_is_said_and_the_banner_goes_by_itself(
    live: Live, opened: Page, worker: Popen[bytes], folder: Path
) -> None:
    banner = opened.locator("#health-banner")
    expect(banner).to_be_hidden()
    os.killpg(worker.pid, signal.SIGKILL)
    expect(banner).to_contain_text("no worker watches the cluster")
    live.put("watched", value="while nobody watched")
    with _worker(folder):
        expect(banner).to_be_hidden()
        expect(opened.locator("#value")).to_have_text("while nobody watched")
