"""What operators' pages and the worker leave in the audit."""

import pytest
from django.test import Client

from console.audit.models import AuditEntry
from kube.client import ClusterClient
from operatorhub import olm, runs, tasks
from operatorhub.models import Run
from operatorhub.removing import removal, uninstall
from tests.operatorhub import operators
from tests.operatorhub.operators import V11
from tests.operatorhub.test_install_pages import FORM, _index, choices, place  # noqa: F401  fixtures

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(300)]


def recorded(namespace: str) -> list[tuple[str, str, str, str]]:
    rows = AuditEntry.objects.order_by("at", "pk")
    mine = (row for row in rows if namespace in (row.namespace, row.name))
    return [(row.verb, row.resource, row.source, row.outcome) for row in mine]


def test_an_install_is_each_object_that_it_made(client: ClusterClient, place: str) -> None:  # noqa: F811
    web = Client()
    assert web.post(FORM, choices(approval="Manual")).status_code in (302, 303)
    assert recorded(place) == [
        ("create", "namespaces", "page", "ok"),
        ("create", "operatorgroups", "page", "ok"),
        ("create", "subscriptions", "page", "ok"),
    ]
    row = AuditEntry.objects.get(resource="subscriptions", namespace=place)
    assert ["spec.installPlanApproval", "", "Manual"] in row.diff
    assert (row.kind, row.group, row.uid != "") == ("Subscription", olm.GROUP, True)


def test_what_a_worker_takes_away(client: ClusterClient) -> None:
    with operators.place(client, "hub-audit") as name:
        operators.subscribe(client, name)
        operators.succeeded(client, name, V11)
        plan = uninstall.read_plan(client, name, V11)
        run = runs.create("audit-test", removal.KIND, client, name, V11, removal.document(client, plan, (), ()))
        tasks.go_on(run.key)
        assert Run.objects.get(key=run.key).state == "done"
        assert ("delete", "subscriptions", "worker", "ok") in recorded(name)
        assert ("delete", "clusterserviceversions", "worker", "ok") in recorded(name)
        row = AuditEntry.objects.get(verb="delete", resource="subscriptions", namespace=name)
        assert row.uid == plan.subscription_uid
