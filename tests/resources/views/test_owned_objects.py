"""What belongs to an object and whom it belongs to, on its page and beside 10,000 others."""

import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from console.overview import instances
from kube.client import ClusterClient
from kube.errors import NotFound
from kube.objects import uid_of
from resources import tree
from resources.state import children, kind_health
from tests.eventually import until
from tests.resources.views.form_submission import flat


@pytest.fixture
def shops(client: ClusterClient) -> Iterator[str]:
    """A custom kind of this test's own; its group."""
    group = f"g{uuid4().hex[:6]}.example.com"
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": "shops", "singular": "shop", "kind": "Shop", "listKind": "ShopList"}
    definitions = client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
    spec = {"group": group, "scope": "Namespaced", "names": names, "versions": [version]}
    name = f"shops.{group}"
    client.create(
        definitions,
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": name},
            "spec": spec,
        },
    )

    def served() -> bool:
        client.forget_types()
        return any(type_.group == group for type_ in client.types())

    until(served)
    yield group
    client.delete(definitions, name)
    client.forget_types()


def shop(client: ClusterClient, group: str, namespace: str, name: str) -> dict[str, Any]:
    type_ = client.find(group, "v1", "shops")
    made: dict[str, Any] = {}

    def create() -> bool:
        nonlocal made
        try:
            made = client.create(
                type_, {"apiVersion": f"{group}/v1", "kind": "Shop", "metadata": {"name": name}, "spec": {}}, namespace
            )
        except Exception:
            return False
        return True

    until(create)
    return made


def reference(obj: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": obj["apiVersion"],
        "kind": obj["kind"],
        "name": obj["metadata"]["name"],
        "uid": uid_of(obj),
        "controller": True,
    }


def deploy(client: ClusterClient, namespace: str, name: str, replicas: int, **metadata: Any) -> None:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "web", "image": "example.com/web:1"}]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    obj = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name, **metadata}, "spec": spec}
    client.create(client.find("apps", "v1", "deployments"), obj, namespace)


def test_a_custom_resource_down_to_its_pods_and_up_again(
    browser: Client, client: ClusterClient, shops: str, namespace: str
) -> None:
    owner = shop(client, shops, namespace, "corner")
    deploy(client, namespace, "front", 2, ownerReferences=[reference(owner)])
    deploy(client, namespace, "helper", 1, labels={"app.kubernetes.io/instance": "corner"})
    page = f"/resources/{shops}/v1/shops/{namespace}/corner/"

    def text() -> str:
        return flat(browser.get(page, {"part": "owned"}, HTTP_HX_REQUEST="true"))

    until(lambda: "of 3 Pods ready" in text())
    found = text()
    levels = re.findall(r'role="row" id="owned-[^"]+" aria-level="(\d)"', found)
    assert levels == ["1", "2", "3", "3", "1", "2", "3"]
    assert 'title="app.kubernetes.io/instance">by label' in found
    assert "by label" not in found.split("helper")[0]
    pods = client.list(client.find("", "v1", "pods"), namespace, labels="app=front").items
    chain = browser.get(f"/resources/core/v1/pods/{namespace}/{pods[0]['metadata']['name']}/").content.decode()
    nav = chain.split('class="owned-chain"')[1].split("</nav>")[0]
    assert re.findall(r'<span class="console-muted">(\w+)</span>', nav) == ["Shop", "Deployment", "ReplicaSet", "Pod"]


def test_a_namespace_with_more_pods_than_a_page(
    client: ClusterClient, shops: str, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree, "CHUNK", 2)
    owner = shop(client, shops, namespace, "corner")
    deploy(client, namespace, "another", 4)
    deploy(client, namespace, "front", 3, ownerReferences=[reference(owner)])
    pods = client.find("", "v1", "pods")
    until(lambda: len(client.list(pods, namespace).items) == 7)
    type_ = client.find(shops, "v1", "shops")

    def names() -> list[str]:
        found = tree.belongings(client, type_, owner)
        assert found.gaps == ()
        return [row.object["metadata"]["name"] for row in found.rows if row.type.kind == "Pod"]

    until(lambda: len(names()) == 3)
    assert all(name.startswith("front-") for name in names())
    # An operator that makes its Pods itself, without a workload: they are looked for among all.
    bare = shop(client, shops, namespace, "bare")
    container = {"name": "web", "image": "example.com/web:1"}
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "own", "ownerReferences": [reference(bare)]},
        "spec": {"containers": [container]},
    }
    client.create(pods, pod, namespace)
    found = tree.belongings(client, type_, bare)
    assert [(row.type.kind, row.object["metadata"]["name"]) for row in found.rows] == [("Pod", "own")]


