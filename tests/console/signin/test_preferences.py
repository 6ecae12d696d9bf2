"""Preferences of signed-in users are the same in every browser, and impersonation doesn't change them."""

import re

import pytest

from console.prefer.models import Preference
from tests.console.signin.people import People, browser_of, signed_in

pytestmark = pytest.mark.django_db


def test_what_a_person_prefers_goes_along_to_another_browser_and_to_nobody_else(staff: People) -> None:
    first = signed_in(staff.clerk)
    answer = first.post(
        "/settings/", {"language": "ko", "theme": "dark", "times": "utc", "size": "20", "namespace": staff.here}
    )
    assert answer.status_code == 302
    elsewhere = signed_in(staff.clerk)
    page = elsewhere.get("/settings/").content.decode()
    for part in (
        '<html lang="ko"',
        'data-theme="dark"',
        'data-times="utc"',
        'value="20" selected',
        f'value="{staff.here}"',
    ):
        assert part in page, part
    assert elsewhere.get("/settings/")["Content-Language"] == "ko"
    other = signed_in(staff.boss).get("/settings/").content.decode()
    assert '<html lang="en"' in other and 'data-times="relative"' in other
    assert set(Preference.objects.values_list("user", flat=True)) == {staff.name("clerk")}


def test_before_a_sign_in_a_browser_keeps_its_own_and_wrong_values_are_passed_over(staff: People) -> None:
    browser = browser_of()
    answer = browser.post("/settings/", {"language": "ko", "theme": "pink", "next": "/sign-in/"})
    assert answer["Location"] == "/sign-in/"
    assert '<html lang="ko" class=""' in browser.get("/sign-in/").content.decode()
    assert not Preference.objects.exists()


def _head(page: str) -> str:
    """The words of the table's columns."""
    return re.sub(r"<[^>]*>", " ", page.partition("<thead")[2].partition("</thead>")[0])


def test_columns_of_a_list_go_along_too(staff: People) -> None:
    maps = "/resources/core/v1/configmaps/"
    first = signed_in(staff.clerk)
    first.post(f"{maps}columns/", {"column": ["labels"], "size": "20"})
    address = f"{maps}?namespace={staff.here}"
    elsewhere = signed_in(staff.clerk)
    assert "Labels" in _head(elsewhere.get(address).content.decode())
    assert "Labels" not in _head(signed_in(staff.boss).get(address).content.decode())
    first.post(f"{maps}columns/", {"reset": "1"})
    assert not Preference.objects.filter(key__startswith="columns").exists()


def test_a_program_with_a_token_has_no_preferences(staff: People) -> None:
    signed_in(staff.clerk).post("/settings/", {"language": "ko"})
    answer = browser_of().get("/api/resources/no.such/v1/things/", headers={"Authorization": f"Bearer {staff.clerk}"})
    assert answer["Content-Language"] == "en"
