"""docs/tutorials: what each page says to type is typed, what it says to click is clicked, in English or in Korean.

Both ways go through the whole page and clean up after themselves, so the second one finds what the first one found. The
browser walks the short pages, every other one in Korean: the names of the other language are held by test_languages.py.
With TUTORIALS=all (make test-operators) each page is walked in both, with its slow parts.
"""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page

from kube.client import ClusterClient
from tests.chromium import Contexts
from tests.conftest import CATALOG
from tests.e2e.conftest import Site
from tests.tutorials.browser_walk import LONG, walk
from tests.tutorials.page_sections import FOLDER, pages, sections
from tests.tutorials.shell import Shell

pytestmark = pytest.mark.timeout(900)
EVERYTHING = os.environ.get("TUTORIALS") == "all"
LOCALES = {"en": "en-US", "ko": "ko-KR"}
#: What tests/e2e walks too, and what takes a minute.
LONG_WALKS = frozenset({"2-argocd", "3-sampledb", "6-galera"})
SHORT = [name for name in pages() if name not in LONG_WALKS]
WALKS = (
    [(name, language) for name in pages() for language in LOCALES]
    if EVERYTHING
    else [(name, ("en", "ko")[number % 2]) for number, name in enumerate(SHORT)]
)


def text(name: str, shell: Shell) -> str:
    if name.startswith("2-argocd") and not shell.embedded and not CATALOG.is_dir():
        pytest.skip("on a real cluster it needs the catalog of real packages beside the checkout")
    return (FOLDER / f"{name}.md").read_text(encoding="utf-8")


@pytest.fixture
def shell(site: Site, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Shell]:
    found = Shell(tmp_path, site.kubeconfig, not request.config.getoption("--kubeconfig"), EVERYTHING)
    yield found
    found.close()


@pytest.mark.parametrize("name", pages())
def test_typed(shell: Shell, name: str) -> None:
    for section in sections(text(name, shell)):
        if shell.wants(section.marks):
            shell.section(section)
    assert shell.ran


@pytest.fixture(params=WALKS, ids="-".join)
def walked(request: pytest.FixtureRequest) -> tuple[str, str]:
    found: tuple[str, str] = request.param
    return found


@pytest.fixture
def context(contexts: Contexts, walked: tuple[str, str]) -> BrowserContext:
    """A browser with that language."""
    return contexts(waits=LONG, locale=LOCALES[walked[1]])


def namespaces(client: ClusterClient) -> set[str]:
    return {obj["metadata"]["name"] for obj in client.list(client.find("", "v1", "namespaces")).items}


def test_clicked(site: Site, shell: Shell, page: Page, client: ClusterClient, walked: tuple[str, str]) -> None:
    name, language = walked
    before = namespaces(client)
    page.goto(site.url)
    for section in sections(text(name if language == "en" else f"{name}.{language}", shell)):
        if shell.wants(section.marks):
            shell.section(section, clicking=True)
            for act in (act for step in section.acts for act in step):
                walk(page, site.url, act, shell.folder)
    # A page cleans up after itself, and the next one finds it done.
    until = time.monotonic() + LONG / 1000
    while left := namespaces(client) - before:
        assert time.monotonic() < until, f"left: {left}"
        page.wait_for_timeout(200)
