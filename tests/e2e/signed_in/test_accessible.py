"""What people see before they are signed in, when they are refused and after they signed out: axe finds nothing in
both themes, wide in English and on a phone in Korean.
"""

import pytest
from playwright.sync_api import Page, expect

from tests.chromium import Contexts
from tests.console.signin.people import People
from tests.e2e.accessibility import both_themes, overhangs
from tests.e2e.conftest import Site

KINDS: tuple[tuple[str, str], ...] = ()


def judged(page: Page, what: str) -> list[str]:
    return [f"{what}: {item}" for item in (*overhangs(page), *both_themes(page))]


@pytest.mark.parametrize(("width", "language"), [(1400, "en-US"), (360, "ko-KR")])
def test_from_sign_in_to_sign_out(guarded: Site, staff: People, contexts: Contexts, width: int, language: str) -> None:
    context = contexts(viewport={"width": width, "height": 900}, locale=language)
    page = context.new_page()
    page.goto(f"{guarded.url}/sign-in/")
    problems = judged(page, "sign-in")
    page.locator("input[name=token]").fill("not-a-token")
    page.locator("form:has(input[name=token]) button[type=submit]").click()
    expect(page.get_by_role("alert")).to_be_visible()
    problems += judged(page, "refused")
    page.locator("input[name=token]").fill(staff.clerk)
    page.locator("form:has(input[name=token]) button[type=submit]").click()
    expect(page.get_by_title(staff.name("clerk"))).to_be_visible()
    page.get_by_title(staff.name("clerk")).click()
    problems += judged(page, "the user's menu")
    page.goto(f"{guarded.url}/view-as/")
    problems += judged(page, "view as")
    page.get_by_title(staff.name("clerk")).click()
    page.locator("form[action*='sign-out'] button").first.click()
    expect(page.locator("input[name=token]")).to_be_visible()
    problems += judged(page, "signed out")
    assert not problems, "\n".join(problems)
