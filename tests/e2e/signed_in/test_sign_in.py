"""A person signs in with a token, sees what is hers, is refused the rest, signs out, and leaves nothing behind in
the browser.
"""

import pytest
from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from kube.config import load
from tests.console.signin.people import People
from tests.e2e.conftest import Site

KINDS: tuple[tuple[str, str], ...] = ()


def _sign_in(page: Page, token: str) -> None:
    page.get_by_label("Token", exact=True).fill(token)
    page.get_by_role("button", name="Sign in").click()


@pytest.mark.journey
def test_a_person_signs_in_looks_is_refused_and_signs_out(guarded: Site, staff: People, page: Page) -> None:
    mine = f"/resources/core/v1/configmaps/?namespace={staff.here}"
    page.goto(f"{guarded.url}{mine}")
    expect(page).to_have_url(
        f"{guarded.url}/sign-in/?next=%2Fresources%2Fcore%2Fv1%2Fconfigmaps%2F%3Fnamespace%3D{staff.here}"
    )
    expect(page.get_by_label("Token", exact=True)).to_be_focused()
    _sign_in(page, "not-a-token")
    expect(page.get_by_role("alert")).to_contain_text("doesn't accept this token")
    expect(page.get_by_label("Token", exact=True)).to_have_value("")
    _sign_in(page, staff.clerk)
    # Where she wanted to go.
    expect(page).to_have_url(f"{guarded.url}{mine}")
    row = page.get_by_role("link", name=f"{staff.mark}-mine")
    expect(row).to_be_visible()
    # Live with her permissions: changes in her namespace arrive.
    admin = ClusterClient(load(str(guarded.kubeconfig)))
    fresh = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"{staff.mark}-fresh"}}
    admin.create(admin.find("", "v1", "configmaps"), fresh, staff.here)
    expect(page.get_by_role("link", name=f"{staff.mark}-fresh")).to_be_visible()
    page.goto(f"{guarded.url}/resources/core/v1/configmaps/{staff.mark}-other/{staff.mark}-theirs/")
    expect(page.get_by_role("alert")).to_contain_text("Permission denied")
    page.goto(f"{guarded.url}{mine}")
    page.get_by_title(staff.name("clerk")).click()
    expect(page.get_by_text("Signed in as")).to_be_visible()
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(f"{guarded.url}/sign-in/")
    page.go_back()
    expect(page.get_by_label("Token", exact=True)).to_be_visible()
    assert staff.mark not in page.locator("main").inner_text()
    storage = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert staff.mark not in storage and staff.clerk not in storage


@pytest.mark.journey
def test_an_open_page_is_told_when_the_session_ends_elsewhere(guarded: Site, staff: People, page: Page) -> None:
    page.goto(f"{guarded.url}/resources/core/v1/configmaps/?namespace={staff.here}")
    _sign_in(page, staff.clerk)
    expect(page.get_by_role("link", name=f"{staff.mark}-mine")).to_be_visible()
    other = page.context.new_page()
    other.goto(f"{guarded.url}/settings/")
    other.get_by_title(staff.name("clerk")).click()
    other.get_by_role("button", name="Sign out").click()
    expect(other).to_have_url(f"{guarded.url}/sign-in/")
    expect(page.locator("#health-banner")).to_contain_text("Your session ended")
    page.get_by_role("link", name=f"{staff.mark}-mine").click()
    expect(page.get_by_label("Token", exact=True)).to_be_visible()
    other.close()
