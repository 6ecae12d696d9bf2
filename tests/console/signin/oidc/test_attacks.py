"""Forged responses, stolen addresses, other and broken providers: no sign-in, and the page shows the reason."""

import time
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from console.signin import rate_limits
from console.signin.models import Attempt, Session
from console.signin.oidc import provider as asked
from console.signin.oidc import views
from tests.console.signin.oidc.provider import Provider, query_of
from tests.console.signin.oidc.walk import begun, come_back, in_by_oidc, returned
from tests.console.signin.people import browser_of

pytestmark = pytest.mark.django_db


def _refused(answer: Any, status: int, words: str) -> None:
    page = answer.content.decode().replace("&#x27;", "'")
    assert (answer.status_code, words in page) == (status, True), page.partition("data-text>")[2][:300]
    # What came by the address is not on the page.
    assert "state=" not in page and "code=" not in page
    assert not Session.objects.exists()


def test_a_state_that_was_not_made_here_is_refused_and_counts(idp: Provider) -> None:
    answer = browser_of().get("/sign-in/oidc/back/?code=abc&state=forged")
    _refused(answer, 401, "wasn't started in this browser")
    assert Attempt.objects.count() == 1
    # Nothing went to the provider.
    assert not idp.forms
    for query in ("", "?code=abc", "?state=", "?state=%00&code=%00", "?error=access_denied"):
        _refused(browser_of().get(f"/sign-in/oidc/back/{query}"), 401, "wasn't started in this browser")


def test_an_answer_of_another_browser_signs_nobody_in(idp: Provider) -> None:
    """Login CSRF: an attacker leads a victim to the end of the attacker's own sign-in."""
    attacker, victim = browser_of(), browser_of()
    address = idp.authorize(query_of(begun(attacker)))
    begun(victim)
    _refused(come_back(victim, address), 401, "wasn't started in this browser")


def test_an_answer_is_used_once(idp: Provider, settings: Any) -> None:
    browser = browser_of()
    address = begun(browser)
    cookies = {name: cookie.value for name, cookie in browser.cookies.items()}
    back = idp.authorize(query_of(address))
    assert come_back(browser, back).status_code == 302
    Session.objects.all().delete()
    _refused(come_back(browser, back), 401, "already used")
    # Also by who kept the cookie: the provider takes a code once.
    thief = browser_of()
    for name, value in cookies.items():
        thief.cookies[name] = value
    _refused(come_back(thief, back), 401, "no longer accepts this sign-in")


def test_a_sign_in_that_took_too_long_is_over(idp: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    browser = browser_of()
    back = idp.authorize(query_of(begun(browser)))
    monkeypatch.setattr(views, "PENDING_SECONDS", 0)
    later = time.time() + 5
    monkeypatch.setattr(time, "time", lambda: later)
    _refused(come_back(browser, back), 401, "took too long")


def test_a_code_that_somebody_else_got_is_worth_nothing(idp: Provider) -> None:
    """Injected into a sign-in of one's own: its challenge does not fit (PKCE)."""
    victim, thief = browser_of(), browser_of()
    stolen = query_of(idp.authorize(query_of(begun(victim))))["code"]
    own = query_of(begun(thief))
    _refused(
        thief.get("/sign-in/oidc/back/", {"code": stolen, "state": own["state"]}), 401, "no longer accepts this sign-in"
    )


def test_an_answer_of_another_provider_is_refused(idp: Provider) -> None:
    """Mix-up: RFC 9207."""
    browser = browser_of()
    back = idp.authorize(query_of(begun(browser)))
    _refused(come_back(browser, f"{back}&iss=https%3A%2F%2Fevil.example"), 401, "This response isn't from Example ID")
    assert not idp.forms


@pytest.mark.parametrize(
    "claims",
    [
        {"nonce": "of-another-sign-in"},
        {"nonce": None},
        {"iss": "https://evil.example"},
        {"aud": "another-client"},
        {"aud": ["console", "another-client"], "azp": "another-client"},
        {"sub": None},
        {"exp": None},
        {"iat": None},
        {"at_hash": "AAAA"},
    ],
    ids=lambda claims: next(iter(claims)),
)
def test_an_id_token_of_another_sign_in_is_refused(idp: Provider, claims: dict[str, Any]) -> None:
    browser = browser_of()
    idp.claims = claims
    _refused(returned(browser, idp, begun(browser)), 401, "isn't for this sign-in")
    assert Attempt.objects.count() == 1


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
def test_an_id_token_that_anybody_could_have_signed_is_refused(idp: Provider, algorithm: str) -> None:
    browser = browser_of()
    idp.algorithm = algorithm
    idp.metadata = {"id_token_signing_alg_values_supported": ["RS256", "HS256", "none"]}
    _refused(returned(browser, idp, begun(browser)), 401, "isn't for this sign-in")


def test_an_id_token_with_another_key_is_refused_and_a_new_key_of_the_providers_is_taken(
    idp: Provider, other_key: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = browser_of()
    first = idp.key
    idp.published, idp.key = first, other_key
    try:
        _refused(returned(browser, idp, begun(browser)), 401, "isn't for this sign-in")
        # The provider changes its keys.
        idp.published = None
        monkeypatch.setattr(asked, "_PAUSE", 0.0)
        here = asked.provider()
        assert asked.keys(here, again=True)
        assert [key.kid for key in asked.keys(here).keys] == ["second"]
    finally:
        idp.key = first


@pytest.mark.parametrize("by", [-3600, 3600])
def test_clocks_that_differ_are_named(idp: Provider, by: int) -> None:
    now = int(time.time())
    idp.claims = {"iat": now + by, "exp": now + by + 600}
    browser = browser_of()
    _refused(returned(browser, idp, begun(browser)), 503, "the clocks of the provider and of this console differ")
    assert not Attempt.objects.exists()


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        ("access_denied", 403, "denied the sign-in"),
        ("temporarily_unavailable", 503, "has a temporary problem"),
        ("invalid_scope", 503, "OIDC_SCOPES"),
        ("something_new", 400, "refused the sign-in (something_new)"),
        ("<script>alert(1)</script>", 400, "refused the sign-in (-)"),
    ],
)
def test_what_the_provider_refuses_is_told_in_words_of_ours(idp: Provider, error: str, status: int, words: str) -> None:
    browser = browser_of()
    idp.deny = error
    answer = returned(browser, idp, begun(browser, "/namespaces/"))
    _refused(answer, status, words)
    page = answer.content.decode()
    assert "alert(1)" not in page
    # The way back is kept for the next try.
    assert "/sign-in/oidc/?next=%2Fnamespaces%2F" in page


