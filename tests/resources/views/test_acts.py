"""Acts of one object: what is offered as it is, what the API server then has, what is refused and why."""

from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from tests.api import custom_resource_definition
from tests.eventually import until

LABELS = {"app": "web"}
TEMPLATE = {"metadata": {"labels": LABELS}, "spec": {"containers": [{"name": "web", "image": "nginx"}]}}


@pytest.fixture
def deployment(client: ClusterClient, namespace: str) -> str:
    """The address of its page."""
    spec = {"replicas": 1, "selector": {"matchLabels": LABELS}, "template": TEMPLATE}
    obj = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec}
    client.create(client.find("apps", "v1", "deployments"), obj, namespace)
    return f"/resources/apps/v1/deployments/{namespace}/web/"


@pytest.fixture
def cron_job(client: ClusterClient, namespace: str) -> str:
    pod = {"restartPolicy": "Never", "containers": [{"name": "web", "image": "nginx"}]}
    template = {"metadata": {"labels": {"of": "nightly"}}, "spec": {"template": {"spec": pod}}}
    spec = {"schedule": "0 3 1 1 *", "jobTemplate": template}
    obj = {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "nightly"}, "spec": spec}
    client.create(client.find("batch", "v1", "cronjobs"), obj, namespace)
    return f"/resources/batch/v1/cronjobs/{namespace}/nightly/"


def test_a_rollout_is_restarted_paused_and_resumed(
    browser: Client, client: ClusterClient, namespace: str, deployment: str
) -> None:
    type_ = client.find("apps", "v1", "deployments")
    page = browser.get(deployment).content.decode()
    assert f"kubectl rollout restart deployments.apps web -n {namespace}" in page
    assert browser.post(f"{deployment}act/restart/")["Location"] == deployment
    template = client.get(type_, "web", namespace)["spec"]["template"]
    assert template["metadata"]["annotations"]["kubectl.kubernetes.io/restartedAt"].endswith("Z")
    assert browser.post(f"{deployment}act/pause/").status_code == 302
    assert client.get(type_, "web", namespace)["spec"]["paused"] is True
    page = browser.get(deployment).content.decode()
    assert "act/pause/" not in page
    assert "The rollout is paused. Resume it first." in page
    refused = browser.post(f"{deployment}act/restart/")
    assert refused.status_code == 409
    assert "Resume it first." in refused.content.decode()
    assert browser.post(f"{deployment}act/resume/").status_code == 302
    assert not client.get(type_, "web", namespace)["spec"].get("paused")
    assert browser.post(f"{deployment}act/resume/").status_code == 404


def test_a_cron_job_is_suspended_and_run_now(
    browser: Client, client: ClusterClient, namespace: str, cron_job: str
) -> None:
    type_, jobs = client.find("batch", "v1", "cronjobs"), client.find("batch", "v1", "jobs")
    assert browser.post(f"{cron_job}act/suspend/").status_code == 302
    assert client.get(type_, "nightly", namespace)["spec"]["suspend"] is True
    assert "act/resume/" in browser.get(cron_job).content.decode()
    question = browser.get(f"{cron_job}act/run/").content.decode()
    assert "--from=cronjob/nightly" in question
    wrong = browser.post(f"{cron_job}act/run/", {"name": "Not A Name"})
    assert wrong.status_code == 422
    assert 'value="Not A Name"' in wrong.content.decode()
    assert "act-name-help" in wrong.content.decode()
    done = browser.post(f"{cron_job}act/run/", {"name": "by-hand"})
    assert done["Location"] == f"/resources/batch/v1/jobs/{namespace}/by-hand/"
    made = client.get(jobs, "by-hand", namespace)
    assert made["metadata"]["annotations"]["cronjob.kubernetes.io/instantiate"] == "manual"
    assert made["metadata"]["labels"]["of"] == "nightly"
    assert made["metadata"]["ownerReferences"][0]["name"] == "nightly"
    again = browser.post(f"{cron_job}act/run/", {"name": "by-hand"})
    assert again.status_code == 422
    assert "already exists" in again.content.decode()


