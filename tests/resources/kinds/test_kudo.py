"""The plans of an Instance: what is drawn, in what order, and which can be run by hand."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.reader import read
from resources.kinds import kudo
from tests.resources.kinds import instances
from tests.resources.views import definitions


@pytest.fixture
def kinds(client: ClusterClient) -> Iterator[None]:
    made = instances.kinds(client)
    yield
    for item in made:
        definitions.remove(client, item)


def instance(**plans: Any) -> dict[str, Any]:
    return {"metadata": {"name": "a", "namespace": "b"}, "status": {"planStatus": plans}}


def test_the_one_that_runs_comes_first_then_the_newest() -> None:
    found = kudo.plans(
        instance(
            old=instances.plan("old", "COMPLETE", when="2026-01-01T00:00:00Z"),
            new=instances.plan("new", "FATAL_ERROR", when="2026-03-01T00:00:00Z"),
            now=instances.plan("now", "ERROR", when="2026-02-01T00:00:00Z"),
            never=instances.plan("never", "NEVER_RUN"),
        )
    )
    assert [item.name for item in found.ran] == ["now", "new", "old"]
    assert [item.name for item in found.never] == ["never"]
    assert found.busy == "now"


def test_strategies_come_from_the_operator_version() -> None:
    phases = (kudo.Phase(name="extras", strategy="parallel"),)
    described = {"deploy": kudo.Plan(strategy="parallel", phases=phases)}
    (deploy,) = kudo.plans(instance(deploy=instances.status()["planStatus"]["deploy"]), described).ran
    assert deploy.parallel
    assert [(part.name, part.parallel) for part in deploy.parts] == [
        ("network", False),
        ("nodes", False),
        ("extras", True),
    ]
    assert [(part.name, part.words, part.message) for part in deploy.parts[1].parts] == [
        ("start", "In progress", "2 of 3 Pods ready"),
        ("check", "Pending", ""),
    ]
    assert deploy.done == 1


def test_what_a_person_may_run() -> None:
    words = {
        "deploy": "COMPLETE",
        "update": "FATAL_ERROR",
        "cleanup": "FATAL_ERROR",
        "backup": "NEVER_RUN",
        "o'dd": "COMPLETE",
    }
    obj = instance(**{name: instances.plan(name, word) for name, word in words.items()})
    assert kudo.runnable(obj) == ("backup", "update")


ODD: tuple[Any, ...] = (
    None,
    1,
    "x",
    [],
    {},
    [1],
    {"deploy": None},
    {"deploy": 7},
    {"deploy": {"phases": 3}},
    {"deploy": {"phases": [None, {"steps": "x"}, {"name": {}, "steps": [1, {}]}]}},
)


@pytest.mark.parametrize("odd", ODD)
def test_any_shape_is_drawn(odd: Any) -> None:
    for obj in ({"status": odd}, {"status": {"planStatus": odd}}, {"status": {"planStatus": {"deploy": odd}}}):
        described = read({"plans": odd if isinstance(odd, dict) else {"deploy": odd}}, kudo.OperatorVersionSpec)
        found = kudo.plans(obj, described.plans)
        assert len(found.ran) + len(found.never) <= 1
        kudo.runnable(obj)


def test_many_plans_are_counted() -> None:
    found = kudo.plans(instance(**{f"p{number}": instances.plan(f"p{number}", "NEVER_RUN") for number in range(60)}))
    assert (len(found.never), found.hidden) == (50, 10)


def test_the_page(kinds: None, client: ClusterClient, browser: Client, namespace: str) -> None:
    instances.create(client, namespace, instances.status("COMPLETE", "COMPLETE"))
    page = browser.get(f"/resources/kudo.dev/v1beta1/instances/{namespace}/galera/").content.decode()
    assert 'id="panel-plans"' in page and "css/plans.css" in page
    for words in (
        "Phases of deploy, in sequence",
        "Steps of extras, in parallel",
        "3 of 3 phases",
        "Never run",
    ):
        assert words in page
    assert f"/resources/kudo.dev/v1beta1/instances/{namespace}/galera/act/plan-backup/" in page
    assert "act/plan-cleanup/" not in page


def test_a_plan_is_run(kinds: None, client: ClusterClient, browser: Client, namespace: str) -> None:
    type_ = instances.create(client, namespace, instances.status("COMPLETE", "COMPLETE"))
    address = f"/resources/kudo.dev/v1beta1/instances/{namespace}/galera/act/plan-backup/"
    asked = browser.get(address).content.decode()
    assert "kubectl patch" in asked and "Run plan backup" in asked
    answer = browser.post(address)
    assert answer.status_code == 302
    assert client.get(type_, "galera", namespace)["spec"]["planExecution"] == {"planName": "backup"}


def test_no_plan_is_run_beside_another_and_none_that_there_is_not(
    kinds: None, client: ClusterClient, browser: Client, namespace: str
) -> None:
    type_ = instances.create(client, namespace, instances.status())
    address = f"/resources/kudo.dev/v1beta1/instances/{namespace}/galera/act/plan-{{}}/"
    answer = browser.post(address.format("backup"))
    assert answer.status_code == 409
    assert "Plan deploy is running. Wait until it finishes." in answer.content.decode()
    assert browser.post(address.format("dance")).status_code == 404
    assert browser.post(address.format("cleanup")).status_code == 404
    assert "planExecution" not in client.get(type_, "galera", namespace)["spec"]