def test_known_events_cost_no_look(
    client: ClusterClient, shops: str, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = shop(client, shops, namespace, "corner")
    deploy(client, namespace, "front", 1, ownerReferences=[reference(owner)])
    type_, pods = client.find(shops, "v1", "shops"), client.find("", "v1", "pods")
    until(lambda: len(client.list(pods, namespace).items) == 1)
    pod = uid_of(client.list(pods, namespace).items[0])
    assert pod in tree.uids_below(client, type_, owner, {pod: "Pod"})
    looks: list[object] = []
    monkeypatch.setattr(tree, "belongings", lambda *asked: looks.append(asked))
    assert pod in tree.uids_below(client, type_, owner, {pod: "Pod", "of-a-node": "Node"})
    assert looks == []


def test_the_operator_behind_a_custom_resource(
    browser: Client, client: ClusterClient, shops: str, namespace: str
) -> None:
    try:
        csvs = client.find("operators.coreos.com", "v1alpha1", "clusterserviceversions")
    except NotFound:
        pytest.skip("needs a cluster with OLM")
    crd = {"name": f"shops.{shops}", "version": "v1", "kind": "Shop"}
    crd["specDescriptors"] = [{"path": "word", "x-descriptors": ["urn:alm:descriptor:com.tectonic.ui:password"]}]  # type: ignore[assignment]
    deployment = {
        "name": "op",
        "spec": {
            "selector": {"matchLabels": {"a": "b"}},
            "template": {
                "metadata": {"labels": {"a": "b"}},
                "spec": {"containers": [{"name": "op", "image": "example.com/op:1"}]},
            },
        },
    }
    spec = {
        "displayName": "Shop keeper",
        "version": "1.0.0",
        "customresourcedefinitions": {"owned": [crd]},
        "install": {"strategy": "deployment", "spec": {"deployments": [deployment]}},
        "installModes": [{"type": "AllNamespaces", "supported": True}],
    }
    csv = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": "keeper.v1"},
        "spec": spec,
    }
    client.create(csvs, csv, namespace)
    owner = shop(client, shops, namespace, "corner")
    client.patch(client.find(shops, "v1", "shops"), "corner", {"spec": {"word": "hunter2", "size": 1}}, namespace)
    assert owner
    text = flat(browser.get(f"/resources/{shops}/v1/shops/{namespace}/corner/"))
    assert f'<a href="/operators/{namespace}/keeper.v1/">Shop keeper</a>' in text
    # In dots until it is revealed.
    shown = re.sub(r"<details[^>]*>\s*<summary[^>]*>•+</summary>.*?</details>", "", text, flags=re.S)
    assert "hunter2" in text and "hunter2" not in shown
    assert 'data-path=".spec.word"' in text


def test_o1_an_instance_whose_pod_can_not_start_is_degraded_everywhere(
    browser: Client, client: ClusterClient, shops: str, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """O1: its page, its list, the overview and the API say the same of it, whatever its operator says."""
    monkeypatch.setattr(children, "GRACE_SECONDS", 0.0)
    type_ = client.find(shops, "v1", "shops")
    made = shop(client, shops, namespace, "web")
    client.patch(type_, "web", {"status": {"phase": "Pending"}}, namespace)
    metadata = {"name": "web-0", "ownerReferences": [reference(made)]}
    spec = {"nodeSelector": {"nowhere": "at-all"}, "containers": [{"name": "c", "image": "nginx:1"}]}
    pods = client.find("", "v1", "pods")
    client.create(pods, {"metadata": metadata, "spec": spec}, namespace)
    until(lambda: kind_health.health({**client.get(pods, "web-0", namespace)}).state == "Degraded")
    path = f"/resources/{shops}/v1/shops/"
    reason = "web-0 can&#x27;t be scheduled: no node has the labels nowhere=at-all"
    page = browser.get(f"{path}{namespace}/web/").content.decode()
    assert "Degraded" in page.split('id="object-state"')[1].split("</p>")[0]
    assert reason in page.split('id="causes"')[1].split("</section>")[0]
    answer = browser.get(f"/api{path}", {"namespace": namespace, "as": "states"}).json()
    assert [obj["state"] for obj in answer["items"]] == ["Degraded"]
    listed = browser.get(path, {"namespace": namespace}).content.decode()
    assert reason in listed and "data-live-moves" in listed, "a live row alone would not know of the Pod"
    assert "web" in browser.get(path, {"namespace": namespace, "state": "Degraded"}).content.decode().split("<tbody")[1]
    (kind,), _late = instances.asked(client, [type_], 10)
    assert (kind.degraded, kind.worst[0].name) == (1, "web")


def test_o3_deleting_an_instance_lists_what_goes_with_it(
    browser: Client, client: ClusterClient, shops: str, namespace: str
) -> None:
    """O3: and does not promise that it can be undone where data is lost."""
    owner = shop(client, shops, namespace, "corner")
    deploy(client, namespace, "front", 0, ownerReferences=[reference(owner)])
    deploy(client, namespace, "helper", 0, labels={"app.kubernetes.io/instance": "corner"})
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    metadata = {"name": "data-of-it", "ownerReferences": [reference(owner)]}
    client.create(client.find("", "v1", "persistentvolumeclaims"), {"metadata": metadata, "spec": spec}, namespace)
    page = browser.get(f"/resources/{shops}/v1/shops/{namespace}/corner/delete/").content.decode()
    goes, stays = page.split('id="going-goes"')[1].split('id="going-stays"')
    assert "front" in goes and "data-of-it" in goes and "helper" not in goes
    assert "helper" in stays
    assert 'data-undo="no"' in page and 'data-undo="yes"' not in page
