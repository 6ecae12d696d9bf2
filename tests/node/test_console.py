"""R1: deploy/overlays/tutorial as it is, in containers: ServiceAccount, binding, Deployment, Service, port-forward."""

import json
import time

import pytest
from playwright.sync_api import Page, expect

from tests.eventually import until
from tests.node.conftest import Site, picture
from tools.realcluster.process import PartFailed
from tools.realnode.__main__ import print_progress
from tools.realnode.images import BUSYBOX

pytestmark = pytest.mark.timeout(1800)
NAMESPACE = ("-n", "okd-style")
WEB = "app.kubernetes.io/component=web"


def test_the_overlay_is_whole(site: Site) -> None:
    """Everything that docs/deploy.md lists is there."""
    assert site.get(*NAMESPACE, "serviceaccount", "console")
    binding = site.get("clusterrolebinding", "okd-style-console")
    assert binding["subjects"] == [{"kind": "ServiceAccount", "name": "console", "namespace": "okd-style"}]
    assert site.get(*NAMESPACE, "service", "console")["spec"]["ports"][0]["port"] == 9000
    for name, count in (("console", 2), ("console-worker", 2), ("console-beat", 1), ("console-redis", 1)):
        assert site.get(*NAMESPACE, "deployment", name)["status"]["readyReplicas"] == count
    assert site.get(*NAMESPACE, "pvc", "data-console-postgres-0")["status"]["phase"] == "Bound"


def test_all_that_it_needs_is_reached(site: Site) -> None:
    """The API server too, whose authority states no key usage: the image's Python would refuse it in strict mode."""
    status, text = site.ask("/readyz")
    assert status == 200
    parts = json.loads(text)["parts"]
    assert {"database", "redis", "cluster", "worker"} <= set(parts)
    assert all(part["ready"] for part in parts.values()), parts


def test_it_runs_as_the_image_says(site: Site) -> None:
    def run(*command: str) -> str:
        return site.node.kubectl(*NAMESPACE, "exec", "deployment/console", "-c", "web", "--", *command)

    def python(program: str) -> str:
        return run("python", "-c", program).strip()

    assert python("import os; print(os.getuid())") == "10001"
    with pytest.raises(PartFailed, match="Read-only file system"):
        python("open('/app/x', 'w')")
    # Not on the Pod's address: a port-forward is the only way in.
    listening = python("print(open('/proc/net/tcp').read())")
    assert "0100007F:2328" in listening and "00000000:2328" not in listening
    # The entry point's: what any program writes is for its user only.
    assert "0077" in python("print(next(line for line in open('/proc/1/status') if line.startswith('Umask')))")
    with pytest.raises(PartFailed, match=r"no such file|not found"):
        run("sh", "-c", "true")


def test_a_container_with_a_shell_is_put_beside_it(site: Site) -> None:
    """docs/deploy.md, "The image": the namespace admits it, and it sees the console's files."""
    pod = site.node.kubectl(*NAMESPACE, "get", "pods", "-l", WEB, "-o", "name").split()[0]
    debug = ("debug", pod, "--target=web", "--container=look", "--profile=restricted", f"--image={BUSYBOX}", "--quiet")
    site.node.kubectl(*NAMESPACE, *debug, "--", "ls", "/proc/1/root/app")

    def printed() -> bool:
        files = site.node.kubectl(*NAMESPACE, "logs", pod, "--container=look").split()
        return {"manage.py", "console", "deploy"} <= set(files)

    until(printed, "the console's files", seconds=60, not_yet=(PartFailed,))


def test_a_page_is_opened(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/operatorhub/")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.goto(f"{site.url}/resources/core/v1/pods/?namespace=okd-style")
    expect(page.get_by_role("link", name="console-postgres-0", exact=True)).to_be_visible()
    picture(page, "real-node-pods")


def test_a_deployment_that_kubectl_scales_is_seen_in_the_list(site: Site, page: Page) -> None:
    kubectl = site.node.kubectl
    kubectl("create", "namespace", "scaled")
    kubectl("-n", "scaled", "create", "deployment", "waiting", "--image=registry.k8s.io/pause:3.10")
    kubectl("-n", "scaled", "rollout", "status", "deployment/waiting", "--timeout=120s")
    page.goto(f"{site.url}/resources/apps/v1/deployments/?namespace=scaled")
    row = page.get_by_role("row").filter(has_text="waiting")
    expect(row).to_contain_text("1 of 1 ready", timeout=20_000)
    page.wait_for_timeout(2000)
    started = time.monotonic()
    kubectl("-n", "scaled", "scale", "deployment/waiting", "--replicas=3")
    expect(row).to_contain_text("of 3 ready", timeout=20_000)
    seen = time.monotonic() - started
    expect(row).to_contain_text("3 of 3 ready", timeout=60_000)
    print_progress(f"seen {seen:.2f} s after `kubectl scale` began, whole after {time.monotonic() - started:.1f} s")
    picture(page, "real-node-scaled")
    kubectl("delete", "namespace", "scaled", "--wait=false")


def test_a_web_process_that_is_killed_comes_back(site: Site) -> None:
    """The kubelet restarts it, and the other replica serves meanwhile."""
    kubectl = site.node.kubectl
    pod = kubectl(*NAMESPACE, "get", "pods", "-l", "app.kubernetes.io/component=worker", "-o", "name").split()[0]
    # PID 1 of a container takes SIGTERM only where it asks for it; the worker does.
    kubectl(*NAMESPACE, "exec", pod, "-c", "worker", "--", "python", "-c", "import os; os.kill(1, 15)")

    def restarted() -> bool:
        statuses = site.get(*NAMESPACE, pod)["status"]["containerStatuses"]
        return bool(statuses[0]["restartCount"] == 1 and statuses[0]["ready"])

    until(restarted, "the kubelet starts the worker again", seconds=180)
