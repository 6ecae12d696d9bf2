"""Causes of real objects of a cluster: on their pages, in /api/, in lists; live; and what is read for them."""

from typing import Any

import pytest
from django.test import Client

from kube import limits
from kube.client import ClusterClient
from resources import diagnosis
from resources.diagnosis import shown_causes
from resources.place import Place
from tests.eventually import until
from tests.resources.causes import objects


def _deployment(client: ClusterClient, namespace: str, name: str = "web", **spec: Any) -> str:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": spec}
    body = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    obj = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": body}
    client.create(client.find("apps", "v1", "deployments"), obj, namespace)
    return f"/resources/apps/v1/deployments/{namespace}/{name}/"


def _claim(client: ClusterClient, namespace: str, class_: str) -> None:
    spec = {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": class_,
    }
    obj = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data"}, "spec": spec}
    client.create(client.find("", "v1", "persistentvolumeclaims"), obj, namespace)


def _part(browser: Client, url: str) -> str:
    return browser.get(url, {"part": "causes"}, HTTP_HX_REQUEST="true").content.decode()


def test_a_unbound_claim_is_named_on_the_workload(browser: Client, client: ClusterClient, namespace: str) -> None:
    """O2: scheduler prose stood four times on the page, the missing StorageClass never."""
    _claim(client, namespace, "no-such-class")
    container = {"name": "web", "image": "example.com/web:1"}
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": "data"}}
    url = _deployment(client, namespace, containers=[container], volumes=[volume])
    sentence = "data can&#x27;t get a volume: StorageClass no-such-class doesn&#x27;t exist"
    until(lambda: sentence in _part(browser, url))
    page = browser.get(url).content.decode()
    assert page.count(sentence) == 1
    assert "/resources/storage.k8s.io/v1/storageclasses/new/?name=no-such-class" in page
    assert f'href="/resources/core/v1/persistentvolumeclaims/{namespace}/data/"' in page.split('id="causes"')[1]
    # The region tells of claims and Events itself.
    assert f"core/v1/persistentvolumeclaims/{namespace}" in page.split('id="causes"')[1].split(">")[0]
    found_causes = browser.get(f"/api/resources/apps/v1/deployments/{namespace}/web/causes/").json()["causes"]
    assert [(cause["rule"], cause["severity"]) for cause in found_causes] == [
        ("unbound_claim", found_causes[0]["severity"])
    ]
    assert found_causes[0]["about"]["kind"] == "PersistentVolumeClaim"
    assert found_causes[0]["fix"]["text"] == "Create StorageClass no-such-class"
    assert found_causes[0]["raw"] == 'storageclass.storage.k8s.io "no-such-class" not found'


def test_a_missing_service_account_is_named_with_the_page_that_creates_it(
    browser: Client, client: ClusterClient, namespace: str
) -> None:
    url = _deployment(
        client, namespace, serviceAccountName="robot", containers=[{"name": "web", "image": "example.com/web:1"}]
    )
    until(lambda: "ServiceAccount robot doesn&#x27;t exist" in _part(browser, url))
    address = f"/resources/core/v1/serviceaccounts/new/?namespace={namespace}&amp;name=robot"
    assert address in _part(browser, url)
    form = browser.get(address.replace("&amp;", "&") + "&view=form").content.decode()
    assert 'value="robot"' in form


def test_what_is_well_has_no_cause_and_nothing_is_read_for_it(
    browser: Client, client: ClusterClient, namespace: str, config_map: str
) -> None:
    url = f"/resources/core/v1/configmaps/{namespace}/{config_map}/"
    assert "pf-v6-c-alert" not in _part(browser, url)
    assert browser.get(f"/api{url}causes/").json() == {"state": "", "state_reason": "", "causes": []}


def test_the_region_of_the_object_leaves_the_causes_as_they_are(
    browser: Client, namespace: str, config_map: str
) -> None:
    """static/js/live/morph.js keeps the region by its id; one that is new fetches itself."""
    part = browser.get(
        f"/resources/core/v1/configmaps/{namespace}/{config_map}/", {"part": "object"}, HTTP_HX_REQUEST="true"
    ).content.decode()
    assert '<div id="causes"' in part
    assert 'hx-get="?part=causes"' in part


def test_without_a_rule_that_is_sure_the_states_own_reason_stands_there(
    browser: Client, client: ClusterClient, namespace: str
) -> None:
    type_ = client.find("", "v1", "resourcequotas")
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "few"}, "spec": {"hard": {"pods": "1"}}}
    client.create(type_, quota, namespace)
    status = {"hard": {"pods": "1"}, "used": {"pods": "1"}}
    client.patch(type_, "few", {"status": status}, namespace, subresource="status")
    url = f"/resources/core/v1/resourcequotas/{namespace}/few/"
    if "Degraded" not in browser.get(url, {"part": "object"}, HTTP_HX_REQUEST="true").content.decode():
        pytest.skip("this cluster's controller counts the quota anew")
    assert "Degraded: quota used up: pods" in _part(browser, url)


def test_a_fix_needs_permission(client: ClusterClient, monkeypatch: pytest.MonkeyPatch, namespace: str) -> None:
    cause = objects.only(
        "quota_exceeded",
        objects.refused(
            'pods "web-1" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=4, limited: pods=4'
        ),
    )
    page = Place(client.find("apps", "v1", "replicasets"), "shop", "web-7d4b9c6f5")
    [shown] = shown_causes(client, page, [cause])
    assert shown.fix is not None
    # A page needs no link to itself.
    assert [link.label for link in shown.links] == ["ResourceQuota compute"]
    monkeypatch.setattr("resources.diagnosis._may", lambda *_arguments: False)
    [shown] = shown_causes(client, page, [cause])
    assert shown.fix is None


class _Counting:
    """A client that counts what is read of single objects and logs."""

    def __init__(self, client: ClusterClient) -> None:
        self._client = client
        self.got: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def get(self, _type: Any, name: str, _namespace: str = "") -> dict[str, Any]:
        self.got.append(name)
        return {"metadata": {"name": name, "uid": name, "ownerReferences": [objects.owner("Deployment", f"{name}-x")]}}

    def log(self, pod: str, *_arguments: Any, **_options: Any) -> str:
        self.got.append(pod)
        return "last words\n"


def test_requests_are_bounded(client: ClusterClient) -> None:
    counting: Any = _Counting(client)
    names = [{"name": f"v{n}", "persistentVolumeClaim": {"claimName": f"c{n}"}} for n in range(30)]
    pod = objects.unschedulable(
        "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims.", volumes=names
    )
    most = limits.CAUSE_REQUESTS.value
    assert len(list(diagnosis._claims(counting, [pod], set()))) == most
    counting.got.clear()
    assert len(diagnosis._owners(counting, pod)) == most
    crashing = []
    for number in range(30):
        ended = {"terminated": {"exitCode": 1, "reason": "Error"}}
        item = objects.pod(objects.waiting("CrashLoopBackOff", lastState=ended), phase="Running")
        item["metadata"] |= {"name": f"p{number}", "uid": f"p{number}", "ownerReferences": []}
        crashing.append((0, item))
    found = objects.evidence(objects.deployment(), crashing, now=objects.NOW)
    assert len(diagnosis._logs(counting, found, objects.find_causes(found))) == most
