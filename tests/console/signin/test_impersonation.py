"""Acting as another: what one sees and may do is that one's, both are named, and there is always a way back."""

import html
import json
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from console.audit.models import AuditEntry
from console.signin import clients, impersonation
from console.signin.models import Impersonation, Session
from kube.client import ClusterClient
from tests.console.signin.people import People, act_as, browser_of, deputy, signed_in
from tests.eventually import until

pytestmark = pytest.mark.django_db


@pytest.fixture(params=["token", "local"])
def boss(request: pytest.FixtureRequest, staff: People, settings: Any) -> Client:
    """A user with all permissions: by their own token, or on the console's own machine."""
    settings.SIGN_IN = request.param
    return signed_in(staff.boss) if request.param == "token" else browser_of()


def _verb(*resources: str, names: tuple[str, ...] = ()) -> list[dict[str, Any]]:
    only = {"resourceNames": list(names)} if names else {}
    return [{"apiGroups": [""], "resources": list(resources), "verbs": ["impersonate"], **only}]


def test_one_sees_and_does_what_the_other_may_and_nothing_more(
    boss: Client, staff: People, admin: ClusterClient
) -> None:
    everything = "/resources/core/v1/configmaps/?namespace=-"
    assert f"{staff.mark}-theirs" in boss.get(everything).content.decode()
    act_as(boss, staff.name("clerk"))
    page = boss.get(f"/resources/core/v1/configmaps/?namespace={staff.here}").content.decode()
    assert f"You are impersonating {staff.name('clerk')}." in page and f"{staff.mark}-mine" in page
    assert f"system:serviceaccounts:{staff.desk}" in page  # the groups that the API server tells
    assert f"{staff.mark}-theirs" not in boss.get(everything).content.decode()
    theirs = f"/resources/core/v1/configmaps/{staff.mark}-other/{staff.mark}-theirs/"
    assert boss.get(theirs).status_code == 403
    assert boss.post(f"{theirs}delete/", {"name": f"{staff.mark}-theirs"}).status_code == 403
    assert admin.get(admin.find("", "v1", "configmaps"), f"{staff.mark}-theirs", f"{staff.mark}-other")
    assert boss.get(f"/resources/core/v1/secrets/{staff.here}/{staff.mark}-secret/").status_code == 403
    row = Impersonation.objects.get()
    assert clients.client_of(row.key).whoami()["username"] == staff.name("clerk")
    assert boss.post("/view-as/stop/")["Location"] == "/"
    assert not Impersonation.objects.exists()
    page = boss.get(everything).content.decode()
    assert f"{staff.mark}-theirs" in page and "You are impersonating" not in page


def test_groups_alone_are_somebody_who_is_in_them(boss: Client, staff: People) -> None:
    act_as(boss, "", f"system:serviceaccounts:{staff.desk}\nteam-a")
    row = Impersonation.objects.get()
    user_info = clients.client_of(row.key).whoami()
    assert row.user == user_info["username"] == f"system:serviceaccounts:{staff.desk}"
    assert set(user_info["groups"]) == {f"system:serviceaccounts:{staff.desk}", "team-a", "system:authenticated"}
    assert "Groups: " in boss.get("/").content.decode()


def test_what_was_done_is_both_ones_and_nothing_of_the_others_own_is_seen(
    boss: Client, staff: People, admin: ClusterClient
) -> None:
    own = (clients.client_of(Session.objects.get().key) if Session.objects.exists() else admin).user
    act_as(boss, staff.name("clerk"))
    mine = f"/api/resources/core/v1/configmaps/{staff.here}/{staff.mark}-mine/"
    change = {"metadata": {"labels": {"seen": uuid4().hex[:6]}}}
    assert boss.patch(mine, json.dumps(change), content_type="application/json").status_code == 200
    assert (
        boss.post(
            f"/resources/core/v1/secrets/{staff.here}/{staff.mark}-secret/delete/", {"name": f"{staff.mark}-secret"}
        ).status_code
        == 403
    )
    acts = boss.get("/api/audit/").json()
    assert acts["everybody"] is False
    assert {(item["user"], item["as_user"]) for item in acts["items"]} == {(own, staff.name("clerk"))}
    boss.post("/view-as/stop/")
    entries = [
        (item.verb, item.user, item.as_user, item.outcome, item.name)
        for item in AuditEntry.objects.exclude(verb="sign-in").order_by("pk")
    ]
    assert entries[0] == ("impersonate", own, "", "ok", staff.name("clerk"))
    assert entries[-1] == ("stop-impersonating", own, staff.name("clerk"), "ok", staff.name("clerk"))
    between = entries[1:-1]
    assert len(between) >= 2 and all(item[1:3] == (own, staff.name("clerk")) for item in between)
    assert {"ok", "Forbidden"} == {item[3] for item in between}
    page = boss.get("/audit/").content.decode()
    assert f"as {staff.name('clerk')}" in page
    # The clerk herself has not done it.
    assert not AuditEntry.objects.filter(user=staff.name("clerk")).exists()


