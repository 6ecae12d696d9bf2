"""CPU and memory on pages, from the embedded cluster's metrics; without permission to list them there is no trace."""

import dataclasses
import re

import pytest
import redis
from django.test import Client

from kube.client import ClusterClient
from resources import tasks
from resources.changes import usage_samples
from resources.usage import PODS, metrics_type, readings
from tests.eventually import until
from tests.resources.views.test_rights import Become, become, dev

__all__ = ["become", "dev"]
PODS_PAGE = "/resources/core/v1/pods/"
NODES_PAGE = "/resources/core/v1/nodes/"


@pytest.fixture
def web(client: ClusterClient, namespace: str) -> str:
    """A Deployment of two Pods, measured; its name."""
    if not metrics_type(client, PODS):
        pytest.skip("the cluster has no metrics.k8s.io")
    labels = {"app": "web"}
    spec = {"containers": [{"name": "web", "image": "nginx:1"}, {"name": "side", "image": "nginx:1"}]}
    template = {"metadata": {"labels": labels}, "spec": spec}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"replicas": 2, "selector": {"matchLabels": labels}, "template": template},
    }
    client.create(client.find("apps", "v1", "deployments"), deployment, namespace)
    until(lambda: len(client.list(client.find("metrics.k8s.io", "", "pods"), namespace).items) == 2)
    return "web"


