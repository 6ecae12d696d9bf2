"""An object's page: state, what belongs to it, events, and regions that renew themselves."""

from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from tests.eventually import until


@pytest.fixture
def web(client: ClusterClient, namespace: str) -> str:
    """A StatefulSet with one Pod that the embedded cluster can't run, and a claim."""
    labels = {"app": "web"}
    container = {"name": "web", "image": "example.com/web:1", "ports": [{"containerPort": 80}]}
    claim = {
        "metadata": {"name": "data"},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    }
    spec: dict[str, Any] = {
        "replicas": 1,
        "serviceName": "web",
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        "volumeClaimTemplates": [claim],
    }
    obj = {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "web"}, "spec": spec}
    sets = client.find("apps", "v1", "statefulsets")
    client.create(sets, obj, namespace)
    until(lambda: client.get(sets, "web", namespace).get("status", {}).get("readyReplicas") == 1)
    return f"/resources/apps/v1/statefulsets/{namespace}/web/"


def test_it_works(browser: Client, web: str, namespace: str) -> None:
    answer = browser.get(web)
    text = answer.content.decode()
    assert answer.status_code == 200
    assert "1 of 1 ready" in text
    assert f'href="/resources/core/v1/pods/{namespace}/web-0/"' in text
    assert f'href="/resources/core/v1/persistentvolumeclaims/{namespace}/data-web-0/"' in text
    assert f"/resources/core/v1/pods/?namespace={namespace}&amp;labels=app%3Dweb" in text
    for part in ("object", "owned", "values", "events"):
        assert f'data-live-url="?part={part}"' in text
    assert f"core/v1/pods/{namespace}" in text.split('id="owned"')[1][:900]


@pytest.mark.parametrize("part", ["object", "owned", "values", "events"])
def test_parts(browser: Client, web: str, part: str) -> None:
    answer = browser.get(web, {"part": part}, HTTP_HX_REQUEST="true").content.decode()
    assert answer.count("data-live=") == 1
    assert f'id="{part}"' in answer
    assert "<html" not in answer


def test_events_of_what_belongs_to_it(browser: Client, web: str) -> None:
    def has_event(reason: str) -> bool:
        return reason in browser.get(web, {"part": "events"}, HTTP_HX_REQUEST="true").content.decode()

    # The cluster's recorders write a moment later than they act.
    until(lambda: has_event("SuccessfulCreate") and has_event("Scheduled"))


def test_actions_that_the_kind_has(browser: Client, web: str, config_map: str, namespace: str) -> None:
    assert f'href="{web}scale/"' in browser.get(web).content.decode()
    plain = browser.get(f"/resources/core/v1/configmaps/{namespace}/{config_map}/").content.decode()
    assert "/scale/" not in plain
    assert 'id="owned" data-live' not in plain
    for action in ("edit", "yaml", "delete"):
        assert f'href="/resources/core/v1/configmaps/{namespace}/{config_map}/{action}/"' in plain


def test_a_simulated_pod_says_so(browser: Client, client: ClusterClient, web: str, namespace: str) -> None:
    text = browser.get(f"/resources/core/v1/pods/{namespace}/web-0/").content.decode()
    annotations = client.get(client.find("", "v1", "pods"), "web-0", namespace)["metadata"].get("annotations", {})
    # A real cluster runs it, or another simulator has its own annotation.
    assert ("This Pod is simulated" in text) == (annotations.get("operator-console.dev/simulated") == "true")
    assert "example.com/web:1" in text
    assert f'href="{web}"' in text
    for action in ("logs", "forward"):
        assert f'href="/resources/core/v1/pods/{namespace}/web-0/{action}/"' in text


def test_a_secret_shows_no_value(browser: Client, client: ClusterClient, namespace: str) -> None:
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": '{"stringData":{"password":"hunter2"}}'}
    obj = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "key", "annotations": annotations},
        "stringData": {"password": "hunter2"},
    }
    client.create(client.find("", "v1", "secrets"), obj, namespace)
    text = browser.get(f"/resources/core/v1/secrets/{namespace}/key/").content.decode()
    assert "password" in text
    assert "hunter2" not in text
    assert "aHVudGVyMg" not in text


def test_cluster_scope(browser: Client, namespace: str) -> None:
    assert namespace in browser.get(f"/resources/core/v1/namespaces/-/{namespace}/").content.decode()


def test_an_object_that_is_gone(browser: Client, namespace: str) -> None:
    url = f"/resources/core/v1/configmaps/{namespace}/gone/"
    assert browser.get(url).status_code == 404
    assert browser.get(url, {"part": "object"}, HTTP_HX_REQUEST="true").status_code == 404
    left = browser.get(url, {"part": "owned"}, HTTP_HX_REQUEST="true").content.decode()
    assert " ".join(left.split()).startswith('<div id="owned" data-live="')
    assert left.strip().endswith("></div>")


def test_words_of_the_cluster_are_text(browser: Client, client: ClusterClient, namespace: str) -> None:
    evil = "<script>alert(1)</script>"
    obj = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "a." * 126 + "a", "annotations": {"note": evil}},
        "data": {"x": evil},
    }
    client.create(client.find("", "v1", "configmaps"), obj, namespace)
    text = browser.get(f"/resources/core/v1/configmaps/{namespace}/{'a.' * 126}a/").content.decode()
    assert evil not in text
    assert "&lt;script&gt;" in text


def test_what_an_operator_manages_says_so(browser: Client, client: ClusterClient, namespace: str) -> None:
    labels = {"olm.owner": "demo.v1", "olm.owner.namespace": namespace, "olm.owner.kind": "ClusterServiceVersion"}
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kept", "labels": labels}}
    client.create(client.find("", "v1", "configmaps"), obj, namespace)
    address = f"/resources/core/v1/configmaps/{namespace}/kept/"
    assert f'href="/operators/{namespace}/demo.v1/"' in browser.get(address).content.decode()
    assert "Managed by ClusterServiceVersion demo.v1" in browser.get(f"{address}edit/").content.decode()