def test_who_may_not_is_told_at_the_field_and_in_the_audit(staff: People) -> None:
    clerk = signed_in(staff.clerk)
    assert "View as" not in clerk.get("/view-as/offer/").content.decode()
    assert "View as" in signed_in(staff.boss).get("/view-as/offer/").content.decode()
    answer = clerk.post("/view-as/", {"user": staff.name("boss")})
    page = html.unescape(answer.content.decode())
    assert answer.status_code == 403 and 'aria-invalid="true"' in page
    assert f"You don't have permission to impersonate the service account {staff.name('boss')}" in page
    assert not Impersonation.objects.exists()
    row = AuditEntry.objects.get(verb="impersonate")
    assert (row.user, row.name, row.outcome) == (staff.name("clerk"), staff.name("boss"), "Forbidden")


def test_each_group_is_asked_for(staff: People, admin: ClusterClient) -> None:
    with deputy(admin, staff, _verb("users", names=("anna",)) + _verb("groups", names=("team-a",))) as (_name, mine):
        browser = signed_in(mine)
        answer = browser.post("/view-as/", {"user": "anna", "groups": "team-a\nsystem:masters"})
        assert answer.status_code == 403
        assert "You don't have permission to impersonate the group system:masters" in html.unescape(
            answer.content.decode()
        )
        assert browser.post("/view-as/", {"user": "bert", "groups": "team-a"}).status_code == 403
        act_as(browser, "anna", "team-a")
        assert "You are impersonating anna." in browser.get("/").content.decode()


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ({}, "Enter a user, a service account or groups."),
        ({"user": "a\r\nImpersonate-Group: system:masters"}, "visible ASCII"),
        ({"user": "안나"}, "visible ASCII"),
        ({"user": "x" * 300}, "at most 200"),
        ({"user": "system:serviceaccount:x"}, "NAMESPACE:NAME"),
        ({"user": "anna", "groups": "a\n" + "é"}, "visible ASCII"),
        ({"user": "anna", "groups": "\n".join(map(str, range(30)))}, "Enter at most 20 groups"),
    ],
)
def test_what_is_no_name_is_said_at_once(staff: People, typed: dict[str, str], words: str) -> None:
    answer = signed_in(staff.boss).post("/view-as/", typed)
    assert answer.status_code == 422 and words in answer.content.decode()
    assert not Impersonation.objects.exists()


def test_nobody_acts_as_a_third(boss: Client, staff: People) -> None:
    act_as(boss, staff.name("boss"))  # who may impersonate, too
    assert "Stop impersonation first" in boss.get("/view-as/").content.decode()
    answer = boss.post("/view-as/", {"user": staff.name("clerk")})
    assert answer.status_code == 409
    assert [row.user for row in Impersonation.objects.all()] == [staff.name("boss")]


def test_a_browsers_own_headers_are_never_passed_on(boss: Client, staff: People) -> None:
    headers = {"Impersonate-User": staff.name("boss"), "Impersonate-Group": "system:masters"}
    act_as(boss, staff.name("stranger"))
    address = f"/resources/core/v1/configmaps/{staff.here}/{staff.mark}-mine/"
    assert boss.get(address, headers=headers).status_code == 403
    boss.post("/view-as/stop/")
    away = {"Impersonate-User": staff.name("stranger")}
    assert boss.get(address, headers=away).status_code == 200


def test_a_right_that_is_withdrawn_leaves_a_clear_page_and_the_way_back(
    staff: People, admin: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "REVOCATION_SECONDS", 0.0)
    with deputy(admin, staff, _verb("serviceaccounts")) as (name, mine):
        browser = signed_in(mine)
        act_as(browser, staff.name("clerk"))
        address = f"/resources/core/v1/configmaps/?namespace={staff.here}"
        assert f"{staff.mark}-mine" in browser.get(address).content.decode()
        admin.delete(admin.find("rbac.authorization.k8s.io", "v1", "clusterrolebindings"), name)
        # A real API server hears of it a moment later.
        until(lambda: browser.get(address).status_code != 200, seconds=20)
        answer = browser.get(address)
        page = answer.content.decode()
        assert answer.status_code == 403 and f"You are no longer impersonating {staff.name('clerk')}" in page
        assert "no longer lets you impersonate this user" in page and f"{staff.mark}-mine" not in page
        assert browser.get("/namespaces/").status_code == 403
        assert browser.post("/view-as/stop/").status_code == 302
        assert "no longer impersonating" not in browser.get("/").content.decode()


