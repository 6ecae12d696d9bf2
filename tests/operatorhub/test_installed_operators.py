"""The list of installed operators and an operator's page with its tabs."""

import dataclasses
import re
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from console.web.clusters import console_client
from kube.client import ClusterClient
from kube.errors import Forbidden
from kube.objects import TableRow
from kube.reader import read
from kube.types.olm import ClusterServiceVersion, ClusterServiceVersionStatus
from operatorhub import olm
from operatorhub.indexing import index
from operatorhub.running import installed_operators, operands, operator, updates
from operatorhub.running.installed_operators import Operator
from operatorhub.running.updates import Update
from operatorhub.views.installed_operators import OperatorFilter, filter_operators
from tests.eventually import until
from tests.operatorhub import operators
from tests.operatorhub.conftest import csv_object
from tests.operatorhub.operators import V1, V11
from tests.operatorhub.test_pages import text

HERE = "/operators/"


def row(name: str, namespace: str = "apps", state: str = "done", **more: Any) -> Operator:
    base = Operator(
        uid=f"{namespace}/{name}",
        namespace=namespace,
        csv=f"{name}.v1",
        title=name.title(),
        version="1",
        provider="Us",
        state=state,
        word="",
        reason="",
        apis=(),
        subscription=name,
        package=name,
        channel="stable",
        created="",
    )
    return dataclasses.replace(base, **more)


ROWS = (
    row("alpha"),
    row("beta", "web", "failed", deprecated=("old",)),
    row("gamma", "web", subscription="", package=""),
    row("delta", "shop", update=Update(state="asks", word="Update available")),
    row("epsilon", "shop", "asks", csv=""),
)


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({}, ["alpha", "beta", "gamma", "delta", "epsilon"]),
        ({"q": "ALPH"}, ["alpha"]),
        ({"q": "beta us"}, ["beta"]),
        ({"status": ("failed", "asks")}, ["beta", "epsilon"]),
        ({"status": ("updates",)}, ["delta"]),
        ({"status": ("orphan",)}, ["gamma"]),
        ({"status": ("deprecated",), "places": ("shop",)}, []),
        ({"places": ("web", "shop")}, ["beta", "gamma", "delta", "epsilon"]),
    ],
)
def test_filters(filters: dict[str, Any], names: list[str]) -> None:
    found = filter_operators(ROWS, OperatorFilter(**filters))
    assert [item.title.lower() for item in found.rows if item.csv] + [
        item.package for item in found.rows if not item.csv
    ] == names


def test_counts_are_of_what_the_other_filters_leave() -> None:
    found = filter_operators(ROWS, OperatorFilter(status=("failed",), places=("web",)))
    assert {item.value: item.count for item in found.places} == {"web": 1}
    assert {item.value: item.count for item in found.status} == {"failed": 1, "done": 1, "deprecated": 1, "orphan": 1}


@pytest.mark.django_db
def test_a_page_of_three_hundred(client: ClusterClient, monkeypatch: pytest.MonkeyPatch) -> None:
    many = tuple(row(f"op-{number:03}") for number in range(300))
    monkeypatch.setattr(
        "operatorhub.views.installed_operators.listed", lambda *_asked: installed_operators.Listed(many)
    )
    web = Client()
    assert "Page 1 of 6" in text(web.get(HERE))
    web.post("/settings/", {"size": "20"})
    last = text(web.get(HERE, {"page": "99"}))
    assert "Page 15 of 15" in last
    assert "Op-280" in last and "Op-279" not in last
    assert OperatorFilter(q="a b", status=("failed",), places=("x",)).url(2) == "?q=a+b&status=failed&in=x&page=2"


