"""Work that outlives its request (an uninstall, the check of all instances) keeps the permissions of the user who
started it, and stops when their session ends.
"""

from typing import Any

import pytest
from django.utils import timezone

from console.audit.models import AuditEntry
from console.signin import clients
from console.signin.models import Impersonation, Session
from kube.client import ClusterClient
from operatorhub import runs, tasks
from operatorhub.models import Run
from tests.console.signin.people import People, act_as, browser_of, signed_in

pytestmark = pytest.mark.django_db


def _uninstall(staff: People, admin: ClusterClient, who: ClusterClient, name: str) -> Run:
    """An uninstall of one ConfigMap, which the worker can delete and the clerk can't."""
    live = admin.get(
        admin.find("", "v1", "configmaps"),
        f"{staff.mark}-{name}",
        f"{staff.mark}-other",
    )
    meta = live["metadata"]
    item = {
        "stage": "rest",
        "kind": "ConfigMap",
        "group": "",
        "version": "v1",
        "plural": "configmaps",
        "namespace": meta["namespace"],
        "name": meta["name"],
        "uid": meta["uid"],
        "state": "waiting",
        "message": "",
        "asked": 0.0,
    }
    document = {
        "title": "x",
        "csv": "x",
        "namespace": meta["namespace"],
        "items": [item],
        "despite": False,
        "changed": timezone.now().timestamp(),
        "apis": [],
        "deployments": [],
    }
    return runs.create(f"{name}{staff.mark}", "uninstall", who, meta["namespace"], "x", document)


def test_the_worker_lends_nobody_its_rights(staff: People, admin: ClusterClient) -> None:
    signed_in(staff.clerk)
    clerk = clients.client_of(Session.objects.get().key)
    run = _uninstall(staff, admin, clerk, "theirs")
    assert run.session == Session.objects.get().key
    tasks.go_on(run.key)
    run.refresh_from_db()
    assert run.state == "failed"
    message = run.document["items"][0]["message"]
    assert staff.name("clerk") in message and "cannot delete" in message
    assert admin.get(admin.find("", "v1", "configmaps"), f"{staff.mark}-theirs", f"{staff.mark}-other")


def test_it_stops_when_the_session_is_over_and_goes_on_in_the_next_one(
    staff: People, admin: ClusterClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = signed_in(staff.boss)
    boss = clients.client_of(Session.objects.get().key)
    spare = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": f"{staff.mark}-spare"}}
    admin.create(admin.find("", "v1", "configmaps"), spare, f"{staff.mark}-other")
    run = _uninstall(staff, admin, boss, "spare")
    browser.post("/sign-out/")
    tasks.go_on(run.key)
    run.refresh_from_db()
    assert (run.state, run.document["abandoned"], run.document["items"][0]["state"]) == ("stopped", True, "waiting")
    assert admin.get(admin.find("", "v1", "configmaps"), f"{staff.mark}-spare", f"{staff.mark}-other")
    # Others of another name don't find it; he himself does, in his next session.
    address = f"/operators/-/removals/{run.key}/"
    assert signed_in(staff.clerk).get(address).status_code == 404
    again = signed_in(staff.boss)
    page = again.get(address).content.decode()
    assert "Stopped because you signed out" in page
    handed: list[Any] = []
    monkeypatch.setattr(runs, "hand_over", handed.append)
    again.post(address, {"again": "1"})
    run.refresh_from_db()
    assert run.session == Session.objects.get(user=staff.name("boss")).key
    assert "abandoned" not in run.document and run.document["items"][0]["state"] != "waiting"


@pytest.mark.parametrize("way", ["token", "local"])
def test_what_was_begun_as_another_goes_on_as_that_one_and_stops_with_it(
    staff: People, admin: ClusterClient, settings: Any, way: str
) -> None:
    settings.SIGN_IN = way
    browser = signed_in(staff.boss) if way == "token" else browser_of()
    act_as(browser, staff.name("clerk"))
    key = Impersonation.objects.get().key
    run = _uninstall(staff, admin, clients.client_of(key), "theirs")
    assert run.session == key and run.user.endswith(f" → {staff.name('clerk')}")
    tasks.go_on(run.key)
    run.refresh_from_db()
    message = run.document["items"][0]["message"]
    assert run.state == "failed" and staff.name("clerk") in message and "cannot delete" in message
    assert AuditEntry.objects.get(verb="delete").as_user == staff.name("clerk")
    Run.objects.filter(key=run.key).update(state="running")
    browser.post("/view-as/stop/")
    tasks.go_on(run.key)
    run.refresh_from_db()
    assert (run.state, run.document["abandoned"]) == ("stopped", True)
    # Neither he himself nor the one that he was finds it as his own.
    address = f"/operators/-/removals/{run.key}/"
    assert browser.get(address).status_code == 404
    settings.SIGN_IN = "token"
    assert signed_in(staff.clerk).get(address).status_code == 404
    assert admin.get(admin.find("", "v1", "configmaps"), f"{staff.mark}-theirs", f"{staff.mark}-other")
