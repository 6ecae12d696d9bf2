"""A part of the cluster is broken: said at its place, with what to do, and all the rest works."""

from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.errors import KubeError, ServerError, from_answer
from resources.lists import counts
from tests.eventually import until
from tests.resources.views import definitions
from tests.resources.views.definitions import served, widget
from tests.resources.views.form_submission import flat

# As a kube-apiserver 1.3x answered.
CONVERSION = (
    "conversion webhook for toys.example.com/v1, Kind=Widget failed: Post"
    ' "https://conv.default.svc:443/convert?timeout=30s": service "conv" not found'
)
CALL = (
    'Internal error occurred: failed calling webhook "check.toys.example.com": failed to call webhook: Post'
    ' "https://check.default.svc:443/?timeout=10s": service "check" not found'
)


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    counts._kept.clear()


def refuse(monkeypatch: pytest.MonkeyPatch, plural: str, error: Exception) -> None:
    table = ClusterClient.table

    def fail(self: ClusterClient, type_: Any, *args: Any, **more: Any) -> Any:
        if type_.plural == plural:
            raise error
        return table(self, type_, *args, **more)

    monkeypatch.setattr(ClusterClient, "table", fail)


def test_a_conversion_webhook_that_does_not_answer(
    browser: Client, crd: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    group = crd["spec"]["group"]
    refuse(monkeypatch, "widgets", ServerError(CONVERSION))
    answer = browser.get(f"/resources/{group}/v1/widgets/")
    text = answer.content.decode()
    assert answer.status_code == 502
    assert "Widget objects can&#x27;t be converted to this version" in text
    assert "whose Service “conv” doesn&#x27;t exist" in text
    assert f'href="/resources/apiextensions.k8s.io/v1/customresourcedefinitions/-/widgets.{group}/"' in text
    assert f'href="/resources/{group}/v1/widgets/explain/"' in text
    page = browser.get(f"/resources/apiextensions.k8s.io/v1/customresourcedefinitions/-/widgets.{group}/")
    assert page.status_code == 200
    assert "conversion webhook for" in page.content.decode()
    # All other kinds are there, and this one says in its place why it was not counted.
    assert browser.get("/resources/core/v1/configmaps/").status_code == 200
    numbers = browser.get("/resources/counts/", {"group": group}).content.decode()
    assert "service &quot;conv&quot; not found" in numbers


def test_an_admission_webhook_that_does_not_answer(
    browser: Client, monkeypatch: pytest.MonkeyPatch, namespace: str, config_map: str
) -> None:
    delete = ClusterClient.delete

    def fail(self: ClusterClient, type_: Any, *args: Any, **more: Any) -> Any:
        if type_.plural == "configmaps":
            raise ServerError(CALL)
        return delete(self, type_, *args, **more)

    monkeypatch.setattr(ClusterClient, "delete", fail)
    page = browser.post(f"/resources/core/v1/configmaps/{namespace}/{config_map}/delete/", {"uid": ""})
    assert "The webhook “check.toys.example.com” isn&#x27;t responding" in page.content.decode()
    assert "failurePolicy" in page.content.decode()


def test_another_api_server_that_is_down(browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch, "packagemanifests", from_answer(503, b"service unavailable\n"))
    answer = browser.get("/resources/packages.operators.coreos.com/v1/packagemanifests/")
    assert answer.status_code == 503
    assert "The server of this API isn&#x27;t responding" in answer.content.decode()
    assert "APIService" in answer.content.decode()


def test_kinds_of_the_same_name_in_two_groups(browser: Client, client: ClusterClient, crd: dict[str, Any]) -> None:
    other = definitions.create(client, definitions.definition())
    try:
        groups = [item["spec"]["group"] for item in (crd, other)]
        client.create(served(client, crd), widget(crd, "here"), "default")
        client.create(served(client, other), widget(other, "there"), "default")
        for group, mine, others in zip(groups, ("here", "there"), ("there", "here"), strict=True):
            text = browser.get(f"/resources/{group}/v1/widgets/", {"namespace": "default"}).content.decode()
            assert f'/resources/{group}/v1/widgets/default/{mine}/"' in text
            assert f"/default/{others}/" not in text
            assert f"kubectl get widgets.{group}" in text
            detail = browser.get(f"/resources/{group}/v1/widgets/default/{mine}/").content.decode()
            assert f"{group}/v1" in detail
        found = browser.get("/resources/", {"q": "widget"}).context["types"].groups
        assert {group.name for group in found} >= set(groups)
        numbers = browser.get("/resources/counts/", {"group": groups[0], "namespace": "-"})
        assert "> 1 </span>" in flat(numbers)
    finally:
        definitions.remove(client, other)


def test_a_cluster_whose_webhook_is_gone(browser: Client, client: ClusterClient, namespace: str) -> None:
    """The same on the cluster itself: the version in which objects are stored is read, the other says what is
    missing.
    """
    service = {"namespace": namespace, "name": "conv", "path": "/convert"}
    webhook = {"conversionReviewVersions": ["v1"], "clientConfig": {"service": service}}
    crd = definitions.create(client, definitions.definition(conversion={"strategy": "Webhook", "webhook": webhook}))
    try:
        group = crd["spec"]["group"]
        client.create(served(client, crd), widget(crd, "one"), namespace)
        assert "one" in browser.get(f"/resources/{group}/v1/widgets/", {"namespace": namespace}).content.decode()
        answer = browser.get(f"/resources/{group}/v1beta1/widgets/", {"namespace": namespace})
        assert answer.status_code == 502
        assert "whose Service “conv” doesn&#x27;t exist" in answer.content.decode()
        item = browser.get(f"/resources/{group}/v1beta1/widgets/{namespace}/one/")
        assert item.status_code == 502
        assert "whose Service “conv” doesn&#x27;t exist" in item.content.decode()
    finally:
        definitions.remove(client, crd)


def test_a_cluster_whose_other_server_is_gone(browser: Client, client: ClusterClient) -> None:
    group = f"broken{uuid4().hex[:6]}.example.com"
    services = client.find("apiregistration.k8s.io", "v1", "apiservices")
    spec = {
        "group": group,
        "version": "v1",
        "groupPriorityMinimum": 100,
        "versionPriority": 100,
        "insecureSkipTLSVerify": True,
    }
    spec |= {"service": {"namespace": "default", "name": "nothing"}}
    head = {"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": f"v1.{group}"}}
    client.create(services, {**head, "spec": spec})
    try:
        until(
            lambda: f"{group}/v1: " in browser.get("/resources/", {"fresh": "1"}).content.decode(), not_yet=(KubeError,)
        )
        page = browser.get("/resources/").content.decode()
        assert "responding; all other groups work" in page
        assert 'href="/resources/core/v1/pods/"' in page
        assert browser.get("/resources/core/v1/configmaps/").status_code == 200
        answer = browser.get(f"/resources/{group}/v1/things/")
        assert answer.status_code == 404
        assert "its API server does not answer" in answer.content.decode()
    finally:
        client.delete(services, f"v1.{group}")
        until(
            lambda: f"{group}/v1: " not in browser.get("/resources/", {"fresh": "1"}).content.decode(),
            not_yet=(KubeError,),
        )
