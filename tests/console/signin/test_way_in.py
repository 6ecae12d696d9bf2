"""The sign-in: who gets in, who doesn't and which message they see, and what the browser and the database store."""

import html
import logging
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client, RequestFactory
from django.utils import timezone

from console.signin import rate_limits, sessions
from console.signin.models import Attempt, Session
from kube.client import ClusterClient
from tests.console.signin.people import People, browser_of, expired, signed_in

pytestmark = pytest.mark.django_db


def test_who_signs_in_is_who_the_api_server_says(staff: People) -> None:
    browser = signed_in(staff.clerk)
    page = browser.get(f"/resources/core/v1/configmaps/?namespace={staff.here}").content.decode()
    assert staff.name("clerk") in page
    assert f"system:serviceaccounts:{staff.desk}" in page  # his groups
    assert f"{staff.mark}-mine" in page and f"{staff.mark}-theirs" not in page
    theirs = browser.get(f"/resources/core/v1/configmaps/?namespace={staff.mark}-other")
    assert f"{staff.mark}-theirs" not in theirs.content.decode()
    assert (
        f"{staff.mark}-theirs"
        in signed_in(staff.boss).get("/resources/core/v1/configmaps/?namespace=-").content.decode()
    )


def test_his_rights_are_his_own_and_not_the_consoles(staff: People, admin: ClusterClient) -> None:
    browser = signed_in(staff.clerk)
    address = f"/resources/core/v1/configmaps/{staff.mark}-other/{staff.mark}-theirs/"
    assert browser.get(address).status_code == 403
    assert browser.post(f"{address}delete/", {"name": f"{staff.mark}-theirs"}).status_code == 403
    assert admin.get(admin.find("", "v1", "configmaps"), f"{staff.mark}-theirs", f"{staff.mark}-other")
    assert browser.get(f"/resources/core/v1/secrets/{staff.here}/{staff.mark}-secret/").status_code == 403
    assert browser.get(f"/resources/core/v1/configmaps/{staff.here}/{staff.mark}-mine/").status_code == 200


@pytest.mark.parametrize(
    ("typed", "status", "words"),
    [
        ("", 422, "Paste a token."),
        ("   \n ", 422, "Paste a token."),
        ("nonsense", 401, "doesn't accept this token"),
        ("Bearer nonsense", 401, "doesn't accept this token"),
        ("käse", 422, "This isn't a token"),
        ("x" * 20_000, 422, "This isn't a token"),
        ("a.b.c", 401, "doesn't accept this token"),
    ],
)
def test_what_is_no_token_is_refused_and_never_echoed(staff: People, typed: str, status: int, words: str) -> None:
    answer = browser_of().post("/sign-in/", {"token": typed})
    assert answer.status_code == status
    page = html.unescape(answer.content.decode())
    assert words in page
    assert not typed.strip() or typed.strip() not in page
    assert not Session.objects.exists()


def test_a_token_that_expired_is_told_so(staff: People) -> None:
    page = browser_of().post("/sign-in/", {"token": expired(staff.clerk)})
    assert page.status_code == 401
    assert "This token has expired" in page.content.decode()


def test_a_token_pasted_with_its_scheme_and_a_terminals_line_breaks_is_taken(staff: People) -> None:
    half = len(staff.clerk) // 2
    assert (
        browser_of().post("/sign-in/", {"token": f"Bearer {staff.clerk[:half]}\n{staff.clerk[half:]} "}).status_code
        == 302
    )


