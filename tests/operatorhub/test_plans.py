"""InstallPlans at the pages: what they hold, what they change, which instances would not fit; approved, denied, and
by whom not.
"""

import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from console.web.clusters import console_client
from kube.client import ClusterClient
from kube.errors import Conflict
from operatorhub import olm, runs
from operatorhub.models import Run
from operatorhub.upgrade import plan_check, plan_diff, plans
from resources import yamltext
from tests.eventually import until
from tests.operatorhub import operators
from tests.operatorhub.operators import V1, V2
from tests.operatorhub.test_pages import text

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def place(cluster_kubeconfig: Any) -> Iterator[str]:
    """FlightTicket 1.0.0 is installed; a plan for 2.0.0 waits, whose schema allows fewer seats.

    The last test approves it.
    """
    client = console_client()
    until(lambda: olm.served(client) or client.forget_types())
    with operators.place(client, "hub-plans") as name:
        operators.subscribe(client, name, channel="candidate", installPlanApproval="Manual", startingCSV=V1)
        plans.approve(client, plans.read(client, name, operators.waiting_plan(client, name, V1)))
        operators.succeeded(client, name, V1)
        operators.waiting_plan(client, name, V2)
        yield name


@pytest.fixture
def namespace(client: ClusterClient, place: str) -> Iterator[str]:
    yield place
    tickets = client.find("flights.com", "v1", "flighttickets")
    for item in client.list(tickets, place).items:
        client.delete(tickets, item["metadata"]["name"], place)
    until(lambda: not client.list(tickets, place).items)


