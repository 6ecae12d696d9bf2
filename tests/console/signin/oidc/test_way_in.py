"""Signing in with a provider: who gets in, as whom, and what is kept of it."""

import logging
from typing import Any

import pytest

from console.signin import sessions
from console.signin.models import Attempt, Session
from console.signin.oidc.models import Grant
from tests.console.signin.oidc.provider import Provider, query_of
from tests.console.signin.oidc.walk import begun, in_by_oidc, returned
from tests.console.signin.people import People, browser_of

pytestmark = pytest.mark.django_db


def test_the_page_offers_what_there_is(idp: Provider, settings: Any) -> None:
    both = browser_of().get("/sign-in/?next=/namespaces/").content.decode()
    assert "Sign in with Example ID" in both and 'href="/sign-in/oidc/?next=%2Fnamespaces%2F"' in both
    assert 'name="token"' in both
    settings.SIGN_IN = "oidc"
    alone = browser_of().get("/sign-in/").content.decode()
    assert "Sign in with Example ID" in alone and 'name="token"' not in alone
    refused = browser_of().post("/sign-in/", {"token": "x"})
    assert refused.status_code == 403 and "accept tokens. Sign in with Example ID." in refused.content.decode()
    settings.SIGN_IN = "token"
    assert "Example ID" not in browser_of().get("/sign-in/").content.decode()
    assert browser_of().get("/sign-in/oidc/").status_code == 404
    assert browser_of().get("/sign-in/oidc/back/?code=x&state=y").status_code == 404


def test_what_is_asked_of_the_provider(idp: Provider) -> None:
    browser = browser_of()
    asked = query_of(begun(browser))
    assert (asked["response_type"], asked["client_id"], asked["code_challenge_method"]) == ("code", "console", "S256")
    assert asked["scope"] == "openid email groups offline_access"
    assert asked["redirect_uri"] == "http://localhost/sign-in/oidc/back/"
    again = query_of(begun(browser))
    for name in ("state", "nonce", "code_challenge"):
        assert len(asked[name]) >= 43 and asked[name] != again[name], name


def test_who_signs_in_is_who_the_api_server_says_with_their_groups_rights(
    idp: Provider, staff: People, anna: str
) -> None:
    browser = in_by_oidc(idp)
    page = browser.get(f"/resources/core/v1/configmaps/?namespace={staff.here}").content.decode()
    assert anna in page and "oidc:team-a" in page
    assert f"{staff.mark}-mine" in page
    theirs = f"/resources/core/v1/configmaps/{staff.mark}-other/{staff.mark}-theirs/"
    assert browser.get(theirs).status_code == 403
    assert Session.objects.get().method == "oidc"
    assert not Attempt.objects.exists()


def test_tokens_are_nowhere_but_encrypted_in_the_database(
    idp: Provider, pipe: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="console")
    browser = in_by_oidc(idp)
    browser.get("/namespaces/")
    row, grant = Session.objects.get(), Grant.objects.get()
    assert sessions.unseal(row.sealed, row.key) == idp.given[-1]
    refresh = next(iter(idp.refreshes & {sessions.unseal(grant.sealed, f"refresh:{row.key}")}))
    stores = [bytes(row.sealed), bytes(grant.sealed), str(browser.cookies).encode(), caplog.text.encode()]
    for place in [*stores, *(pipe.dump(key) or b"" for key in pipe.keys("*"))]:
        for secret in (idp.given[-1], refresh, idp.forms[-1]["code_verifier"]):
            assert secret.encode() not in place
    # One does not open as the other.
    with pytest.raises(sessions.UnreadableCredentials):
        sessions.unseal(grant.sealed, row.key)


def test_it_leads_back_to_where_one_was_and_nowhere_else(idp: Provider) -> None:
    for back, where in (
        ("/resources/core/v1/pods/?q=web", "/resources/core/v1/pods/?q=web"),
        ("https://evil.example/", "/"),
        ("//evil.example", "/"),
        ("/sign-out/", "/"),
    ):
        browser = browser_of()
        assert returned(browser, idp, begun(browser, back))["Location"] == where
        # Who is signed in is not asked again.
        assert browser.get("/sign-in/oidc/", {"next": back})["Location"] == where


def test_the_address_that_the_provider_leads_back_to_can_be_set(idp: Provider, settings: Any) -> None:
    settings.CONSOLE_URL = "https://console.example.com"
    browser = browser_of()
    address = begun(browser)
    assert query_of(address)["redirect_uri"] == "https://console.example.com/sign-in/oidc/back/"
    assert returned(browser, idp, address).status_code == 302
    assert idp.forms[-1]["redirect_uri"] == "https://console.example.com/sign-in/oidc/back/"


def test_a_console_with_a_secret_shows_it_to_the_token_endpoint_alone(idp: Provider, settings: Any) -> None:
    settings.OIDC_CLIENT_SECRET = "a-secret-of-the-console"
    idp.metadata = {"token_endpoint_auth_methods_supported": ["client_secret_post"]}
    browser = browser_of()
    address = begun(browser)
    assert "a-secret" not in address
    assert returned(browser, idp, address).status_code == 302
    assert idp.forms[-1]["client_secret"] == "a-secret-of-the-console"


def test_without_a_refresh_token_a_session_is_as_long_as_its_only_token(idp: Provider, settings: Any) -> None:
    from datetime import timedelta

    from django.utils import timezone

    settings.SIGN_IN_HOURS = 2
    in_by_oidc(idp)
    assert Session.objects.get().until - timezone.now() > timedelta(minutes=100)
    token = idp.token
    idp.token = lambda form: (200, {k: v for k, v in token(form)[1].items() if k != "refresh_token"})  # type: ignore[method-assign]
    try:
        Session.objects.all().delete()
        in_by_oidc(idp)
    finally:
        del idp.token
    assert Session.objects.get().until - timezone.now() <= timedelta(minutes=10)
    assert Grant.objects.filter(session=Session.objects.get().key).count() == 0


def test_a_sign_out_goes_on_at_the_provider_and_takes_the_refresh_token_along(idp: Provider) -> None:
    browser = in_by_oidc(idp)
    assert idp.refreshes
    before = set(idp.refreshes)
    out = browser.post("/sign-out/")
    assert out.status_code == 200 and out["Clear-Site-Data"] == '"cache", "storage"'
    page = out.content.decode()
    assert (
        f'content="1;url={idp.issuer}/end?' in page
        and "post_logout_redirect_uri=http%3A%2F%2Flocalhost%2Fsign-in%2F" in page
    )
    assert not Session.objects.exists() and not Grant.objects.exists()
    assert len(before - idp.refreshes) == 1
    assert browser.get("/")["Location"].startswith("/sign-in/")
    # A provider without this endpoint, or an unreachable one, doesn't prevent the sign-out here.
    idp.metadata = {"end_session_endpoint": None}
    from console.signin.oidc import provider as asked

    asked._known.clear()
    browser = in_by_oidc(idp)
    assert browser.post("/sign-out/")["Location"] == "/sign-in/"
    browser = in_by_oidc(idp)
    idp.away = True
    asked._known.clear()
    assert browser.post("/sign-out/")["Location"] == "/sign-in/"
    assert not Session.objects.exists()
