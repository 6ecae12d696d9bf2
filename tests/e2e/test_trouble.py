"""When a part is down the page says so, keeps what was typed, and forgets it when the part is back."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import Site

BANNER = "#health-banner"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [("celery", "no worker watches the cluster"), ("redis", "Redis isn't responding")],
)
def test_a_banner_comes_and_goes(site: Site, page: Page, words: str, sentence: str) -> None:
    part = site.part(words)
    page.goto(f"{site.url}/namespaces/")
    field = page.get_by_label("New namespace")
    field.fill("typed-before")
    expect(page.locator(BANNER)).to_be_hidden()
    part.suspend()
    try:
        expect(page.locator(BANNER)).to_contain_text(sentence, timeout=40_000)
    finally:
        part.resume()
    expect(page.locator(BANNER)).to_be_hidden(timeout=40_000)
    expect(field).to_have_value("typed-before")


def test_the_cluster_is_away_and_comes_back(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/namespaces/")
    with site.without_cluster():
        answer = page.goto(f"{site.url}/resources/core/v1/pods/", timeout=60_000)
        # The supervisor may have been quicker than the browser.
        if answer is not None and answer.status == 503:
            expect(page.get_by_role("heading", name="The cluster isn't responding")).to_be_visible()
    # The page loads itself again as soon as the cluster answers.
    expect(page.get_by_role("link", name="Create Pod").first).to_be_visible(timeout=40_000)
