"""A session while it lasts, and how it ends."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from console.signin import sessions
from console.signin.models import Session
from kube.client import ClusterClient
from tests.console.signin.people import People, browser_of, signed_in, token

pytestmark = pytest.mark.django_db


def test_a_sign_out_ends_the_session_and_takes_its_traces_from_the_browser(staff: People, settings: Any) -> None:
    browser = signed_in(staff.clerk)
    browser.post("/namespaces/pick/", {"namespace": staff.here})
    assert browser.cookies["console_namespace"].value == staff.here
    browser.get("/quick-starts/first-steps/")
    assert browser.cookies["console_quick_start"].value == "first-steps"
    cookie = browser.cookies[settings.SESSION_COOKIE_NAME].value
    out = browser.post("/sign-out/")
    assert out["Location"] == "/sign-in/"
    assert out["Clear-Site-Data"] == '"cache", "storage"'
    assert not browser.cookies["console_namespace"].value and not browser.cookies["console_quick_start"].value
    assert not Session.objects.exists()
    # A saved copy of the cookie opens nothing.
    again = browser_of()
    again.cookies[settings.SESSION_COOKIE_NAME] = cookie
    assert again.get("/")["Location"].startswith("/sign-in/")


def test_no_page_stays_in_the_browser(staff: People) -> None:
    browser = signed_in(staff.clerk)
    for address in (
        "/",
        f"/resources/core/v1/configmaps/{staff.here}/{staff.mark}-mine/",
        "/api/schema/",
        "/settings/",
    ):
        assert browser.get(address)["Cache-Control"] == "no-store, private", address


def test_a_session_is_no_longer_than_its_token_than_the_setting_and_than_somebody_is_there(
    staff: People, admin: ClusterClient, settings: Any
) -> None:
    browser = signed_in(token(admin, staff.desk, "clerk", 900))
    left = Session.objects.get().until - timezone.now()
    assert timedelta(minutes=14) < left <= timedelta(minutes=15)
    address = f"/resources/core/v1/configmaps/{staff.here}/{staff.mark}-mine/"
    assert browser.get(address).status_code == 200
    Session.objects.update(seen_at=timezone.now() - timedelta(minutes=settings.SIGN_IN_IDLE_MINUTES, seconds=1))
    answer = browser.get(address)
    assert answer["Location"].endswith("&why=over")
    assert "You are signed out" in browser.get(answer["Location"]).content.decode()
    browser = signed_in(staff.clerk)
    settings.SIGN_IN_IDLE_MINUTES = 600
    Session.objects.update(seen_at=timezone.now() - timedelta(minutes=599))
    assert browser.get(address).status_code == 200
    assert timezone.now() - Session.objects.get().seen_at < timedelta(minutes=1)
    settings.SIGN_IN_HOURS = 1
    long = signed_in(staff.boss)
    assert Session.objects.get(user=staff.name("boss")).until - timezone.now() <= timedelta(hours=1)
    Session.objects.update(until=timezone.now())
    assert long.get("/").status_code == 302
    # What is over does not stay: the next one who signs in takes it away.
    signed_in(staff.clerk)
    assert Session.objects.count() == 1


def test_a_session_of_another_cluster_sends_its_token_nowhere(staff: People) -> None:
    from console.signin import clients

    browser = signed_in(staff.clerk)
    Session.objects.update(cluster="another")
    clients.drop(Session.objects.get().key)
    answer = browser.get(f"/resources/core/v1/configmaps/{staff.here}/{staff.mark}-mine/")
    assert answer["Location"].startswith("/sign-in/")
    assert not Session.objects.exists()


def test_with_sign_in_local_there_is_none(settings: Any, admin: ClusterClient) -> None:
    settings.SIGN_IN = "local"
    browser = browser_of()
    assert browser.get("/sign-in/").status_code == 404
    assert browser.post("/sign-in/", {"token": "x"}).status_code == 404
    assert browser.post("/sign-out/").status_code == 404
    page = browser.get("/settings/")
    assert page.status_code == 200 and "Sign out" not in page.content.decode()
    assert page.get("Cache-Control") != "no-store, private"


def test_a_person_is_made_of_nobodys_configuration_only(admin: ClusterClient) -> None:
    from kube.config import user_config

    with pytest.raises(ValueError, match="anonymous"):
        user_config(admin.config, "somebody", "token")
    assert sessions.find("") is None