def test_nobody_falls_back_to_his_own_rights_without_saying_so(boss: Client, staff: People) -> None:
    act_as(boss, staff.name("stranger"))
    impersonation.withdraw(Impersonation.objects.get().key)
    ended = AuditEntry.objects.get(verb="stop-impersonating")
    assert (ended.as_user, ended.detail) == (staff.name("stranger"), "withdrawn")
    theirs = f"/resources/core/v1/configmaps/{staff.here}/{staff.mark}-mine/"
    answer = boss.get(theirs)
    page = answer.content.decode()
    assert answer.status_code == 403 and f"You are no longer impersonating {staff.name('stranger')}" in page
    assert "no longer lets you impersonate this user" in page and "/view-as/stop/" in page
    assert boss.post(f"{theirs}labels/", {"labels": "a=b"}).status_code == 403
    refused = boss.get("/api/resources/core/v1/configmaps/")
    assert (refused.status_code, refused.json()["reason"]) == (403, "ImpersonationOver")
    part = boss.get(theirs, headers={"hx-request": "true"})
    assert part["HX-Refresh"] == "true"
    Impersonation.objects.all().delete()  # forgotten altogether
    answer = boss.get(theirs)
    assert answer.status_code == 403 and "no longer impersonating" in answer.content.decode()
    assert boss.post("/view-as/stop/").status_code == 302
    assert boss.get(theirs).status_code == 200


def test_stop_and_begin_want_this_sites_token_and_older_pages_are_worth_nothing(
    boss: Client, staff: People, settings: Any
) -> None:
    browser = Client(enforce_csrf_checks=True, headers={"host": "localhost", "origin": "http://localhost"})
    browser.cookies = boss.cookies

    def page_token(address: str = "/settings/") -> str:
        page = browser.get(address).content.decode()
        return page.partition('name="csrf-token" content="')[2].partition('"')[0]

    before = page_token()
    assert browser.post("/view-as/", {"user": staff.name("clerk")}).status_code == 403
    begun = browser.post("/view-as/", {"user": staff.name("clerk"), "csrfmiddlewaretoken": before})
    assert begun.status_code == 302
    # A tab that was open before: its requests don't run with another identity, and aren't resent automatically.
    address = f"/resources/core/v1/configmaps/{staff.here}/{staff.mark}-mine/labels/"
    late = browser.post(address, {"labels": "late=1"}, headers={"x-csrftoken": before, "hx-request": "true"})
    assert late.status_code == 403 and "X-Console-Kept" not in late
    assert "Your identity changed after this page was loaded" in late.content.decode()
    typed = browser.post(address, {"labels": "late=1", "csrfmiddlewaretoken": before})
    page = typed.content.decode()
    assert typed.status_code == 403 and "You are impersonating" in page and "Send again" in page
    old = browser.get("/namespaces/", headers={"x-console-who": ""})
    assert (old.status_code, old["HX-Refresh"]) == (409, "true")
    assert browser.post("/view-as/stop/").status_code == 403
    assert Impersonation.objects.exists()
    assert browser.post("/view-as/stop/", {"csrfmiddlewaretoken": page_token()}).status_code == 302
    assert not Impersonation.objects.exists()


def test_what_is_kept_for_people_is_neither_ones_own(boss: Client, staff: People) -> None:
    act_as(boss, staff.name("clerk"))
    key = Impersonation.objects.get().key
    client = clients.client_of(key)
    assert client.owner == f"{client.by} → {staff.name('clerk')}" and key in client.who
    address = f"/resources/core/v1/configmaps/{staff.here}/{staff.mark}-mine/"
    boss.get(address)
    assert f"{staff.mark}-mine" in boss.get("/resources/favourites/").content.decode()
    boss.post("/view-as/stop/")
    assert f"{staff.mark}-mine" not in boss.get("/resources/favourites/").content.decode()


def test_signing_out_ends_it(staff: People) -> None:
    browser = signed_in(staff.boss)
    act_as(browser, staff.name("clerk"))
    key = Impersonation.objects.get().key
    assert impersonation.lives(key) and clients.living(key) is not None
    Session.objects.update(until="2001-01-01T00:00Z")
    assert not impersonation.lives(key) and clients.living(key) is None
    Session.objects.update(until="2101-01-01T00:00Z")
    browser.post("/sign-out/")
    assert not Impersonation.objects.exists()
    assert browser.get("/")["Location"] == "/sign-in/"


def test_a_service_accounts_and_a_bindings_page_lead_there(staff: People) -> None:
    link = f"/view-as/?user=system%3Aserviceaccount%3A{staff.desk}%3Aclerk"
    places = (
        f"/resources/core/v1/serviceaccounts/{staff.desk}/clerk/",
        f"/resources/rbac.authorization.k8s.io/v1/rolebindings/{staff.here}/{staff.mark}-clerk/",
    )
    browser = signed_in(staff.boss)
    for place in places:
        assert link in browser.get(place).content.decode(), place
    assert f'value="{staff.name("clerk")}"' in browser.get(link).content.decode()