def test_a_cluster_that_is_away_is_said_and_counts_as_no_try(staff: People, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from console.web import clusters

    nowhere = replace(clusters.endpoint_of(clusters.default()), host="https://127.0.0.1:1", renewed=None)
    monkeypatch.setattr(clusters, "endpoint_of", lambda _place: nowhere)
    answer = browser_of().post("/sign-in/", {"token": staff.clerk})
    assert answer.status_code == 503
    assert "The cluster isn't responding" in html.unescape(answer.content.decode())
    assert not Attempt.objects.exists()


def test_guessing_is_slowed_down_by_address_and_for_all_processes(staff: People) -> None:
    for number in range(rate_limits.BY_ADDRESS):
        assert browser_of().post("/sign-in/", {"token": f"guess-{number}"}).status_code == 401
    refused = browser_of().post("/sign-in/", {"token": staff.clerk})
    assert refused.status_code == 429
    assert refused["Retry-After"] == "300"
    # From elsewhere it works; and here too, when the minutes are over.
    assert browser_of(REMOTE_ADDR="192.0.2.7").post("/sign-in/", {"token": staff.clerk}).status_code == 302
    Attempt.objects.update(at=timezone.now() - timedelta(minutes=rate_limits.MINUTES, seconds=1))
    assert browser_of().post("/sign-in/", {"token": staff.clerk}).status_code == 302
    assert not Attempt.objects.exists()


def knock(address: str) -> None:
    rate_limits.begin_attempt(RequestFactory().post("/sign-in/", REMOTE_ADDR=address))


def test_one_network_of_ipv6_is_one_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limits, "BY_ADDRESS", 2)
    knock("2001:db8::1")
    knock("2001:db8::2")
    with pytest.raises(rate_limits.TooOften):
        knock("2001:db8::3")
    knock("2001:db8:0:1::1")


def test_s7_failures_from_many_addresses_lock_nobody_else_out(staff: People, monkeypatch: pytest.MonkeyPatch) -> None:
    """300 wrong tokens blocked all sign-ins for five minutes. Now each address has fewer tries in that time."""
    monkeypatch.setattr(rate_limits, "BY_ALL", 4)
    monkeypatch.setattr(rate_limits, "BY_ADDRESS_IN_A_CROWD", 1)
    for number in range(6):
        knock(f"192.0.2.{number}")
    with pytest.raises(rate_limits.TooOften):
        knock("192.0.2.0")
    assert browser_of(REMOTE_ADDR="198.51.100.7").post("/sign-in/", {"token": staff.clerk}).status_code == 302


