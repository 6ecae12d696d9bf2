"""ID tokens last minutes, sessions hours: a session continues with new tokens while the provider issues them."""

import html
import threading
import time
from datetime import timedelta
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from console.signin import clients, sessions, signals
from console.signin.models import Session
from console.signin.oidc import provider as asked
from console.signin.oidc import renewal
from console.signin.oidc.models import Grant
from tests.console.signin.oidc.provider import Provider
from tests.console.signin.oidc.walk import in_by_oidc
from tests.console.signin.people import People

pytestmark = pytest.mark.django_db


def _run_down(seconds: float = 1) -> str:
    """The session's token is nearly over, by what the console knows of it."""
    row = Session.objects.get()
    end = timezone.now() + timedelta(seconds=seconds)
    Grant.objects.update(given_at=end - timedelta(minutes=10), good_until=end)
    clients.drop(row.key)
    renewal._held.pop(row.key, None)
    return row.key


def _token() -> str:
    row = Session.objects.get()
    return sessions.unseal(row.sealed, row.key)


def test_the_sessions_client_goes_on_with_the_new_token(idp: Provider, staff: People) -> None:
    address = f"/resources/core/v1/configmaps/{staff.here}/{staff.mark}-mine/"
    browser = in_by_oidc(idp)
    assert browser.get(address).status_code == 200
    first, key = _token(), Session.objects.get().key
    client = clients.client_of(key)
    # Long before its expiry no request goes to the provider.
    assert len(idp.forms) == 1
    renewal._held[key].due = timezone.now()
    assert browser.get(address).status_code == 200
    assert idp.forms[-1]["grant_type"] == "refresh_token" and len(idp.forms) == 2
    assert _token() == idp.given[-1] != first
    # The very client that streams and watches hold asks with it.
    assert clients.client_of(key) is client and client.config.token() == idp.given[-1]
    assert browser.get(address).status_code == 200
    assert len(idp.forms) == 2


def test_what_another_process_renewed_is_taken_from_the_database(idp: Provider, staff: People) -> None:
    browser = in_by_oidc(idp)
    browser.get("/namespaces/")
    row = Session.objects.get()
    newer = idp.id_token()
    Session.objects.update(sealed=sessions.seal(newer, row.key))
    Grant.objects.update(good_until=timezone.now() + timedelta(hours=1))
    renewal._held[row.key].due = timezone.now()
    browser.get("/namespaces/")
    assert renewal._held[row.key].token == newer
    assert len(idp.forms) == 1


def test_a_process_that_was_just_started_renews_before_it_asks_the_cluster(idp: Provider, staff: People) -> None:
    browser = in_by_oidc(idp)
    _run_down()
    page = browser.get(f"/resources/core/v1/configmaps/{staff.here}/{staff.mark}-mine/")
    assert page.status_code == 200 and idp.forms[-1]["grant_type"] == "refresh_token"


def test_groups_that_were_changed_come_with_the_new_token(idp: Provider, staff: People) -> None:
    browser = in_by_oidc(idp)
    address = f"/resources/core/v1/configmaps/{staff.here}/{staff.mark}-mine/"
    assert browser.get(address).status_code == 200
    idp.groups = ("team-b",)
    _run_down()
    assert browser.get(address).status_code == 403
    assert "oidc:team-b" in Session.objects.get().groups


def test_a_refusal_ends_the_session_says_so_and_loses_nothing_that_was_typed(idp: Provider, staff: People) -> None:
    browser = in_by_oidc(idp)
    idp.refreshes.clear()
    _run_down()
    answer = browser.post(
        f"/resources/core/v1/configmaps/{staff.here}/{staff.mark}-mine/edit/",
        {"yaml": "typed: by hand"},
        headers={"origin": "http://localhost"},
    )
    page = answer.content.decode()
    assert answer.status_code == 401 and "typed: by hand" in page
    assert "Example ID didn't renew your sign-in" in html.unescape(page)
    assert not Session.objects.exists()
    # And where she is led to.
    led = browser.get("/namespaces/")["Location"]
    assert led == "/sign-in/?next=%2Fnamespaces%2F&why=refused"
    assert "Example ID didn't renew your sign-in" in browser.get(led).content.decode()
    assert not bytes(Grant.objects.get().sealed)