def sub(state: str = "", installed_csv: str = "db.v1", *conditions: tuple[str, str]) -> olm.Subscription:
    status_conditions = [
        {"type": type_, "status": "True", "reason": reason, "message": f"{type_}!"} for type_, reason in conditions
    ]
    status = {
        "state": state,
        "installedCSV": installed_csv,
        "installPlanRef": {"name": "install-1"},
        "conditions": status_conditions,
    }
    return olm.subscription(
        {
            "metadata": {"name": "db", "namespace": "apps"},
            "spec": {"name": "db", "source": "cat", "sourceNamespace": "olm"},
            "status": status,
        }
    )


@pytest.mark.parametrize(
    ("given", "sources", "state", "word"),
    [
        (sub("AtLatestKnown"), {("olm", "cat"): "READY"}, "done", "Up to date"),
        (sub("AtLatestKnown"), None, "done", "Up to date"),
        (sub("AtLatestKnown"), {}, "failed", "Can't update"),
        (sub("AtLatestKnown"), {("olm", "cat"): "TRANSIENT_FAILURE"}, "failed", "Can't update"),
        (
            sub("UpgradePending", "db.v1", ("InstallPlanPending", "RequiresApproval")),
            {("olm", "cat"): "READY"},
            "asks",
            "Update available",
        ),
        (sub("UpgradePending"), {("olm", "cat"): "READY"}, "running", "Updating"),
        (sub("UpgradeFailed"), {("olm", "cat"): "READY"}, "failed", "Update failed"),
        (
            sub("UpgradePending", "db.v1", ("ResolutionFailed", "X")),
            {("olm", "cat"): "READY"},
            "failed",
            "Update failed",
        ),
        (sub("", ""), {("olm", "cat"): "READY"}, "", ""),
    ],
)
def test_what_a_subscription_says_of_updates(given: olm.Subscription, sources: Any, state: str, word: str) -> None:
    found = updates.update_of(
        given,
        updates.CatalogHealth(sources, silent=frozenset(p for p, state in (sources or {}).items() if state != "READY")),
    )
    assert (found.state, found.word) == (state, word)
    if state in ("asks", "running"):
        assert found.url == "/operators/apps/installplans/install-1/"


def test_facts_of_a_csv_without_any_shape() -> None:
    for broken in (
        {},
        {"links": 1, "webhookdefinitions": [None], "install": {"spec": []}, "relatedImages": {}},
        {"maintainers": ["x"]},
    ):
        found = operator.facts(read(csv_object(**broken), ClusterServiceVersion))  # type: ignore[arg-type]
        assert found.webhooks == ()
        assert found.links == ()


def test_webhooks_and_links_of_a_csv() -> None:
    rule = {"apiGroups": ["a.com"], "resources": ["dbs"], "apiVersions": ["v1"], "operations": ["CREATE"]}
    hooks = [
        {"generateName": "v.a.com", "type": "ValidatingAdmissionWebhook", "deploymentName": "op", "rules": [rule]},
        {"generateName": "c", "type": "ConversionWebhook", "conversionCRDs": ["dbs.a.com"]},
    ]
    obj = csv_object(
        webhookdefinitions=hooks,
        links=[{"name": "x", "url": "javascript:alert(1)"}, {"name": "y", "url": "https://a.com"}],
    )
    found = operator.facts(read(obj, ClusterServiceVersion))
    assert [(webhook.what, webhook.policy) for webhook in found.webhooks] == [
        (("a.com/dbs",), "Fail"),
        (("dbs.a.com",), ""),
    ]
    assert [link.url for link in found.links] == ["https://a.com"]


@pytest.fixture(scope="module")
def place(cluster_kubeconfig: Any) -> Iterator[str]:
    """FlightTicket 1.0.0 of a deprecated channel, installed for the module."""
    client = console_client()
    until(lambda: olm.served(client) or client.forget_types())
    with operators.place(client, "hub-installed") as name:
        operators.subscribe(client, name, channel="archive", startingCSV=V1)
        operators.succeeded(client, name, V1)
        yield name