def test_the_token_is_nowhere_but_encrypted_in_the_database(
    staff: People, pipe: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    browser = signed_in(staff.clerk)
    assert browser.get("/namespaces/").status_code in (200, 403)
    row = Session.objects.get()
    assert sessions.unseal(row.sealed, row.key) == staff.clerk
    for text in (
        bytes(row.sealed).decode("latin-1"),
        str(browser.cookies),
        caplog.text,
        repr([pipe.dump(key) for key in pipe.keys("*")]),
    ):
        assert staff.clerk not in text and staff.clerk.split(".")[2] not in text
    # What the browser has opens the session, what the database has does not.
    assert row.key not in str(browser.cookies)
    with pytest.raises(sessions.UnreadableCredentials):
        sessions.unseal(row.sealed, "another session")


def test_after_the_secret_key_was_changed_its_fallback_still_opens_sessions_and_without_it_they_are_over(
    staff: People, settings: Any
) -> None:
    from console.signin import clients

    browser = signed_in(staff.clerk)
    address = f"/resources/core/v1/configmaps/{staff.here}/{staff.mark}-mine/"
    old = settings.SECRET_KEY
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "n" * 60, [old]
    clients.drop(Session.objects.get().key)
    assert browser.get(address).status_code == 200
    settings.SECRET_KEY_FALLBACKS = []
    clients.drop(Session.objects.get().key)
    # The cookie is signed with the old key as well.
    assert browser.get(address)["Location"].startswith("/sign-in/")


def test_the_session_before_the_sign_in_is_worth_nothing_after_it(staff: People, settings: Any) -> None:
    """Fixation: an attacker's cookies, planted in a victim's browser, don't become the victim's session."""
    attacker = signed_in(staff.stranger)
    planted = attacker.cookies[settings.SESSION_COOKIE_NAME].value
    victim = browser_of()
    victim.cookies[settings.SESSION_COOKIE_NAME] = planted
    # Who is signed in already is not asked again; a second sign-in takes the place of the first.
    victim.get("/sign-in/")
    before = victim.cookies.get(settings.CSRF_COOKIE_NAME)
    assert victim.post("/sign-in/", {"token": staff.boss}).status_code == 302
    assert victim.cookies[settings.SESSION_COOKIE_NAME].value != planted
    assert before is None or victim.cookies[settings.CSRF_COOKIE_NAME].value != before.value
    assert attacker.get("/")["Location"].startswith("/sign-in/")
    assert [row.user for row in Session.objects.all()] == [staff.name("boss")]


def test_signing_in_and_out_need_this_sites_own_form(staff: People) -> None:
    browser = browser_of(enforce_csrf_checks=True)
    refused = browser.post("/sign-in/", {"token": staff.boss})
    assert refused.status_code == 403
    assert staff.boss not in refused.content.decode()
    assert not Session.objects.exists()
    # Also when it comes from a page of ours: what was typed is not shown.
    refused = browser.post("/sign-in/", {"token": staff.boss}, headers={"origin": "http://localhost"})
    assert refused.status_code == 403 and staff.boss not in refused.content.decode()
    page = browser.get("/sign-in/").content.decode()
    field = page.split('name="csrfmiddlewaretoken" value="')[1].split('"')[0]
    assert browser.post("/sign-in/", {"token": staff.boss, "csrfmiddlewaretoken": field}).status_code == 302
    assert browser.post("/sign-out/").status_code == 403
    assert browser.get("/sign-out/").status_code == 405
    assert Session.objects.count() == 1


@pytest.mark.parametrize(
    "back",
    ["https://evil.example/", "//evil.example", "javascript:alert(1)", "/\\evil.example", "/sign-in/", "/sign-out/"],
)
def test_the_sign_in_leads_nowhere_else(staff: People, back: str) -> None:
    assert browser_of().post("/sign-in/", {"token": staff.clerk, "next": back})["Location"] == "/"


def test_the_sign_in_leads_back_to_where_one_was(staff: People) -> None:
    browser = browser_of()
    asked = browser.get("/resources/core/v1/pods/?namespace=default&q=web")["Location"]
    assert asked == "/sign-in/?next=%2Fresources%2Fcore%2Fv1%2Fpods%2F%3Fnamespace%3Ddefault%26q%3Dweb"
    assert 'value="/resources/core/v1/pods/?namespace=default&amp;q=web"' in browser.get(asked).content.decode()
    back = browser.post("/sign-in/", {"token": staff.clerk, "next": "/resources/core/v1/pods/?q=web"})
    assert back["Location"] == "/resources/core/v1/pods/?q=web"
    assert browser.get("/sign-in/?next=/namespaces/")["Location"] == "/namespaces/"


def test_cookies_say_nothing_to_scripts_and_go_by_tls_only_where_there_is_tls(staff: People, settings: Any) -> None:
    for https in (False, True):
        settings.HTTPS = settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = https
        settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
        browser = Client(headers={"host": "localhost", **({"x-forwarded-proto": "https"} if https else {})})
        browser.get("/sign-in/")
        browser.post("/sign-in/", {"token": staff.clerk})
        for name, cookie in browser.cookies.items():
            if not cookie.value:
                continue  # taken away
            assert cookie["samesite"] == "Lax", name
            assert bool(cookie["secure"]) is https, name
            assert cookie["httponly"] or name == settings.CSRF_COOKIE_NAME, name


def test_a_token_is_not_taken_in_the_open(staff: People, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["console.example.com"]
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    answer = Client(headers={"host": "console.example.com"}).post("/sign-in/", {"token": staff.clerk})
    assert answer.status_code == 403
    assert "must not be sent unencrypted" in answer.content.decode()
    secure = Client(headers={"host": "console.example.com", "x-forwarded-proto": "https"})
    assert secure.post("/sign-in/", {"token": staff.clerk}).status_code == 302
