"""The logs of all Pods of a workload as one text: whose line it is, one container hidden, a Pod that comes later."""

import time
from typing import Any

from playwright.sync_api import Page, expect

from kube.client import ClusterClient
from tests.e2e.conftest import Site

KINDS = ()
IMAGE = "operator-console.dev/sampledb-engine:1.0.0"


def deployment(replicas: int) -> dict[str, Any]:
    pod = {"containers": [{"name": "engine", "image": IMAGE}], "terminationGracePeriodSeconds": 1}
    template = {"metadata": {"labels": {"app": "many"}}, "spec": pod}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "many"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "many"}, "spec": spec}


def test_all_pods_of_a_deployment(site: Site, page: Page, client: ClusterClient, namespace: str) -> None:
    client.create(
        client.find("", "v1", "namespaces"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    )
    deployments, pods = client.find("apps", "v1", "deployments"), client.find("", "v1", "pods")
    client.create(deployments, deployment(1), namespace)

    def running(number: int) -> list[str]:
        end = time.monotonic() + 90
        while True:
            found = [one for one in client.list(pods, namespace).items if one["status"].get("phase") == "Running"]
            if len(found) == number:
                return sorted(one["metadata"]["name"] for one in found)
            assert time.monotonic() < end, found
            time.sleep(0.2)

    first = running(1)
    page.goto(f"{site.url}/resources/apps/v1/deployments/{namespace}/many/")
    page.locator("#actions summary").click()
    page.get_by_role("link", name="Logs of all Pods").click()
    log = page.get_by_role("log")
    for name in first:
        expect(log.locator(f"[data-source='{name}/engine']").first).to_be_visible(timeout=60_000)
    expect(page.locator("[data-log-state]")).to_have_text("following")
    client.patch(deployments, "many", {"spec": {"replicas": 2}}, namespace)
    # The second can't have the port of the first, and begins again and again: its lines are there all the same.
    late = next(name for name in running(2) if name not in first)
    expect(page.get_by_label(f"{late}/engine")).to_be_checked(timeout=60_000)
    expect(log.locator(f"[data-source='{late}/engine']").first).to_be_visible(timeout=60_000)
    page.get_by_label(f"{first[0]}/engine").uncheck()
    expect(log.locator(f"[data-source='{first[0]}/engine']").first).to_be_hidden()
    expect(log.locator(f"[data-source='{late}/engine']").first).to_be_visible()
