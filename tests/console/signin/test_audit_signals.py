"""The audit records sign-ins, refused sign-ins, sign-outs and ended sessions; and acts have the user's groups."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from console.audit import bounds, recorder
from console.audit.models import AuditEntry
from console.signin import sessions, signals
from console.signin.models import Session
from tests.console.signin.people import People, browser_of, signed_in

pytestmark = pytest.mark.django_db


def outcomes() -> list[tuple[str, str, str]]:
    """Oldest first: user, verb, outcome."""
    return [*AuditEntry.objects.order_by("pk").values_list("user", "verb", "outcome")]


def whole() -> str:
    return str([*AuditEntry.objects.values()])


def test_a_session_from_its_beginning_to_its_sign_out(staff: People) -> None:
    browser, name = signed_in(staff.clerk), staff.name("clerk")
    key = Session.objects.get().key
    browser.post("/sign-out/", headers={"x-request-id": "0123456789"})
    assert outcomes() == [(name, "sign-in", "ok"), (name, "sign-out", "ok")]
    came, left = AuditEntry.objects.order_by("pk")
    assert (came.name, left.name) == (f"session token {key[:8]}", f"session token {key[:8]} signed-out")
    assert f"system:serviceaccounts:{staff.desk}" in came.groups == left.groups
    assert (came.address, left.request_id) == ("127.0.0.1", "0123456789")
    assert staff.clerk not in whole() and staff.clerk.split(".")[2] not in whole() and key not in whole()


def test_who_is_not_let_in_is_noted_without_what_was_typed(staff: People) -> None:
    browser_of(REMOTE_ADDR="192.0.2.9").post("/sign-in/", {"token": "guess-a-secret"})
    browser_of().post("/sign-in/", {"token": "käse"})
    assert outcomes() == [("", "sign-in", "Unauthorized"), ("", "sign-in", "Invalid")]
    assert AuditEntry.objects.earliest("pk").address == "192.0.2.9"
    assert "guess-a-secret" not in whole() and "käse" not in whole()


def test_nobody_fills_the_audit_from_outside(staff: People, monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setattr(signals, "MOST_REFUSED", 3)
    for number in range(12):
        browser_of().post("/sign-in/", {"token": f"guess-{number}"})
    assert len(outcomes()) == 3
    # Those that were written over weeks take a tenth of what is kept at most; acts of people stay.
    settings.AUDIT_ROWS = 20
    recorder.note("here", "ann", "delete", "core/v1/pods shop/web", "ok")
    AuditEntry.objects.bulk_create(
        AuditEntry(at=timezone.now(), cluster="here", user="", verb="sign-in", outcome="Unauthorized")
        for _each in range(15)
    )
    bounds.prune()
    assert AuditEntry.objects.filter(verb="sign-in").count() == 2
    assert AuditEntry.objects.filter(user="ann").exists()


def test_sessions_that_end_by_themselves_say_why(staff: People) -> None:
    browser, name = signed_in(staff.clerk), staff.name("clerk")
    Session.objects.update(until=timezone.now() - timedelta(seconds=1))
    assert browser.get("/").status_code == 302
    signed_in(staff.clerk)
    Session.objects.update(seen_at=timezone.now() - timedelta(days=1))
    # Another user's sign-in deletes abandoned sessions.
    other = signed_in(staff.boss)
    other.post("/sign-in/", {"token": staff.clerk})
    sessions.end(Session.objects.get().key, "refused")
    ends = [(row.user, row.name.split()[-1]) for row in AuditEntry.objects.filter(verb="session-end").order_by("pk")]
    assert ends == [(name, "expired"), (name, "expired"), (staff.name("boss"), "replaced"), (name, "refused")]


def test_acts_keep_the_groups_of_who_did_them_and_exports_have_them(
    staff: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser, group = signed_in(staff.clerk), f"system:serviceaccounts:{staff.desk}"
    address = f"/resources/core/v1/configmaps/{staff.here}/{staff.mark}-mine/labels/"
    assert browser.post(address, {"labels-key": "team", "labels-value": "a"}).status_code == 302
    act = AuditEntry.objects.get(verb="label")
    assert group in act.groups and act.user == staff.name("clerk")
    assert group in browser.get(f"/audit/{act.pk}/").content.decode()
    assert group in b"".join(browser.get("/audit/export/?format=csv")).decode()
    page = browser.get("/audit/").content.decode()
    assert re.search(r">\s*sign-in\s*<", page)
    # Refused sign-ins aren't among any user's own acts.
    browser_of().post("/sign-in/", {"token": "guess"})
    assert AuditEntry.objects.get(user="").pk not in [row["id"] for row in browser.get("/api/audit/").json()["items"]]
    assert len(recorder.bounded(f"group-{number}" for number in range(1000))) == recorder.MOST_GROUPS
