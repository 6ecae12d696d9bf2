"""Every page of tools/atlas, judged by axe in both themes: no rule of WCAG 2.2 A and AA is broken, and nothing hangs
out of the window.

The pages that people look at every day are loaded wide in English and on a phone in Korean. `make axe` (AXE=all) looks
at every page in each of the four combinations of width and language: some ten minutes.
"""

import os
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from bench.console import console
from kube.client import ClusterClient
from kube.config import load
from tests.chromium import Contexts
from tests.e2e.accessibility import both_themes, overhangs
from tests.e2e.korean import english, sentences
from tools.atlas import scene
from tools.atlas.pages import Stop

pytestmark = pytest.mark.page_only

LOOKS = ((1400, "en-US"), (390, "ko-KR"), (1400, "ko-KR"), (390, "en-US"))
EVERY = os.environ.get("AXE") == "all"


@pytest.fixture(scope="module")
def stage(request: pytest.FixtureRequest) -> Iterator[tuple[str, list[Stop]]]:
    """A console of its own with the scene on it: what a page looks like does not depend on the cluster behind it."""
    if request.config.getoption("--url") or request.config.getoption("--kubeconfig"):
        pytest.skip("measures the pages on the embedded cluster, in a console of its own")
    with console() as running:
        client = ClusterClient(load(str(Path(running.data) / "sandbox/kubeconfig"), None))
        yield running.url, scene.stops(scene.prepare(running.url, client))


def chosen(stops: list[Stop]) -> list[Stop]:
    return [stop for stop in stops if EVERY or stop.main]


# A hundred pages take minutes, and three times as many on a busy machine.
@pytest.mark.timeout(3600 if EVERY else 900)
@pytest.mark.parametrize("look", LOOKS if EVERY else LOOKS[:2], ids=str)
def test_no_page_breaks_a_rule(stage: tuple[str, list[Stop]], contexts: Contexts, look: tuple[int, str]) -> None:
    url, stops = stage
    width, language = look
    context = contexts(viewport={"width": width, "height": 900}, locale=language)
    page = context.new_page()
    problems = [problem for stop in chosen(stops) for problem in _problems(page, url, stop)]
    assert not problems, "\n".join(problems)


def test_a_broken_page_is_found(stage: tuple[str, list[Stop]], page: Page) -> None:
    page.goto(f"{stage[0]}/settings/")
    assert not both_themes(page)
    # Light grey is too faint by day only, dark grey by night only.
    page.evaluate("""() => {
          const main = document.getElementById("main");
          const broken = "<input class=nameless><p class=night>dark grey</p><div class=far>out</div>";
          main.insertAdjacentHTML("beforeend", broken);
          main.querySelector(".night").style.color = "#444";
          main.querySelector(".far").style.marginInlineStart = "3000px";
        }""")
    found = [theme.rule for theme in both_themes(page)]
    assert any(rule.startswith("label (") for rule in found), found
    assert any(rule.startswith("dark color-contrast") for rule in found), found
    assert overhangs(page)


#: What operators say and call their fields, whatever the reader's language; it happens to be what the console says
#: elsewhere.
THEIRS = re.compile(r"(?:\w+: )?\d of \d Pods are ready|Storage class|Node selector")


@pytest.mark.timeout(900)
def test_no_korean_page_says_a_sentence_of_ours_in_english(stage: tuple[str, list[Stop]]) -> None:
    url, stops = stage
    known, found = sentences(), []
    for stop in stops:
        request = urllib.request.Request(f"{url}{stop.address}", headers={"Accept-Language": "ko"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                html = answer.read().decode()
        except urllib.error.HTTPError as answer:
            html = answer.read().decode()
        assert '<html lang="ko"' in html, stop.name
        found += [f"{stop.name}: {text}" for text in english(html, known) if not THEIRS.fullmatch(text)]
    assert not found, "\n".join(found)


def test_a_sentence_that_nobody_translated_is_found() -> None:
    known = sentences()
    html = (
        '<p title="Delete these objects">There is no such <b>x</b></p><code>Delete these objects</code><p'
        ' lang="en">Delete these objects</p>'
    )
    assert english(html, known) == ["Delete these objects"]
    assert english("<p>1 of 2 ready</p><p>이 오브젝트 삭제</p>", known) == ["1 of 2 ready"]


def _problems(page: Page, url: str, stop: Stop) -> list[str]:
    answer = page.goto(f"{url}{stop.address}")
    status = answer.status if answer else 0
    if status != stop.status:
        return [f"{stop.name}: {stop.address} answers {status}"]
    return [f"{stop.name}: {item}" for item in (*overhangs(page), *both_themes(page))]