def test_a_check_goes_on_where_it_was_left(
    client: ClusterClient, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Page by page, as after the death of its worker; and the findings are those of one go."""
    for number in range(7):
        operators.ticket(client, namespace, f"t{number}", 10 if number % 2 else 2)
    monkeypatch.setattr(plan_check, "PAGE", 2)
    monkeypatch.setattr(plan_check, "SECONDS", 0)
    plan = plans.read(client, namespace, operators.waiting_plan(client, namespace, V2))
    seen = []
    for _number in range(6):
        run = plan_check.begin(client, plan)
        seen.append((run.state, run.document["done"]))
    assert seen[:4] == [("running", 2), ("running", 4), ("running", 6), ("done", 7)] or seen[3][1] == 7
    check = plan_check.current_check(client, plan)
    assert (check.state, check.done, check.total, check.refused) == ("done", 7, 7, 3)
    assert [finding.name for finding in check.findings] == ["t1", "t3", "t5"]


def test_a_dead_worker_is_said(client: ClusterClient, namespace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        operators.ticket(client, namespace, f"t{number}")
    monkeypatch.setattr(plan_check, "PAGE", 1)
    monkeypatch.setattr(plan_check, "SECONDS", 0)
    name = operators.waiting_plan(client, namespace, V2)
    here = f"/operators/{namespace}/installplans/{name}/"
    web = Client()
    assert "1 of 3 instances checked" in text(web.get(here, {"part": "check"}))
    Run.objects.update(touched_at="2020-01-01T00:00:00Z")
    assert "The console's background worker isn't processing this task" in text(web.get(here, {"part": "check"}))
    monkeypatch.setattr(plan_check, "SECONDS", 5)
    web.post(f"{here}check/")
    assert "All 3 instances (FlightTicket) fit" in text(web.get(here, {"part": "check"}))


def test_a_task_finishes_it(client: ClusterClient, namespace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    operators.ticket(client, namespace, "one", 10)
    plan = plans.read(client, namespace, operators.waiting_plan(client, namespace, V2))
    run = runs.create("k", plan_check.KIND, client, namespace, plan.name, plan_check.document(client, plan))
    runs.work(lambda _run: client, run.key, plan_check.advance)
    run.refresh_from_db()
    assert (run.state, run.document["refused"]) == ("done", 1)


def test_a_plan_whose_bundle_is_in_a_config_map(client: ClusterClient, namespace: str) -> None:
    """As after OLM's unpack job: every step refers to the ConfigMap."""
    operators.ticket(client, namespace, "too-many", 10)
    inline = plans.read(client, namespace, operators.waiting_plan(client, namespace, V2))
    found = [
        step for step in plans.steps(client, inline) if step.kind in (plan_diff.CRD, plan_diff.CSV) and step.manifest
    ]
    data = {f"{item.number}.yaml": yamltext.dump(item.manifest) for item in found}
    operators.make(client, "", "ConfigMap", "unpacked", namespace, data=data)
    entries = inline.object["status"]["plan"]
    reference = {
        "kind": "ConfigMap",
        "name": "unpacked",
        "namespace": namespace,
        "catalogSourceName": "samples-catalog",
        "catalogSourceNamespace": "olm",
        "replaces": V1,
        "properties": "",
    }
    steps = [{**entry, "resource": {**entry["resource"], "manifest": json.dumps(reference)}} for entry in entries]
    type_ = olm.type_of(client, olm.PLANS)
    spec = {"approval": "Manual", "approved": False, "clusterServiceVersionNames": [V2]}
    operators.make(client, olm.GROUP, "InstallPlan", "by-reference", namespace, spec=spec)
    try:
        status = {"phase": "RequiresApproval", "catalogSources": ["samples-catalog"], "plan": steps}
        client.patch(type_, "by-reference", {"status": status}, namespace, subresource="status")
        web, here = Client(), f"/operators/{namespace}/installplans/by-reference/"
        changes = text(web.get(here, {"part": "changes"}))
        assert "FlightTicket 1.0.0 → 2.0.0" in changes
        assert "v1 spec.number maximum changed from 10 to 9." in changes
        assert "Can read Secrets" in changes
        assert "OLM creates it from the CSV" in changes
        assert "1 instance doesn't fit the new schema" in text(web.get(here, {"part": "check"}))
        client.delete(client.find("", "v1", "configmaps"), "unpacked", namespace)
        assert "can't be read" in text(web.get(here, {"part": "changes"}))
    finally:
        client.delete(type_, "by-reference", namespace)


def test_denying_is_explained_and_a_changed_plan_is_not_approved(client: ClusterClient, namespace: str) -> None:
    web, name = Client(), operators.waiting_plan(client, namespace, V2)
    here = f"/operators/{namespace}/installplans/{name}/"
    # OLM writes the plan before the Subscription that says what is to be updated.
    stays = "flightticket stays on 1.0.0 and isn't updated to 2.0.0"
    page = until(lambda: stays in (found := text(web.get(f"{here}deny/"))) and found, stays)
    assert "Choose another channel for flightticket" in page
    seen = plans.read(client, namespace, name)
    type_ = olm.type_of(client, olm.PLANS)
    client.patch(type_, name, {"metadata": {"labels": {"a": "b"}}}, namespace)
    plans.approve(client, seen, dry_run=True)
    names = client.get(type_, name, namespace)["spec"]["clusterServiceVersionNames"]
    client.patch(type_, name, {"spec": {"clusterServiceVersionNames": [*names, "another.v1"]}}, namespace)
    with pytest.raises(Conflict):
        plans.approve(client, seen)
    changed = plans.read(client, namespace, name)
    with pytest.raises(Conflict):
        plans.approve(client, changed, seen=seen.content)
    # H5: the page sends what it showed, whichever page it was.
    assert web.post(f"{here}approve/", {"seen": seen.content}).status_code == 409
    assert web.post(f"{here}deny/", {"seen": seen.content}).status_code == 409
    client.patch(type_, name, {"spec": {"clusterServiceVersionNames": names}}, namespace)
    assert f"{here}deny/" in web.get(here).content.decode()
    assert web.post(f"{here}deny/").status_code == 302
    dismissed = web.get(here).content.decode()
    assert f"{here}approve/" in dismissed
    assert f"{here}deny/" not in dismissed
    assert "it is waiting for approval" not in text(web.get(here))
    asked_again: dict[str, Any] = {"metadata": {"annotations": {olm.DISMISSED: None}}}
    client.patch(olm.type_of(client, olm.SUBSCRIPTIONS), "flightticket", asked_again, namespace)


def test_what_a_plan_changes_and_refuses(
    client: ClusterClient, namespace: str, caplog: pytest.LogCaptureFixture
) -> None:
    web, name = Client(), operators.waiting_plan(client, namespace, V2)
    here = f"/operators/{namespace}/installplans/{name}/"
    operators.ticket(client, namespace, "fits", 2)
    operators.ticket(client, namespace, "too-many", 10)

    page = text(web.get(here))
    assert "it is waiting for approval" in page
    assert "flighttickets.flights.com CustomResourceDefinition" in page
    changes = text(web.get(here, {"part": "changes"}))
    assert "FlightTicket 1.0.0 → 2.0.0" in changes
    assert f"{V2} replaces {V1}" in changes
    assert "Can read Secrets" in changes, changes
    assert "flightticket-operator:1.0.0 → operator-console.dev/flightticket-operator:2.0.0" in changes
    assert "v1 spec.number maximum changed from 10 to 9." in changes

    check = text(web.get(here, {"part": "check"}))
    assert "1 instance doesn't fit the new schema" in check
    assert "spec.number in body should be less than or equal to 9" in check
    assert "fits" not in check.replace("fits the new", "")
    tickets = client.find("flights.com", "v1", "flighttickets")
    client.patch(tickets, "too-many", {"spec": {"number": 9}}, namespace)
    web.post(f"{here}check/", {"anew": "1"})
    assert "All 2 instances (FlightTicket) fit" in text(web.get(here, {"part": "check"}))

    steps = plans.steps(client, plans.read(client, namespace, name))
    crd = next(step for step in steps if step.kind == plan_diff.CRD)
    shown = text(web.get(f"{here}steps/{crd.number}/"))
    assert "properties.number.maximum 10 → 9" in shown
    assert web.get(f"{here}steps/99/").status_code == 404

    with caplog.at_level(logging.INFO, "console.audit"):
        assert web.post(f"{here}approve/")["Location"] == here
    assert (
        f"verb=approve object=operators.coreos.com/v1alpha1/installplans {namespace}/{name} outcome=ok" in caplog.text
    )
    operators.succeeded(client, namespace, V2)
    until(lambda: "Complete" in text(web.get(here)))
    until(lambda: f'href="/operators/{namespace}/{V2}/"' in web.get(here).content.decode().partition("<main")[2])
    listed = text(web.get(f"/operators/{namespace}/installplans/"))
    assert name in listed
    assert "Complete" in listed
