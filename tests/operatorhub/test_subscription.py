"""A Subscription's page: what it shows, and changes as patches of exactly what was changed."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from operatorhub import olm
from operatorhub.running import updates
from operatorhub.sources.drafts import Channel, ChannelEntry, Graph
from operatorhub.upgrade import subscription as subject
from tests.eventually import until
from tests.operatorhub import operators
from tests.operatorhub.operators import V1, V11
from tests.operatorhub.test_pages import text, version_shown

CONFIG = {"env": [{"name": "A", "value": "1"}], "nodeSelector": {"zone": "a", "disk": "ssd"}}


def page(others: tuple[str, ...] = (), manual: tuple[str, ...] = (), **spec: Any) -> subject.SubscriptionPage:
    full = {"name": "db", "source": "cat", "sourceNamespace": "olm", "channel": "stable", **spec}
    obj = {"metadata": {"name": "db", "namespace": "apps", "uid": "u", "resourceVersion": "5"}, "spec": full}
    graph = Graph(
        package="db",
        default="stable",
        channels=(
            Channel("stable", (ChannelEntry(name="db.v2", version="2"), ChannelEntry(name="db.v1", version="1"))),
            Channel("edge", (ChannelEntry(name="db.v3", version="3"),), "old"),
        ),
        edges_known=True,
    )
    sub = olm.subscription(obj)
    heads = subject.heads(graph, sub.channel)
    return subject.SubscriptionPage(
        object=obj,
        sub=sub,
        update=updates.Update(state="", word=""),
        catalog_state="READY",
        heads=heads,
        graph_problem="",
        plan=None,
        others_manual=manual,
        others_automatic=others,
        neighbours=(*others, *manual),
        sources=(),
        config=subject.config_texts(obj),
    )


def posted(found: subject.SubscriptionPage, **changes: str) -> Mapping[str, str]:
    config = {f"config.{key}": value for key, value in found.config.items()}
    return {
        "channel": found.sub.channel,
        "approval": found.sub.approval,
        **config,
        **{key.replace("__", "."): value for key, value in changes.items()},
    }


def test_channels_are_shown_with_where_they_lead() -> None:
    assert [(head.name, head.version, head.default, head.current, head.deprecated) for head in page().heads] == [
        ("stable", "2", True, True, ""),
        ("edge", "3", False, False, "old"),
    ]


@pytest.mark.parametrize(
    ("changes", "spec"),
    [
        ({}, None),
        ({"channel": "edge"}, {"channel": "edge"}),
        ({"approval": "Manual"}, {"installPlanApproval": "Manual"}),
        ({"source": "olm/other"}, {"source": "other", "sourceNamespace": "olm"}),
        ({"source": "olm/cat"}, None),
        ({"config__env": "- name: B\n  value: x\n"}, {"config": {"env": [{"name": "B", "value": "x"}]}}),
        ({"config__env": ""}, {"config": {"env": None}}),
        # A merge patch would keep what is not named.
        ({"config__nodeSelector": "zone: b"}, {"config": {"nodeSelector": {"disk": None, "zone": "b"}}}),
        ({"config__resources": "limits:\r\n  cpu: 1\r\n"}, {"config": {"resources": {"limits": {"cpu": 1}}}}),
    ],
)
def test_only_what_changed_is_sent(changes: dict[str, str], spec: dict[str, Any] | None) -> None:
    found = page(config=CONFIG)
    form = subject.SubscriptionForm(found, posted(found, **changes))
    assert (form.errors, form.patch) == ({}, {"spec": spec} if spec else {})
    if spec:
        assert json.dumps(spec) in form.kubectl


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"channel": "nowhere"}, "channel"),
        ({"approval": "Never"}, "approval"),
        ({"config__env": "a: b"}, "config.env"),
        ({"config__nodeSelector": "- a"}, "config.nodeSelector"),
        ({"config__affinity": "a: ["}, "config.affinity"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_sent(changes: dict[str, str], field: str) -> None:
    found = page()
    form = subject.SubscriptionForm(found, posted(found, **changes))
    assert list(form.errors) == [field]
    assert form.patch == {}


def test_one_manual_makes_all_wait() -> None:
    found = page(others=("web",))
    assert "web" in subject.warnings(subject.SubscriptionForm(found, posted(found, approval="Manual")))[0]
    found = page(manual=("web",), installPlanApproval="Manual")
    assert "still wait" in subject.warnings(subject.SubscriptionForm(found, posted(found, approval="Automatic")))[0]


@pytest.fixture
def namespace(client: ClusterClient) -> Iterator[str]:
    with operators.place(client, "hub-subs") as name:
        operators.subscribe(client, name, channel="archive", startingCSV=V1)
        operators.succeeded(client, name, V1)
        yield name


@pytest.mark.django_db
@pytest.mark.timeout(300)
def test_the_page_and_its_changes(client: ClusterClient, namespace: str) -> None:
    web, here = Client(), f"/operators/{namespace}/subscriptions/flightticket/edit/"
    # OLM says so of the Subscription a moment after it has installed.
    until(lambda: "Nothing new comes into the channel archive" in text(web.get(here)))
    shown = text(web.get(here))
    assert V1 in shown
    assert "healthy" in shown
    until(lambda: "Up to date" in text(web.get(here)))
    version = subject.read(client, namespace, "flightticket").version
    tried = web.post(
        here,
        {
            "version": version,
            "channel": "stable",
            "approval": "Manual",
            "config.env": "- name: A\n  value: b\n",
            "try": "1",
        },
    )
    words = text(tried)
    assert "The cluster would accept this" in words
    assert "rolled out again" in words
    assert "kubectl patch subscriptions.operators.coreos.com flightticket" in words
    assert operators.sub_of(client, namespace).channel == "archive"
    bad = web.post(here, {"version": version, "config.env": "a: [", "save": "1"})
    assert bad.status_code == 422
    odd = web.post(here, {"version": version, "approval": "Never", "save": "1"})
    assert odd.status_code == 422 and "Choose automatic or manual approval." in text(odd)

    # The page is as old as its form says: other users' changes aren't overwritten.
    client.patch(
        olm.type_of(client, olm.SUBSCRIPTIONS), "flightticket", {"metadata": {"labels": {"a": "b"}}}, namespace
    )
    late = web.post(here, {"version": version, "channel": "stable", "approval": "Automatic", "save": "1"})
    assert late.status_code == 409
    # What isn't of the spec may change meanwhile: OLM writes the status every few seconds.
    version = version_shown(web.get(here))
    client.patch(
        olm.type_of(client, olm.SUBSCRIPTIONS), "flightticket", {"metadata": {"labels": {"a": "c"}}}, namespace
    )
    done = web.post(
        here,
        {
            "version": version,
            "channel": "stable",
            "approval": "Automatic",
            "save": "1",
        },
    )
    assert done.status_code == 302
    operators.succeeded(client, namespace, V11)
    tab = text(web.get(f"/operators/{namespace}/{V11}/updates/"))
    assert "Update channel" in tab

    # The CSV runs before the Subscription says so.
    until(lambda: operators.sub_of(client, namespace).installed_csv == V11)
    removed = f"/operators/{namespace}/subscriptions/flightticket/remove/"
    assert "stays installed and keeps running" in text(web.get(removed))
    assert web.post(removed, {"uid": "another"}).status_code == 409
    assert (
        web.post(removed, {"uid": operators.sub_of(client, namespace).uid})["Location"]
        == f"/operators/{namespace}/{V11}/"
    )
    orphan = text(web.get(f"/operators/{namespace}/{V11}/"))
    assert "Delete ClusterServiceVersion" in orphan
    assert "adopt it" in text(web.get(f"/operators/{namespace}/{V11}/updates/"))
    assert "No Subscription" in text(web.get("/operators/", {"namespace": namespace, "status": "orphan"}))