@pytest.fixture
def without_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cluster serves no metrics.k8s.io."""
    types = ClusterClient.types
    monkeypatch.setattr(
        ClusterClient, "types", lambda self: tuple(type_ for type_ in types(self) if type_.group != "metrics.k8s.io")
    )


def _headings(page: str) -> list[str]:
    """Keys by which the list can be sorted."""
    return list(dict.fromkeys(re.findall(r"[?&;]sort=(cpu|memory)\b", page)))


def _cells(page: str) -> list[str]:
    return re.findall(r'list-usage[^>]*data-label="[^"]*"[^>]*>([^<]*)</td>', page)


def test_lists_have_columns(browser: Client, web: str, namespace: str) -> None:
    page = browser.get(PODS_PAGE, {"namespace": namespace}).content.decode()
    assert _headings(page) == ["cpu", "memory"]
    assert _cells(page) == ["0", "0 B"] * 2
    assert "data-live-again" in page
    assert re.search(r'data-live-rows="[^"]*\?usage"', page)
    nodes = browser.get(NODES_PAGE).content.decode()
    assert _headings(nodes) == ["cpu", "memory"]
    assert re.search(r"\d+ MiB", " ".join(_cells(nodes)))


def test_other_lists_have_none(browser: Client, web: str, namespace: str) -> None:
    page = browser.get("/resources/apps/v1/deployments/", {"namespace": namespace}).content.decode()
    assert not _headings(page)
    assert "data-live-again" not in page
    assert "usage=" not in page


def test_they_sort(browser: Client, web: str, namespace: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for sort in ("memory", "-memory", "cpu"):
        page = browser.get(PODS_PAGE, {"namespace": namespace, "sort": sort}).content.decode()
        assert len(_cells(page)) == 4
    assert 'aria-sort="ascending"' in page


def test_columns_can_be_chosen(browser: Client, web: str, namespace: str) -> None:
    page = browser.get(PODS_PAGE, {"namespace": namespace, "columns": "state,memory"}).content.decode()
    assert _headings(page) == ["memory"]
    assert _cells(page) == ["0 B"] * 2
    page = browser.get(PODS_PAGE, {"namespace": namespace, "columns": "state"}).content.decode()
    assert _cells(page) == []
    assert "data-live-again" not in page


def test_a_part_of_a_page_has_the_columns_of_the_page(
    browser: Client, web: str, namespace: str, without_metrics: None
) -> None:
    query = {"namespace": namespace, "usage": "1"}
    assert _cells(browser.get(PODS_PAGE, query).content.decode()) == ["–"] * 4
    assert _cells(browser.get(PODS_PAGE, query | {"usage": "0"}).content.decode()) == []


@pytest.mark.usefixtures("without_metrics")
def test_where_none_are_served_there_is_no_trace(browser: Client, client: ClusterClient, namespace: str) -> None:
    pod = {"metadata": {"name": "web"}, "spec": {"containers": [{"name": "web", "image": "nginx:1"}]}}
    client.create(client.find("", "v1", "pods"), pod, namespace)
    page = browser.get(PODS_PAGE, {"namespace": namespace}).content.decode()
    assert not _headings(page) + _cells(page)
    page = browser.get(f"{PODS_PAGE}{namespace}/web/").content.decode()
    assert "usage-tile" not in page.replace("usage-tiles", "")
    card = browser.get("/", {"part": "cluster"}).content.decode()
    assert "sparkline" not in card


def test_object_pages(browser: Client, web: str, namespace: str, client: ClusterClient) -> None:
    name = client.list(client.find("", "v1", "pods"), namespace).items[0]["metadata"]["name"]
    for address in (f"{PODS_PAGE}{namespace}/{name}/", f"/resources/apps/v1/deployments/{namespace}/web/"):
        for part in ({}, {"part": "usage"}):
            page = browser.get(address, part).content.decode()
            assert page.count('class="usage-tile"') == 2, address
    assert browser.get(f"/resources/core/v1/services/{namespace}/none/", {"part": "usage"}).status_code == 200
    (node,) = client.list(client.find("", "v1", "nodes")).items
    page = browser.get(f"{NODES_PAGE}-/{node['metadata']['name']}/", {"part": "usage"}).content.decode()
    assert "8" in page
    assert page.count('class="usage-tile"') == 2


def test_who_may_not_read_them_sees_none(
    browser: Client, client: ClusterClient, become: Become, web: str, namespace: str, pipe: redis.Redis
) -> None:
    group, user = "rbac.authorization.k8s.io", f"no-metrics-{namespace}"
    rule = {"apiGroups": ["", "apps"], "resources": ["pods", "deployments"], "verbs": ["get", "list"]}
    client.create(client.find(group, "v1", "roles"), {"metadata": {"name": "r"}, "rules": [rule]}, namespace)
    binding = {
        "metadata": {"name": "b"},
        "roleRef": {"apiGroup": group, "kind": "Role", "name": "r"},
        "subjects": [{"kind": "User", "apiGroup": group, "name": user}],
    }
    client.create(client.find(group, "v1", "rolebindings"), binding, namespace)
    usage_samples.write(client.name, PODS, {f"{namespace}/{web}-x": (1.0, 1)})
    become(user)
    page = browser.get(PODS_PAGE, {"namespace": namespace})
    assert page.status_code == 200
    assert not _headings(page.content.decode())
    shown = browser.get(f"/resources/apps/v1/deployments/{namespace}/web/").content.decode()
    assert 'class="usage-tile"' not in shown


def test_a_viewer_of_a_namespace_sees_its_pods_alone(
    browser: Client, become: Become, dev: str, web: str, namespace: str
) -> None:
    become(dev)
    page = browser.get(PODS_PAGE, {"namespace": namespace}).content.decode()
    assert _cells(page) == ["0", "0 B"] * 2
    assert not _headings(browser.get(NODES_PAGE).content.decode())


def test_the_hour_comes_with_the_pages(
    browser: Client, client: ClusterClient, web: str, namespace: str, pipe: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = f"/resources/apps/v1/deployments/{namespace}/web/"
    assert "sparkline" not in browser.get(address, {"part": "usage"}).content.decode()
    until(lambda: pipe.keys("*usage*"))
    minute = usage_samples._minute()
    monkeypatch.setattr(usage_samples, "_minute", lambda: minute + 1)
    names = [
        f"{namespace}/{obj['metadata']['name']}" for obj in client.list(client.find("", "v1", "pods"), namespace).items
    ]
    usage_samples.write(client.name, PODS, dict.fromkeys(names, (0.5, 1 << 20)))
    page = browser.get(address, {"part": "usage"}).content.decode()
    assert len(re.findall(r'<svg[^>]*role="img"[^>]*aria-label="[^"]* (?:1|2 MiB),[^"]*"', page)) == 2


def test_the_worker_writes_it_too(client: ClusterClient, web: str, namespace: str, pipe: redis.Redis) -> None:
    tasks.sample_usage()
    names = [obj["metadata"]["name"] for obj in client.list(client.find("", "v1", "pods"), namespace).items]
    found = usage_samples.read(client.name, PODS, [f"{namespace}/{name}" for name in names])
    assert any(row == [(0.0, 0)] * 2 for row in found)
    (node,) = client.list(client.find("", "v1", "nodes")).items
    assert any(row[0] for row in usage_samples.read(client.name, "nodes", [f"/{node['metadata']['name']}"]))


def test_the_worker_that_may_not_is_quiet(
    client: ClusterClient, web: str, pipe: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers = (("Impersonate-User", "nobody-at-all"),)
    other = ClusterClient(dataclasses.replace(client.config, user="nobody-at-all", headers=headers))
    monkeypatch.setattr(tasks.clusters, "client_of", lambda _one: other)
    tasks.sample_usage()
    assert not pipe.keys("*usage*")


def test_the_overview(browser: Client, web: str) -> None:
    page = browser.get("/", {"part": "cluster"}).content.decode()
    readings.clear()
    assert re.search(r"\d+ MiB", page)
    assert "16 GiB" in page