def test_a_provider_that_is_away_is_said_and_counts_as_no_try(idp: Provider, settings: Any) -> None:
    browser = browser_of()
    address = begun(browser)
    idp.away = True
    _refused(returned(browser, idp, address), 503, "Example ID isn't responding correctly")
    asked._known.clear()
    _refused(browser_of().get("/sign-in/oidc/"), 503, "Example ID isn't responding correctly")
    asked._failed.clear()
    settings.OIDC_ISSUER = "https://127.0.0.1:1"
    _refused(browser_of().get("/sign-in/oidc/"), 503, "Example ID isn't responding correctly")
    # Who is not trusted, is not asked either.
    idp.away = False
    settings.OIDC_ISSUER, settings.OIDC_CA_FILE = idp.issuer, ""
    _refused(browser_of().get("/sign-in/oidc/"), 503, "Example ID isn't responding correctly")
    assert not Attempt.objects.exists()


def test_a_provider_of_another_name_is_refused(idp: Provider) -> None:
    idp.metadata = {"issuer": "https://evil.example"}
    _refused(browser_of().get("/sign-in/oidc/"), 503, "reports the issuer https://evil.example.")


def test_a_provider_that_sends_people_into_the_open_is_refused(idp: Provider) -> None:
    idp.metadata = {"token_endpoint": "http://id.example.com/token"}
    _refused(browser_of().get("/sign-in/oidc/"), 503, "has no usable token_endpoint")


def test_a_client_that_the_provider_does_not_know_is_the_settings_fault(idp: Provider) -> None:
    browser = browser_of()
    idp.refuse = "invalid_client"
    answer = returned(browser, idp, begun(browser))
    _refused(answer, 503, "OIDC_CLIENT_ID and OIDC_CLIENT_SECRET match the client registered there")
    assert "as told" not in answer.content.decode()


def test_a_person_whom_the_cluster_does_not_know_is_told_so(idp: Provider) -> None:
    browser = browser_of()
    idp.claims = {"email": None}
    _refused(
        returned(browser, idp, begun(browser)),
        403,
        "Example ID signed you in, but the cluster doesn't accept its ID token",
    )
    assert not Attempt.objects.exists()


def test_guessing_is_slowed_down_as_that_of_tokens(idp: Provider) -> None:
    for number in range(rate_limits.BY_ADDRESS):
        assert browser_of().get(f"/sign-in/oidc/back/?code=x&state={number}").status_code == 401
    browser = browser_of()
    answer = returned(browser, idp, begun(browser))
    assert answer.status_code == 429 and answer["Retry-After"] == "300"
    assert browser_of().post("/sign-in/", {"token": "x"}).status_code == 429
    Attempt.objects.update(at=timezone.now() - timedelta(minutes=rate_limits.MINUTES, seconds=1))
    in_by_oidc(idp)


def test_a_sign_in_is_not_begun_in_the_open(idp: Provider, settings: Any) -> None:
    from django.test import Client

    settings.ALLOWED_HOSTS = ["console.example.com"]
    answer = Client(headers={"host": "console.example.com"}).get("/sign-in/oidc/")
    _refused(answer, 403, "must not be sent unencrypted")
    assert "Location" not in answer


def test_the_cookie_of_a_sign_in_says_nothing_and_stays_among_the_sign_ins_pages(idp: Provider, settings: Any) -> None:
    browser = browser_of()
    asked_for = query_of(begun(browser))
    cookie = next(value for name, value in browser.cookies.items() if "_oidc_" in name)
    assert cookie["httponly"] and cookie["samesite"] == "Lax" and cookie["path"] == "/sign-in/"
    assert asked_for["state"] not in cookie.value and asked_for["nonce"] not in cookie.value
    for _number in range(8):
        begun(browser)
    assert sum(1 for name, value in browser.cookies.items() if "_oidc_" in name and value.value) <= 5