def test_a_pod_is_evicted_unless_its_budget_forbids_it(
    browser: Client, client: ClusterClient, namespace: str, deployment: str
) -> None:
    pods, budgets = client.find("", "v1", "pods"), client.find("policy", "v1", "poddisruptionbudgets")
    budget: dict[str, Any] = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "all"}}
    budget["spec"] = {"minAvailable": 1, "selector": {"matchLabels": LABELS}}
    client.create(budgets, budget, namespace)
    name = until(lambda: client.list(pods, namespace, labels="app=web").items)[0]["metadata"]["name"]
    until(lambda: client.get(pods, name, namespace)["status"].get("phase") == "Running")
    until(lambda: (client.get(budgets, "all", namespace).get("status") or {}).get("observedGeneration"))
    url = f"/resources/core/v1/pods/{namespace}/{name}/act/evict/"
    assert "PodDisruptionBudget" in browser.get(url).content.decode()
    refused = browser.post(url)
    assert refused.status_code == 429
    assert "disruption budget" in refused.content.decode()
    client.delete(budgets, "all", namespace)
    assert browser.post(url).status_code == 302

    def is_being_deleted() -> bool:
        found = [pod for pod in client.list(pods, namespace).items if pod["metadata"]["name"] == name]
        return not found or "deletionTimestamp" in found[0]["metadata"]

    until(is_being_deleted)


def test_a_custom_kind_with_suspend_in_its_schema(browser: Client, client: ClusterClient, namespace: str) -> None:
    spec = {"type": "object", "properties": {"suspend": {"type": "boolean"}}}
    schema = {"type": "object", "properties": {"spec": spec}}
    crd = custom_resource_definition(f"{namespace}.example.dev", "syncs", "Sync", schema={"openAPIV3Schema": schema})
    crds = client.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
    client.create(crds, crd)
    try:

        def served() -> bool:
            client.forget_types()
            return any(type_.plural == "syncs" for type_ in client.types())

        until(served)
        type_ = client.find(f"{namespace}.example.dev", "v1", "syncs")
        obj = {"apiVersion": type_.api_version, "kind": "Sync", "metadata": {"name": "site"}, "spec": {}}
        client.create(type_, obj, namespace)
        url = f"/resources/{type_.group}/v1/syncs/{namespace}/site/"
        until(lambda: "act/suspend/" in browser.get(url).content.decode())
        assert browser.post(f"{url}act/suspend/").status_code == 302
        assert client.get(type_, "site", namespace)["spec"]["suspend"] is True
        assert browser.post(f"{url}act/resume/").status_code == 302
        assert client.get(type_, "site", namespace)["spec"]["suspend"] is False
    finally:
        client.delete(crds, crd["metadata"]["name"])


def test_labels_and_annotations_in_rows(
    browser: Client, client: ClusterClient, namespace: str, config_map: str
) -> None:
    maps = client.find("", "v1", "configmaps")
    before = {"labels": {"tier": "gold", "own": "x"}, "annotations": {"note": "two\nlines"}}
    client.patch(maps, config_map, {"metadata": before}, namespace)
    url = f"/resources/core/v1/configmaps/{namespace}/{config_map}/labels/"
    page = browser.get(url).content.decode()
    assert 'value="gold"' in page
    assert "two\nlines" in page
    # Another user adds a key meanwhile: it stays.
    client.patch(maps, config_map, {"metadata": {"labels": {"late": "1"}}}, namespace)
    was = {
        "labels-was-key": ["own", "tier"],
        "labels-was-value": ["x", "gold"],
        "annotations-was-key": ["note"],
        "annotations-was-value": ["two\r\nlines"],
    }
    rows = {"annotations-key": ["note"], "annotations-value": ["two\r\nlines"]}
    wrong = browser.post(url, {**was, **rows, "labels-key": ["own", "a b"], "labels-value": ["x", "silver"]})
    assert wrong.status_code == 422
    assert 'value="a b"' in wrong.content.decode()
    assert 'aria-invalid="true"' in wrong.content.decode()
    done = browser.post(url, {**was, **rows, "labels-key": ["own", "team"], "labels-value": ["x", "blue"]})
    assert done.status_code == 302
    metadata = client.get(maps, config_map, namespace)["metadata"]
    assert metadata["labels"] == {"own": "x", "team": "blue", "late": "1"}
    assert metadata["annotations"] == {"note": "two\nlines"}


def test_the_menu_of_a_row(browser: Client, namespace: str, deployment: str) -> None:
    part = browser.get(f"{deployment}menu/", headers={"HX-Request": "true"}).content.decode()
    assert part.strip().startswith("<li")
    assert "act/restart/" in part
    assert f"kubectl delete deployments.apps web -n {namespace}" in part
    assert "<html" in browser.get(f"{deployment}menu/").content.decode()
