"""A site of each test's own, whose stream says what the test says."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from tests.e2e.live.fake_site import VENDOR, Scripted, open_page, scripted


@pytest.fixture
def site() -> Iterator[Scripted]:
    """Of each test's own: what the last page still asks for is not this one's."""
    if not (VENDOR / "js/live.js").exists():
        pytest.skip("needs the bundled front end: python tools/setup.py")
    with scripted() as found:
        yield found


@pytest.fixture
def opened(site: Scripted, page: Page) -> Page:
    return open_page(site, page)