@pytest.mark.django_db
@pytest.mark.timeout(300)
class TestPages:
    def test_the_list(self, client: ClusterClient, place: str) -> None:
        index.build(client)
        web = Client()
        until(lambda: "Up to date" in text(web.get(HERE, {"namespace": place})))
        # OLM says so of the Subscription a moment after it has installed.
        until(lambda: "Deprecated" in text(web.get(HERE, {"namespace": place})))
        shown = text(web.get(HERE, {"namespace": "-", "q": "flight"}))
        for words in ("FlightTicket", "1.0.0 · Operator Console", place, "Succeeded", "Deprecated", "Up to date"):
            assert words in shown
        assert 'src="/operatorhub/icons/' in web.get(HERE, {"namespace": place}).content.decode()
        assert "No matching installed operators" in text(web.get(HERE, {"namespace": place, "status": "failed"}))
        listed = web.get(HERE, {"namespace": place, "labels": "olm.managed=true"}).content.decode()
        assert 'data-total="1"' in listed
        other = text(web.get(HERE, {"namespace": place, "labels": "team=none"}))
        assert "No matching installed operators" in other
        bad = web.get(HERE, {"namespace": place, "labels": "a in (b"})
        assert bad.status_code == 422
        assert "label selector isn't valid" in text(bad)
        part = web.get(HERE, {"namespace": place}, headers={"HX-Request": "true"}).content.decode()
        assert "<html" not in part

    def test_every_tab(self, client: ClusterClient, place: str) -> None:
        operators.ticket(client, place, "mine")
        web, here = Client(), f"{HERE}{place}/{V1}/"
        until(lambda: "Version 1.0.0 can't keep notes" in text(web.get(here)))
        overview = text(web.get(here))
        for words in ("requirement", "OwnNamespace", "flightticket-operator", "Version 1.0.0 can't keep notes", "Pod"):
            assert words in overview
        page = web.get(here).content.decode()
        latest = page.partition('id="latest"')[2].partition("</section>")[0]
        assert f'href="/resources/flights.com/v1/flighttickets/{place}/mine/"' in latest
        assert "InstallSucceeded" in latest
        assert f'href="/resources/flights.com/v1/flighttickets/new/?namespace={place}"' in page
        assert f'href="{here}instances/?kind=flighttickets.flights.com"' in page
        assert len(re.findall('class="pf-v6-c-tabs__link"', page)) == 5
        # What used to be a button or a tab that left the page.
        for words in ("Edit Subscription", "Subscription YAML", "ClusterServiceVersion YAML", "Export", "Uninstall"):
            assert words in overview
        permissions = web.get(f"{here}permissions/").content.decode()
        assert 'class="hub-right' in permissions
        assert f"/serviceaccounts/{place}/" in permissions
        updates = text(web.get(f"{here}updates/"))
        assert "Update channel" in updates
        assert operators.sub_of(client, place).plan in updates
        events = text(web.get(f"{here}events/"))
        assert "InstallSucceeded" in events
        assert web.get(f"{here}nothing/").status_code == 404
        assert web.get(f"{HERE}{place}/nothing.v1/").status_code == 404

    def test_a_peek_and_a_menu(self, client: ClusterClient, place: str) -> None:
        web, here = Client(), f"{HERE}{place}/{V1}/"
        listed = web.get(HERE, {"namespace": place}).content.decode()
        assert f'data-row-menu="{here}?part=menu"' in listed
        assert f'value="{place}/flightticket/{V1}"' in listed
        peek = web.get(here, {"part": "peek"}).content.decode()
        assert "<html" not in peek
        for words in (f'data-live-url="{here}?part=peek"', "flightticket-operator", "InstallSucceeded", "Uninstall"):
            assert words in peek
        menu = web.get(here, {"part": "menu"}).content.decode()
        assert f'href="{here}uninstall/"' in menu

    def test_the_newest_instance_is_told_of_more_than_a_hundred(self, client: ClusterClient, place: str) -> None:
        """By name it is the last one."""
        for number in range(operands.SHOWN + 1):
            operators.ticket(client, place, f"many-{number:03}")
        time.sleep(1)  # creationTimestamp has whole seconds
        operators.ticket(client, place, "zz-newest")
        page = Client().get(f"{HERE}{place}/{V1}/").content.decode()
        latest = page.partition('id="latest"')[2].partition("</section>")[0]
        assert f'href="/resources/flights.com/v1/flighttickets/{place}/zz-newest/"' in latest

    def test_instances_by_kind_and_name(self, client: ClusterClient, place: str) -> None:
        operators.ticket(client, place, "by-kind")
        web, here = Client(), f"{HERE}{place}/{V1}/instances/"
        for query in ({}, {"kind": "flighttickets.flights.com"}, {"q": "BY-K"}, {"kind": "unknown.example"}):
            assert "by-kind" in text(web.get(here, query))
        assert "by-kind" not in text(web.get(here, {"q": "nothing"}))

    @pytest.mark.parametrize(("tab", "now"), [("subscription", "updates/"), ("plans", "updates/#plans")])
    def test_former_tabs_lead_to_where_their_content_is(self, place: str, tab: str, now: str) -> None:
        answer = Client().get(f"{HERE}{place}/{V1}/{tab}/")
        assert (answer.status_code, answer["Location"]) == (302, f"{HERE}{place}/{V1}/{now}")

    def test_an_instance_that_is_wanted_at_the_beginning(self, client: ClusterClient, place: str) -> None:
        wanted = '{"apiVersion": "flights.com/v1", "kind": "FlightTicket", "metadata": {"name": "first"}, "spec": {}}'
        type_ = olm.type_of(client, olm.CSVS)
        client.patch(type_, V1, {"metadata": {"annotations": {operator.INITIALIZATION: wanted}}}, place)
        web, here = Client(), f"{HERE}{place}/{V1}/"
        assert "FlightTicket required to use this operator" in text(web.get(here))
        operators.ticket(client, place, "first")
        assert "required to use this operator" not in text(web.get(here))

    def test_a_subscription_without_csv_says_why(self, client: ClusterClient, place: str) -> None:
        operators.make(client, "", "Namespace", "hub-coming")
        try:
            operators.make(
                client, olm.GROUP, "OperatorGroup", "g", "hub-coming", spec={"targetNamespaces": ["hub-coming"]}
            )
            operators.subscribe(client, "hub-coming", "flightticket", source="nowhere")
            found = until(
                lambda: [
                    item for item in installed_operators.listed(client, "hub-coming").rows if item.state == "failed"
                ],
                seconds=40,
            )
            assert found[0].package == "flightticket"
            assert "nowhere" in found[0].reason
            assert "Installation failed" in text(Client().get(HERE, {"namespace": "hub-coming"}))
        finally:
            operators.clean_subscriptions(client, "hub-coming")

    def test_operators_of_other_namespaces_are_shown_once(self, client: ClusterClient, place: str) -> None:
        """Copies are shown as the original that watches the namespace; by its targets, so that it is the same
        without copies.
        """
        with_all = operators.make(client, "", "Namespace", "hub-everywhere")
        try:
            operators.make(client, olm.GROUP, "OperatorGroup", "g", "hub-everywhere", spec={})
            csv = csv_object(
                displayName="Everywhere",
                version="1.0.0",
                installModes=[{"type": "AllNamespaces", "supported": True}],
                install={"strategy": "deployment", "spec": {"deployments": []}},
            )
            csv["metadata"] = {"name": "everywhere.v1", "namespace": "hub-everywhere"}
            client.create(olm.type_of(client, olm.CSVS), csv, "hub-everywhere")
            until(
                lambda: olm.targets(client.get(olm.type_of(client, olm.CSVS), "everywhere.v1", "hub-everywhere")) == (),
                seconds=40,
            )
            rows = [item for item in until(lambda: _named(client, place, "Everywhere")) if item.title == "Everywhere"]
            assert [(item.namespace, item.targets) for item in rows] == [("hub-everywhere", ())]
            assert f"watches {place} from another namespace" in text(Client().get(HERE, {"namespace": place}))
            assert len(_named(client, "", "Everywhere")) == 1
            assert with_all
        finally:
            operators.clean_subscriptions(client, "hub-everywhere")

    def test_whoever_may_see_one_namespace_sees_the_copy(
        self, client: ClusterClient, place: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Without the right to look elsewhere the copy is all there is; it is labelled, and can't be uninstalled."""
        type_ = olm.type_of(client, olm.CSVS)
        copy = csv_object(
            displayName="Faraway", version="1.0.0", install={"strategy": "deployment", "spec": {"deployments": []}}
        )
        copy["metadata"] = {"name": "faraway.v1", "namespace": place, "labels": {olm.COPIED: "hub-faraway"}}
        real = ClusterClient.table

        def table(self: ClusterClient, wanted: Any, namespace: str = "", **more: Any) -> Any:
            if wanted.plural == olm.CSVS and not namespace:
                raise Forbidden("you don't have permission to list them all")
            found = real(self, wanted, namespace, **more)
            head = {"metadata": {**copy["metadata"], "uid": "far", "generation": 1}}
            return (
                dataclasses.replace(found, rows=(*found.rows, TableRow(("Faraway",), head)))
                if wanted.plural == olm.CSVS
                else found
            )

        monkeypatch.setattr(ClusterClient, "table", table)
        rows = installed_operators.listed(client, place).rows
        assert [(item.csv, item.runs_in) for item in rows if item.csv == "faraway.v1"] == [
            ("faraway.v1", "hub-faraway")
        ]
        web = Client()
        assert "copied from hub-faraway" in text(web.get(HERE, {"namespace": place}))
        everywhere = web.get(HERE, {"namespace": "-"})
        assert everywhere.status_code == 403
        assert "Select one of your namespaces" in text(everywhere)
        real_get = ClusterClient.get
        monkeypatch.setattr(
            ClusterClient,
            "get",
            lambda self, wanted, name, *rest: (
                copy if name == "faraway.v1" and wanted == type_ else real_get(self, wanted, name, *rest)
            ),
        )
        page = web.get(f"{HERE}{place}/faraway.v1/")
        assert "This is a copy; the operator runs in hub-faraway" in text(page)
        refused = text(web.get(f"{HERE}{place}/faraway.v1/uninstall/"))
        assert "Uninstall it there" in refused

    def test_the_newest_version_is_another_row(self, client: ClusterClient, place: str) -> None:
        assert V11 not in [item.csv for item in installed_operators.listed(client, place).rows]


def _named(client: ClusterClient, namespace: str, title: str) -> list[Operator]:
    return [item for item in installed_operators.listed(client, namespace).rows if item.title == title]


def test_a_requirement_is_listed_once() -> None:
    """H1: OLM reported a definition once for each version that the CSV owns."""
    same = {"kind": "CustomResourceDefinition", "name": "argocds.argoproj.io", "status": "Present"}
    status = {"requirementStatus": [same, same, {**same, "name": "other"}]}
    found = operator.requirements(read(status, ClusterServiceVersionStatus))
    assert [part.name for part in found] == ["argocds.argoproj.io", "other"]


def test_a_catalog_that_may_not_be_read_is_not_missing() -> None:
    """H20: a reader of one namespace got the message that the catalog of another is missing."""
    spec = {"name": "db", "source": "samples-catalog", "sourceNamespace": "olm"}
    sub = olm.subscription({"metadata": {"name": "db", "namespace": "demo"}, "spec": spec})
    mine = updates.CatalogHealth({("demo", "own"): "READY"}, within=("demo",))
    assert (mine.state(sub), mine.problem(sub)) == ("", "")
    local = dataclasses.replace(sub, catalog_namespace="demo")
    assert mine.state(local) == updates.MISSING
    assert mine.problem(local)
    everything = updates.CatalogHealth({("demo", "own"): "READY"})
    assert everything.state(sub) == updates.MISSING
    assert everything.problem(sub)
