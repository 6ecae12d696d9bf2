"""H4: cancel an installation, dismiss an update and uninstall are three things with three names."""

import re

import pytest
from django.test import Client

from kube.client import ClusterClient
from operatorhub import olm
from operatorhub.indexing import index
from operatorhub.progress import read
from operatorhub.running import installed_operators
from operatorhub.upgrade import plans
from tests.eventually import until
from tests.operatorhub import operators
from tests.operatorhub.test_pages import text

pytestmark = [pytest.mark.django_db, pytest.mark.timeout(180)]
OLD, NEW = "memcached-operator.v0.0.1", "memcached-operator.v0.1.0"


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("memcached-operator.v0.0.1", "0.0.1"),
        ("argocd-operator.0.18.0", "0.18.0"),
        ("db-v1.2.3-rc.1", "1.2.3-rc.1"),
        ("odd", "odd"),
    ],
)
def test_the_version_in_a_name(name: str, version: str) -> None:
    assert olm.version_in(name) == version


def test_one_button_stays_on_the_version_that_runs(client: ClusterClient) -> None:
    """H4."""
    index.build(client)
    with operators.place(client, "hub-dismiss") as place:
        operators.subscribe(client, place, "memcached", channel="alpha", installPlanApproval="Manual", startingCSV=OLD)
        web, here = Client(), f"/operators/{place}/subscriptions/memcached/"
        first = plans.read(client, place, operators.waiting_plan(client, place, OLD))
        page = until(lambda: "Cancel installation" in (page := text(web.get(here))) and page)
        assert "Stay on" not in page
        assert "Uninstall" not in page
        plans.approve(client, first)
        operators.succeeded(client, place, OLD)
        plan = operators.waiting_plan(client, place, NEW)
        until(lambda: read.read(client, place, "memcached").state == "asks")

        page = web.get(here).content.decode()
        assert re.findall(r"<title>\s*(.*?) ·", page) == ["Update Memcached 0.0.1 to 0.1.0"]
        assert "Cancel installation" not in page
        # The page of what has not finished leads to the uninstall of the version that runs.
        assert web.get(f"{here}undo/")["Location"] == f"/operators/{place}/{OLD}/uninstall/"
        (form,) = re.findall(r'<form\s+class="hub-approve[ "].*?</form>', page, re.DOTALL)
        assert "Stay on 0.0.1" in form
        sent = dict(re.findall(r'name="(seen|subscription)" value="([^"]+)"', form))
        (action,) = re.findall(r'formaction="([^"]+)"', form)
        assert web.post(action, sent)["Location"] == here

        assert plans.read(client, place, plan).waits
        found = read.read(client, place, "memcached")
        assert (found.state, found.csv, found.title) == ("done", OLD, f"Memcached {olm.version_in(OLD)} is ready")
        (row,) = installed_operators.listed(client, place).rows
        assert row.csv == OLD
        assert row.update is not None
        assert (row.update.state, row.update.word) == ("", "Update dismissed")
        assert "Update dismissed" in text(web.get("/operators/", {"namespace": place}))
        # The plan can be approved all the same.
        plans.approve(client, plans.read(client, place, plan))
        operators.succeeded(client, place, NEW)
        assert not olm.subscription(client.get(olm.type_of(client, olm.SUBSCRIPTIONS), "memcached", place)).dismissed
