"""Programs at /api/ with a bearer token: they have the token's identity while the API server accepts it."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from console.audit.models import AuditEntry
from console.signin import bearer, rate_limits
from console.signin.models import Attempt, Session
from kube.client import ClusterClient
from operatorhub import runs, tasks
from operatorhub.models import Run
from tests.console.signin.people import People, act_as, browser_of, signed_in, token
from tests.eventually import until

pytestmark = pytest.mark.django_db

MAPS = "/api/resources/core/v1/configmaps/"


@pytest.fixture(autouse=True)
def _nobody_known() -> Iterator[None]:
    bearer._callers.clear()
    bearer._good.clear()
    yield


def program(token: str, **more: Any) -> Client:
    return Client(headers={"host": "localhost", "authorization": f"Bearer {token}"}, **more)


def test_it_reads_and_writes_as_the_tokens_owner_without_cookie_and_csrf(staff: People, admin: ClusterClient) -> None:
    clerk = program(staff.clerk, enforce_csrf_checks=True)
    mine = f"{MAPS}{staff.here}/{staff.mark}-mine/"
    assert clerk.get(mine).json()["data"]["value"] == f"{staff.mark}-one"
    assert clerk.get(f"{MAPS}{staff.mark}-other/{staff.mark}-theirs/").status_code == 403
    change = json.dumps({"metadata": {"labels": {"by": uuid4().hex[:6]}}})
    answer = clerk.patch(mine, change, content_type="application/json")
    assert answer.status_code == 200, answer.content
    assert answer["Cache-Control"] == "no-store, private" and not answer.cookies
    row = AuditEntry.objects.get(verb="patch")
    assert (row.user, row.source) == (staff.name("clerk"), "api")
    assert not Session.objects.exists() and not Attempt.objects.exists()


@pytest.mark.parametrize("wrong", ["nonsense", "a.b.c", "", "käse", "x" * 20_000, "a b"])
def test_what_is_no_token_is_answered_401_and_never_echoed(staff: People, wrong: str) -> None:
    sent = wrong.encode().decode("latin-1")
    for method in ("get", "post"):
        answer = getattr(program(sent), method)(MAPS)
        assert answer.status_code == 401
        assert answer["WWW-Authenticate"] == 'Bearer realm="operator-console", error="invalid_token"'
        problem = answer.json()
        assert set(problem) == {"status", "title", "detail", "advice", "reason"} and problem["reason"] == "Unauthorized"
        assert not wrong or wrong not in answer.content.decode()
    nothing = browser_of().get(MAPS)
    assert (nothing.status_code, nothing["WWW-Authenticate"]) == (401, 'Bearer realm="operator-console"')


def test_a_cookie_beside_it_counts_for_nothing(staff: People) -> None:
    theirs = f"{MAPS}{staff.mark}-other/{staff.mark}-theirs/"
    boss = signed_in(staff.boss)
    assert boss.get(theirs).status_code == 200
    assert boss.get(theirs, headers={"authorization": f"Bearer {staff.clerk}"}).status_code == 403
    assert boss.get(theirs, headers={"authorization": "Bearer nonsense"}).status_code == 401
    act_as(boss, staff.name("stranger"))
    mine = f"{MAPS}{staff.here}/{staff.mark}-mine/"
    assert boss.get(mine).status_code == 403
    assert boss.get(mine, headers={"authorization": f"Bearer {staff.clerk}"}).status_code == 200
    # And a cookie alone still wants the token of this site's forms.
    cookie = Client(enforce_csrf_checks=True, headers={"host": "localhost"})
    cookie.cookies = signed_in(staff.clerk).cookies
    assert cookie.patch(mine, "{}", content_type="application/json").status_code == 403
    basic = {"authorization": "Basic Y29uc29sZTpjb25zb2xl"}  # a proxy's in front
    assert cookie.patch(mine, "{}", content_type="application/json", headers=basic).status_code == 403


def test_pages_take_no_header(staff: People) -> None:
    boss = program(staff.boss)
    assert boss.get("/namespaces/")["Location"].startswith("/sign-in/")
    assert boss.get(f"/resources/core/v1/configmaps/{staff.here}/{staff.mark}-mine/").status_code == 302


def test_a_console_without_sign_in_refuses_it_clearly(staff: People, settings: Any) -> None:
    settings.SIGN_IN = "local"
    mine = f"{MAPS}{staff.here}/{staff.mark}-mine/"
    for sent in (staff.boss, "nonsense"):
        answer = program(sent).get(mine)
        assert answer.status_code == 400 and "SIGN_IN=local" in answer.json()["detail"]
    assert browser_of().get(mine).status_code == 200
    assert browser_of().get(mine, headers={"authorization": "Basic Y29uc29sZTpjb25zb2xl"}).status_code == 200


@pytest.mark.parametrize("way", ["token", "local"])
def test_who_names_somebody_else_in_a_header_is_refused_and_not_taken_for_himself(
    staff: People, settings: Any, way: str
) -> None:
    settings.SIGN_IN = way
    headers = {"impersonate-user": staff.name("stranger")}
    for client in (program(staff.boss), signed_in(staff.boss) if way == "token" else browser_of()):
        answer = client.delete(f"{MAPS}{staff.here}/{staff.mark}-mine/", headers=headers)
        assert answer.status_code == 400 and "Impersonate" in answer.json()["detail"]


def test_in_the_open_it_is_refused(staff: People, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    answer = program(staff.boss).get(MAPS, headers={"host": "console.example.com"})
    assert answer.status_code == 403 and "https" in answer.json()["detail"]


def test_guesses_are_limited_and_a_good_program_goes_on(staff: People, monkeypatch: pytest.MonkeyPatch) -> None:
    clerk = program(staff.clerk)
    assert clerk.get("/api/audit/").status_code == 200
    for number in range(rate_limits.BY_ADDRESS):
        assert program(f"wrong{number}").get(MAPS).status_code == 401
    late = program("wrong").get(MAPS)
    assert late.status_code == 429 and int(late["Retry-After"]) > 0
    assert program(staff.boss).get("/api/audit/").status_code == 429
    assert browser_of().post("/sign-in/", {"token": staff.boss}).status_code == 429
    bearer._callers.clear()  # its seconds are over
    assert clerk.get("/api/audit/").status_code == 200


def test_it_is_asked_for_again_within_seconds_and_never_in_the_database(
    staff: People, admin: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts, name = admin.find("", "v1", "serviceaccounts"), f"temp-{uuid4().hex[:6]}"
    admin.create(accounts, {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}, staff.desk)
    made = token(admin, staff.desk, name)
    assert program(made).get("/api/audit/").status_code == 200
    assert all(made not in key and caller.client is not None for key, caller in bearer._callers.items())
    admin.delete(accounts, name, staff.desk)
    # A real API server caches an accepted token for ten seconds.

    def refused() -> bool:
        bearer._callers.clear()
        return program(made).get("/api/audit/").status_code == 401

    until(refused, seconds=20)


def test_a_run_of_a_program_goes_on_by_its_own_asking(staff: People, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(runs.current_app, "send_task", lambda *all_, **_named: sent.append(all_))
    assert program(staff.boss).get("/api/audit/").status_code == 200
    (found,) = bearer._callers.values()
    document = {
        "title": "x",
        "items": [],
        "apis": [],
        "namespace": staff.here,
        "csv": "x",
        "deployments": [],
        "despite": False,
        "changed": 0.0,
    }
    run = runs.create(uuid4().hex, "uninstall", found.client, staff.here, "x", document)
    runs.hand_over(run)
    assert not sent and runs.stale(run)
    assert staff.boss not in json.dumps(Run.objects.values_list("session", "user").get())
    # No worker has its token, and none uses another user's.
    assert tasks._whose(run) is None
    status = program(staff.boss).get(f"/api/operatorhub/removals/{run.key}/")
    assert status.status_code == 200 and status.json()["stale"] is True