def test_a_refresh_token_that_dex_has_forgotten_ends_the_session(idp: Provider, staff: People) -> None:
    """dex was started again, with its storage in memory: it doesn't say invalid_grant."""
    browser = in_by_oidc(idp)
    idp.refuse = "invalid_request"
    _run_down()
    assert browser.get("/namespaces/")["Location"].endswith("why=refused")
    assert not Session.objects.exists()


def test_a_new_token_of_somebody_else_ends_the_session(idp: Provider, staff: People) -> None:
    browser = in_by_oidc(idp)
    idp.person = "bert"
    _run_down()
    assert browser.get("/namespaces/")["Location"].endswith("why=refused")
    assert not Session.objects.exists()


def test_a_provider_that_is_away_ends_nothing(idp: Provider, staff: People, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renewal, "_PAUSE", 0.0)
    monkeypatch.setattr(asked, "_PAUSE", 0.0)
    browser = in_by_oidc(idp)
    address = f"/resources/core/v1/configmaps/{staff.here}/{staff.mark}-mine/"
    idp.away = True
    _run_down(30)
    # No effect while the token is valid.
    assert browser.get(address).status_code == 200
    _run_down(-1)
    page = browser.get(address)
    assert page.status_code == 503
    assert "Example ID isn" in page.content.decode()
    assert Session.objects.exists()
    idp.away = False
    assert browser.get(address).status_code == 200
    assert idp.forms[-1]["grant_type"] == "refresh_token"


def test_a_token_that_ended_before_we_knew_is_renewed_when_the_cluster_refuses_it(idp: Provider, staff: People) -> None:
    """Our clock is slow, or the provider changed its keys."""
    browser = in_by_oidc(idp)
    address = f"/resources/core/v1/configmaps/{staff.here}/{staff.mark}-mine/"
    assert browser.get(address).status_code == 200
    key = Session.objects.get().key
    now = int(time.time())
    idp.claims = {"iat": now - 900, "exp": now - 300}
    renewal._held[key].token = idp.id_token()
    idp.claims = {}
    browser.get(address)
    assert Session.objects.exists() and idp.forms[-1]["grant_type"] == "refresh_token"
    assert browser.get(address).status_code == 200


def test_the_thread_that_looks_after_open_streams_renews_too(idp: Provider) -> None:
    in_by_oidc(idp)
    key = Session.objects.get().key
    clients.client_of(key)
    renewal._held[key].due = timezone.now()
    # As ending._look does for what is open.
    signals.used.send(sender=Session, session=key)
    assert idp.forms[-1]["grant_type"] == "refresh_token"


def _patient(execute: Any, *statement: Any) -> Any:
    """A database in memory says at once that a table is locked, where one in a file waits."""
    end = time.monotonic() + 20
    while True:
        try:
            return execute(*statement)
        except OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
        time.sleep(0.01)


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_asks_and_all_go_on(idp: Provider) -> None:
    """Refresh tokens are used once: a second use would end the session."""
    in_by_oidc(idp)
    key = _run_down(-1)
    row = Session.objects.get()
    grant = Grant.objects.get()
    holders = [renewal._Held("old", grant) for _number in range(4)]
    alive: list[bool] = []

    def go(held: Any) -> None:
        try:
            with connection.execute_wrapper(_patient):
                alive.append(renewal._renew(key, held))
        finally:
            connection.close()

    threads = [threading.Thread(target=go, args=(held,)) for held in holders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert alive == [True] * 4
    assert [form["grant_type"] for form in idp.forms].count("refresh_token") == 1
    assert {held.ask() for held in holders} == {idp.given[-1]}
    assert row.key == key and Session.objects.exists()
