"""Installs that really fail, on the tests' cluster: what the page says, and that its fix works."""

import contextlib
import re
import time
from collections.abc import Callable, Iterator
from html import unescape
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.errors import NotFound
from operatorhub import olm
from operatorhub.progress import read
from operatorhub.progress.trouble import Trouble
from tests.eventually import until

pytestmark = pytest.mark.django_db
Subscribe = Callable[..., str]


@pytest.fixture
def place(client: ClusterClient, request: pytest.FixtureRequest) -> Iterator[str]:
    """A namespace of the test's own."""
    name = f"hub-{re.sub(r'[^a-z]+', '-', request.node.name.lower())[:40].strip('-')}-{uuid4().hex[:6]}"
    spaces = client.find("", "v1", "namespaces")
    client.create(spaces, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
    yield name
    _clear(client, name)


def _clear(client: ClusterClient, name: str) -> None:
    for plural in (olm.SUBSCRIPTIONS, olm.CSVS, olm.SOURCES, "operatorgroups"):
        type_ = olm.type_of(client, plural)
        for item in client.list(type_, name).items:
            try:
                client.delete(type_, item["metadata"]["name"], name)
            except NotFound:
                continue
    spaces = client.find("", "v1", "namespaces")
    client.delete(spaces, name)


def group(client: ClusterClient, namespace: str, name: str = "own") -> None:
    spec = {"targetNamespaces": [namespace]}
    meta = {"name": name, "namespace": namespace}
    body = {"apiVersion": f"{olm.GROUP}/v1", "kind": "OperatorGroup", "metadata": meta, "spec": spec}
    client.create(olm.type_of(client, "operatorgroups"), body, namespace)


def subscribe(client: ClusterClient, namespace: str, package: str = "sampledb", **spec: Any) -> None:
    found = {"name": package, "channel": "stable", "source": "samples-catalog", "sourceNamespace": "olm", **spec}
    meta = {"name": package, "namespace": namespace}
    body = {"apiVersion": f"{olm.GROUP}/{olm.VERSION}", "kind": "Subscription", "metadata": meta, "spec": found}
    client.create(olm.type_of(client, olm.SUBSCRIPTIONS), body, namespace)


def broken(client: ClusterClient, namespace: str, package: str = "sampledb", key: str = "") -> Trouble:
    """The trouble, once there is one (of that key)."""

    def current_trouble() -> Trouble | None:
        found = read.read(client, namespace, package).trouble
        return found if found and key in ("", found.key) else None

    answer: Trouble = until(current_trouble, seconds=120)
    return answer


def done(client: ClusterClient, namespace: str, package: str = "sampledb") -> bool:
    return read.read(client, namespace, package).state == "done"


def text(web: Client, namespace: str, package: str = "sampledb") -> str:
    page = web.get(f"/operators/{namespace}/subscriptions/{package}/").content.decode()
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page)))


def test_no_operator_group_is_mended_by_a_button(client: ClusterClient, place: str) -> None:
    subscribe(client, place)
    assert broken(client, place).key == "no-group"
    web = Client()
    assert "has no OperatorGroup" in text(web, place)
    answer = web.post(f"/operators/{place}/subscriptions/sampledb/mend/", {"action": "group-own"})
    assert answer.status_code == 302
    until(lambda: done(client, place), seconds=120)
    assert web.post(f"/operators/{place}/subscriptions/sampledb/mend/", {"action": "evil"}).status_code == 400


def test_two_operator_groups_go_on_when_one_goes(client: ClusterClient, place: str) -> None:
    group(client, place, "one")
    group(client, place, "two")
    subscribe(client, place)
    found = broken(client, place)
    assert found.key == "groups"
    assert [way.url.split("/")[-3] for way in found.ways] == ["one", "two"]
    client.delete(olm.type_of(client, "operatorgroups"), "two", place)
    until(lambda: done(client, place), seconds=120)


def test_a_catalog_that_is_not_there(client: ClusterClient, place: str) -> None:
    group(client, place)
    subscribe(client, place, source="nowhere", sourceNamespace=place)
    assert broken(client, place).key == "catalog-missing"


def test_a_catalog_that_does_not_answer(client: ClusterClient, place: str) -> None:
    group(client, place)
    body = {
        "apiVersion": f"{olm.GROUP}/{olm.VERSION}",
        "kind": "CatalogSource",
        "metadata": {"name": "sick", "namespace": place},
        "spec": {"sourceType": "grpc", "image": "registry.invalid/catalog:v1", "displayName": "Sick"},
    }
    client.create(olm.type_of(client, olm.SOURCES), body, place)
    subscribe(client, place, source="sick", sourceNamespace=place)
    found = broken(client, place, key="catalog-unhealthy")
    assert "sick" in found.words
    assert found.ways[0].url == f"/operatorhub/catalogs/source/{place}/sick/"


def test_a_channel_that_is_not_in_the_catalog(client: ClusterClient, place: str) -> None:
    group(client, place)
    subscribe(client, place, channel="nothing-like-it")
    found = broken(client, place)
    assert found.key == "not-in-catalog"
    assert "nothing-like-it" in found.raw


