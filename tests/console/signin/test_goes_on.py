"""What goes on after its request (an uninstall, the check of all instances) goes on with the rights of who began it, and stops when he is gone."""

from typing import Any

import pytest
from django.utils import timezone

from console.signin import clients
from console.signin.models import Session
from kube.client import ClusterClient
from operatorhub import runs, tasks
from operatorhub.models import Run
from tests.console.signin.people import People, signed_in

pytestmark = pytest.mark.django_db


def _uninstall(staff: People, admin: ClusterClient, who: ClusterClient, name: str) -> Run:
    """Of one object: a ConfigMap, which the worker may delete and the clerk may not."""
    live = admin.get(
        admin.find("", "v1", "configmaps"),
        f"{staff.mark}-{name}",
        f"{staff.mark}-other",
    )
    meta = live["metadata"]
    item = {
        "stage": "rest", "kind": "ConfigMap", "group": "", "version": "v1", "plural": "configmaps", "namespace": meta["namespace"], "name": meta["name"],
        "uid": meta["uid"], "state": "waiting", "message": "", "asked": 0.0,
    }  # fmt: skip
    document = {"title": "x", "csv": "x", "namespace": meta["namespace"], "items": [item], "despite": False, "changed": timezone.now().timestamp(), "apis": [], "deployments": []}  # fmt: skip
    return runs.create(f"{name}{staff.mark}", "uninstall", who, meta["namespace"], "x", document)


def test_the_worker_lends_nobody_its_rights(staff: People, admin: ClusterClient) -> None:
    signed_in(staff.clerk)
    clerk = clients.of(Session.objects.get().key)
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
    boss = clients.of(Session.objects.get().key)
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
    assert "It stopped, since you signed out" in page
    handed: list[Any] = []
    monkeypatch.setattr(runs, "hand_over", handed.append)
    again.post(address, {"again": "1"})
    run.refresh_from_db()
    assert run.session == Session.objects.get(user=staff.name("boss")).key
    assert "abandoned" not in run.document and run.document["items"][0]["state"] != "waiting"
