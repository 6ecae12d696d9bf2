"""metrics-server measures the node's containers, and the console shows what it says."""

import json
import re
import time

import pytest
from playwright.sync_api import Page, expect

from tests.eventually import until
from tests.node.conftest import Site, picture
from tools.realnode.__main__ import print_progress
from tools.realnode.images import METRICS

pytestmark = pytest.mark.timeout(900)
NAMESPACE = "measured"
#: A sparkline needs the measurements of two minutes.
MINUTES = 240_000


@pytest.fixture(scope="module", autouse=True)
def busy(site: Site) -> None:
    """A Deployment whose only container uses all CPU that it may: a tenth of a core."""
    container = {
        "name": "busy",
        "image": "docker.io/library/busybox:1.37.0",
        "command": ["sh", "-c", "while :; do :; done"],
        "resources": {"limits": {"cpu": "100m", "memory": "32Mi"}},
    }
    labels = {"app": "busy"}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "busy", "namespace": NAMESPACE},
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [container], "terminationGracePeriodSeconds": 1},
            },
        },
    }
    path = site.node.layout.data / "busy.json"
    path.write_text(json.dumps(deployment))
    site.node.kubectl("create", "namespace", NAMESPACE)
    site.node.kubectl("apply", "-f", str(path))


def _measured(site: Site, pod: str, namespace: str) -> dict[str, str]:
    """CPU and memory of a Pod's only container, as metrics-server says."""
    (container,) = site.get("-n", namespace, "pods.metrics.k8s.io", pod)["containers"]
    return dict(container["usage"])


def test_metrics_server_is_part_of_the_node(site: Site) -> None:
    site.node.kubectl("wait", "--for=condition=Available", "apiservice/v1beta1.metrics.k8s.io", "--timeout=180s")
    (container,) = site.get("-n", "kube-system", "deployment", "metrics-server")["spec"]["template"]["spec"][
        "containers"
    ]
    assert container["image"] == METRICS
    # The kubelet's certificate is checked.
    assert not any("insecure" in argument for argument in container["args"])
    until(lambda: "node" in site.node.kubectl("top", "node"), seconds=120, not_yet=(Exception,))
    print_progress(site.node.kubectl("top", "pods", "-A"))


def test_the_list_of_pods_has_real_numbers(site: Site, page: Page) -> None:
    pod = "console-postgres-0"
    measured = until(lambda: _measured(site, pod, "okd-style"), seconds=120, not_yet=(Exception,))
    page.goto(f"{site.url}/resources/core/v1/pods/?namespace=okd-style")
    for heading in ("CPU", "Memory"):
        expect(page.get_by_role("columnheader", name=heading)).to_be_visible(timeout=120_000)
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name=pod, exact=True))
    expect(row.locator("td[data-label=Memory]")).to_have_text(re.compile(r"\d MiB"), timeout=60_000)
    shown = float(row.locator("td[data-label=Memory]").inner_text().split()[0])
    assert shown == pytest.approx(int(measured["memory"].removesuffix("Ki")) / 1024, rel=0.3)
    expect(row.locator("td[data-label=CPU]")).to_have_text(re.compile(r"^\s*[\d.]+m?\s*$"))
    picture(page, "real-node-usage")


def test_a_deployment_shows_what_it_uses(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/resources/apps/v1/deployments/{NAMESPACE}/busy/")
    cpu, memory = (page.locator(".usage-tile").filter(has_text=label) for label in ("CPU", "Memory"))
    expect(cpu).to_be_visible(timeout=120_000)

    def millicores() -> float:
        return float(cpu.locator("strong").inner_text().removesuffix("m"))

    # Less while the machine is busy, and before it was measured over a whole window.
    until(lambda: 30 <= millicores() <= 115, seconds=120, not_yet=(ValueError,))
    expect(memory.locator("strong")).to_have_text(re.compile(r"KiB|MiB"))
    started = time.monotonic()
    for tile in (cpu, memory):
        expect(tile.locator(".sparkline")).to_be_visible(timeout=MINUTES)
    print_progress(f"sparklines after {time.monotonic() - started:.0f} s more; {millicores():.0f}m of 100m")
    picture(page, "real-node-usage-deployment")
    page.get_by_role("link", name=re.compile(r"^busy-\w+-\w+$")).first.click()
    expect(page.locator(".usage-tile .sparkline")).to_have_count(2, timeout=MINUTES)
    site.node.kubectl("delete", "namespace", NAMESPACE, "--wait=false")