def test_a_program_that_crashes_shows_its_log(client: ClusterClient, place: str) -> None:
    group(client, place)
    subscribe(client, place, config={"env": [{"name": "PYTHONHASHSEED", "value": "nowhere"}]})
    found = broken(client, place, key="crash_loop")
    assert found.ways[0].url.endswith("/logs/")
    page = until(lambda: "can't keep running" in (page := text(Client(), place)) and page)
    assert "Log" in page


def test_no_node_takes_it(client: ClusterClient, place: str, request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--kubeconfig"):
        pytest.skip(
            "needs a scheduler that decides: tools/realcluster puts Pods of our programs on its node by admission"
        )
    group(client, place)
    subscribe(client, place, config={"nodeSelector": {"operator-console.dev/none": "such"}})
    assert "node" in broken(client, place, key="unschedulable").raw


def orphaned(client: ClusterClient, place: str) -> Trouble:
    """What a new Subscription meets where another one left its CSV. While OLM still remembers that one, the new one
    takes its place: then once more, later.
    """
    subscriptions = olm.type_of(client, olm.SUBSCRIPTIONS)

    def met() -> Trouble | bool | None:
        adopted = olm.subscription(client.get(subscriptions, "sampledb", place)).installed
        return read.read(client, place, "sampledb").trouble or adopted

    for seconds in (0, 5, 10, 20):
        client.delete(subscriptions, "sampledb", place)
        time.sleep(seconds)
        subscribe(client, place)
        if isinstance(found := until(met), Trouble):
            return found
    raise AssertionError("OLM goes on with the CSV of a Subscription that is gone for 20 s")


def test_an_orphan_of_an_earlier_install(client: ClusterClient, place: str) -> None:
    group(client, place)
    subscribe(client, place)
    until(lambda: done(client, place), seconds=120)
    found = orphaned(client, place)
    assert found.key == "orphan"
    (orphan,) = client.list(olm.type_of(client, olm.CSVS), place).items
    assert orphan["metadata"]["name"] in found.ways[0].url
    client.delete(olm.type_of(client, olm.CSVS), orphan["metadata"]["name"], place)
    until(lambda: done(client, place), seconds=120)


RBAC = "rbac.authorization.k8s.io"


@pytest.fixture
def weak(client: ClusterClient, place: str) -> Iterator[Callable[[], None]]:
    """An OperatorGroup with an account that may nothing; called, it may everything."""
    meta = {"name": "weak", "namespace": place}
    client.create(
        client.find("", "v1", "serviceaccounts"),
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": meta},
        place,
    )
    spec = {"targetNamespaces": [place], "serviceAccountName": "weak"}
    body = {"apiVersion": f"{olm.GROUP}/v1", "kind": "OperatorGroup", "metadata": {**meta, "name": "own"}, "spec": spec}
    client.create(olm.type_of(client, "operatorgroups"), body, place)
    bindings, name = client.find(RBAC, "v1", "clusterrolebindings"), f"{place}-weak"

    def strengthen() -> None:
        role = {"apiGroup": RBAC, "kind": "ClusterRole", "name": "cluster-admin"}
        subject = {"kind": "ServiceAccount", **meta}
        given = {"metadata": {"name": name}, "roleRef": role, "subjects": [subject]}
        client.create(bindings, {"apiVersion": f"{RBAC}/v1", "kind": "ClusterRoleBinding", **given})

    yield strengthen
    with contextlib.suppress(NotFound):
        client.delete(bindings, name)


def test_an_account_without_rights_is_named_with_the_missing_one(
    client: ClusterClient, place: str, weak: Callable[[], None]
) -> None:
    subscribe(client, place)
    # At first OLM may say that it has not met the account yet.
    found = broken(client, place, key="plan-rights")
    assert f"system:serviceaccount:{place}:weak" in found.raw
    assert 'cannot create resource "clusterserviceversions"' in found.raw
    weak()
    until(lambda: done(client, place), seconds=150)


def test_approval_is_asked_for_and_the_installation_cancelled(client: ClusterClient, place: str) -> None:
    group(client, place)
    subscribe(client, place, installPlanApproval="Manual")
    until(lambda: read.read(client, place, "sampledb").state == "asks", seconds=120)
    web = Client()
    page = text(web, place)
    assert "is waiting for your approval" in page
    assert "OLM can't reject a plan" in page
    assert "Cancel installation" in page
    undo = web.get(f"/operators/{place}/subscriptions/sampledb/undo/").content.decode()
    tokens = re.findall(r'name="target"\s+value="([^"]+)"\s+checked', undo)
    assert [token.split("|")[3] for token in tokens] == ["Subscription"]
    removed = web.post(f"/operators/{place}/subscriptions/sampledb/undo/", {"target": tokens}).content.decode()
    assert 'data-outcome="removed"' in removed
    with pytest.raises(NotFound):
        client.get(olm.type_of(client, olm.SUBSCRIPTIONS), "sampledb", place)
