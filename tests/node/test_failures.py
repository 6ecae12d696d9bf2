"""kill -9 and SIGSTOP of the node's own processes, under open pages of the console."""

import json
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Page, expect

from console.processes.parts import free_port
from tests.eventually import until
from tests.node.broken import workload
from tests.node.conftest import Site, picture
from tests.node.relays import relayed
from tools.realcluster.process import PartFailed
from tools.realnode.__main__ import print_progress

pytestmark = pytest.mark.timeout(900)
NAMESPACE = "lasting"
#: Keeps each text that the banner of a page has had.
_RECORD = """() => {
  window.banners = [];
  const banner = document.querySelector("[data-health-text]");
  new MutationObserver(() => { if (banner.textContent) window.banners.push(banner.textContent); })
    .observe(banner, { childList: true, characterData: true, subtree: true });
}"""


def _web_process(site: Site) -> int:
    """A process of a web container, as this machine numbers it."""
    for process in psutil.process_iter(["cmdline"]):
        with suppress(OSError):
            of_node = site.node.machine.name in Path(f"/proc/{process.pid}/cgroup").read_text()
            if of_node and "console.asgi:application" in (process.info["cmdline"] or []):
                return process.pid
    pytest.fail("no web container of the console runs")


@pytest.fixture(scope="module")
def direct(site: Site) -> Iterator[str]:
    """The address of a web container past API server and kubelet, with either of which a port-forward ends."""
    port = free_port()
    with relayed(_web_process(site), f"{port}=127.0.0.1:9000"):
        yield f"http://localhost:{port}"


@pytest.fixture(scope="module", autouse=True)
def lasting(site: Site) -> Iterator[None]:
    """A Deployment whose containers must outlast everything."""
    kubectl = site.node.kubectl
    kubectl("create", "namespace", NAMESPACE)
    path = site.node.layout.data / "lasting.json"
    path.write_text(json.dumps(workload("Deployment", "lasting", {}, NAMESPACE)))
    kubectl("apply", "-f", str(path))
    kubectl("-n", NAMESPACE, "rollout", "status", "deployment/lasting", "--timeout=120s")
    yield
    kubectl("delete", "namespace", NAMESPACE, "--wait=false")


def _containers(site: Site) -> set[tuple[str, int]]:
    """ID and restarts of each."""
    pods = site.get("-n", NAMESPACE, "pods")["items"]
    statuses = [status for pod in pods for status in pod["status"].get("containerStatuses", ())]  # type: ignore[attr-defined]
    return {(status["containerID"], status["restartCount"]) for status in statuses}


def _ready(site: Site) -> bool:
    with suppress(PartFailed):
        site.node.kubectl("wait", "--for=condition=Ready", "node/node", "--timeout=1s")
        # The kubelet answers, and containerd to it.
        return bool(site.node.kubectl("-n", NAMESPACE, "exec", "deployment/lasting", "--", "echo", "there").strip())
    return False


@pytest.mark.parametrize("part", ["kubelet", "containerd", "kube-apiserver", "etcd"])
def test_a_part_that_is_killed_comes_back(site: Site, direct: str, page: Page, part: str) -> None:
    node = site.node
    node.kubectl("-n", NAMESPACE, "scale", "deployment/lasting", "--replicas=1")
    node.kubectl("-n", NAMESPACE, "rollout", "status", "deployment/lasting", "--timeout=120s")
    page.goto(f"{direct}/resources/apps/v1/deployments/?namespace={NAMESPACE}")
    row = page.get_by_role("row").filter(has_text="lasting")
    expect(row).to_contain_text("1 of 1 ready")
    page.wait_for_timeout(2000)
    page.evaluate(_RECORD)
    before, restarts = _containers(site), node.restarts.counts[part] if node.restarts else 0
    started = time.monotonic()
    node.kill(part)
    until(lambda: node.restarts and node.restarts.counts[part] > restarts, "it is started again", seconds=60)
    until(lambda: _ready(site), "the node is ready", seconds=240)
    healed = time.monotonic() - started
    assert _containers(site) == before
    # The page follows again, without having been loaded again.
    node.kubectl("-n", NAMESPACE, "scale", "deployment/lasting", "--replicas=2")
    expect(row).to_contain_text("2 of 2 ready", timeout=240_000)
    expect(page.locator("#health-banner")).to_be_hidden(timeout=60_000)
    shown = page.evaluate("() => window.banners")
    print_progress(f"{part}: the node was whole after {healed:.1f} s; the page said {sorted(set(shown))}")
    assert before <= _containers(site)


def test_a_node_whose_kubelet_does_not_respond(site: Site, direct: str, page: Page) -> None:
    """After 50 seconds, kube-controller-manager calls it not ready, and its Pods."""
    node = site.node
    before = _containers(site)
    page.goto(f"{direct}/resources/core/v1/nodes/-/node/")
    node.kill("kubelet", signal.SIGSTOP)
    started = time.monotonic()
    try:
        cause = page.locator(".pf-v6-c-alert__title")
        expect(cause.first).to_contain_text("node isn't ready: its kubelet doesn't respond", timeout=240_000)
        print_progress(f"the node's page says so after {time.monotonic() - started:.0f} s")
        picture(page, "real-node-not-ready")
        page.goto(f"{direct}/resources/apps/v1/deployments/{NAMESPACE}/lasting/")
        words = "lasting isn't ready: the kubelet of its node node doesn't respond"
        expect(cause.first).to_contain_text(words, timeout=240_000)
    finally:
        node.kill("kubelet", signal.SIGCONT)
    expect(page.get_by_text(words)).to_have_count(0, timeout=240_000)
    until(lambda: _ready(site), seconds=120)
    assert _containers(site) == before
