"""Inside real containers, from the pages: terminal, debug container, logs, port-forward."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.eventually import until
from tests.node.broken import made, template, workload
from tests.node.conftest import Site, picture
from tools.realnode.images import BUSYBOX

pytestmark = pytest.mark.timeout(900)
NAMESPACE = "contained"
PAUSE = "registry.k8s.io/pause:3.10"
#: Bytes of the long log, in lines of 100. The container runtime writes 40 more for each, and the kubelet rotates a file
#: of 10 MiB.
LONG = 7_400_000


def _sh(script: str) -> dict[str, Any]:
    return {"command": ["sh", "-c", script]}


@pytest.fixture(scope="module", autouse=True)
def pods(site: Site) -> Iterator[None]:
    # awk's lines are 99 bytes and a line feed.
    long = f"awk 'BEGIN {{ for (i = 1; i <= {LONG // 100}; i++) printf \"%099d\\n\", i }}'; sleep 100000"
    restarted = (
        "if [ -e /data/again ]; then echo second run; sleep 100000; fi; touch /data/again; echo first run; exit 7"
    )
    volume = {"volumes": [{"name": "data", "emptyDir": {}}]}
    mounts = {"volumeMounts": [{"name": "data", "mountPath": "/data"}]}
    two = workload("Deployment", "two", _sh("while :; do echo $HOSTNAME; sleep 1; done"), NAMESPACE, replicas=2)
    objects = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        _pod("shell", {}),
        _pod("bare", {"image": PAUSE, "command": None}),
        _pod("long", _sh(long)),
        _pod("restarted", {**_sh(restarted), **mounts}, **volume),
        _pod("served", {**_sh("echo from the Pod > /tmp/index.html; httpd -f -p 8080 -h /tmp"), **_port(8080)}),
        two,
    ]
    path = site.node.layout.data / "contained.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    site.node.kubectl("apply", "-f", str(path))
    site.node.kubectl("-n", NAMESPACE, "wait", "--for=condition=Ready", "pod", "--all", "--timeout=300s", seconds=310)
    yield
    site.node.kubectl("delete", "namespace", NAMESPACE, "--wait=false")


def _pod(name: str, container: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return made("Pod", name, "v1", NAMESPACE, spec=template(name, container, spec)["spec"])


def _port(number: int) -> dict[str, Any]:
    return {"ports": [{"containerPort": number}]}


def _of(site: Site, pod: str, view: str) -> str:
    return f"{site.url}/resources/core/v1/pods/{NAMESPACE}/{pod}/{view}"


def test_a_shell(site: Site, page: Page) -> None:
    page.goto(_of(site, "shell", "terminal/"))
    state, rows = page.locator("#terminal-state"), page.locator(".xterm-rows")
    expect(state).to_have_text("connected")
    page.keyboard.type("echo $((6 * 7))-answers; tty; hostname\n")
    expect(rows).to_contain_text("42-answers")
    expect(rows).to_contain_text("/dev/pts/")
    page.keyboard.type("exit 3\n")
    expect(state).to_contain_text("exit code 3")


def test_an_image_without_a_shell_gets_a_debug_container(site: Site, page: Page) -> None:
    page.goto(_of(site, "bare", "terminal/"))
    expect(page.get_by_text("This container has no shell")).to_be_visible()
    picture(page, "real-node-no-shell")
    page.get_by_role("link", name="Debug container").click()
    page.locator("#image").fill(BUSYBOX)
    page.get_by_role("button", name="Start container and open terminal").click()
    expect(page.locator("#terminal-state")).to_have_text("connected", timeout=90_000)
    # It sees the processes of the container that it is for.
    page.locator("#terminal").click()
    page.keyboard.type("ps\n")
    expect(page.locator(".xterm-rows")).to_contain_text("/pause")
    picture(page, "real-node-debug")


def test_a_debug_container_whose_image_is_missing_says_why(site: Site, page: Page) -> None:
    page.goto(_of(site, "shell", "debug/"))
    page.locator("#image").fill("10.89.0.1:1/tools:1")
    page.get_by_role("button", name="Start container and open terminal").click()
    expect(page.get_by_text(re.compile("connection refused"))).to_be_visible(timeout=90_000)


def test_a_container_that_has_not_the_program(site: Site, page: Page) -> None:
    page.goto(_of(site, "shell", "terminal/?command=bash"))
    expect(page.locator("#terminal-state")).to_contain_text('exec: "bash": executable file not found in $PATH')


def test_the_log_of_the_run_before(site: Site, page: Page) -> None:
    page.goto(_of(site, "restarted", "logs/"))
    expect(page.locator("#log")).to_contain_text("second run")
    page.goto(_of(site, "restarted", "logs/?previous=1"))
    expect(page.locator("#log")).to_contain_text("first run")
    expect(page.locator("[data-log-state]")).to_have_text("end of the previous run")


def test_a_log_that_fills_a_file(site: Site, page: Page) -> None:
    last = f"{LONG // 100:099d}"
    until(lambda: last in site.node.kubectl("-n", NAMESPACE, "logs", "long", "--tail=1"), seconds=120)
    page.goto(_of(site, "long", "logs/?tail=10000"))
    expect(page.locator("#log")).to_contain_text(last)
    expect(page.locator("[data-log-state]")).to_have_text("following")
    whole = page.request.get(_of(site, "long", "logs/raw/?container=web")).body()
    assert len(whole) == LONG
    assert whole.startswith(f"{1:099d}\n".encode()) and whole.endswith(f"{last}\n".encode())


def test_all_pods_of_a_deployment_in_one_stream(site: Site, page: Page) -> None:
    page.goto(f"{site.url}/resources/apps/v1/deployments/{NAMESPACE}/two/logs/")
    names = site.node.kubectl("-n", NAMESPACE, "get", "pods", "-l", "app=two", "-o", "name").split()
    log = page.get_by_role("log")
    assert len(names) == 2
    for name in names:
        expect(log.locator(f"[data-source='{name.removeprefix('pod/')}/web']").last).to_be_visible()
    expect(page.locator("[data-log-state]")).to_have_text("following")
    # One more is followed as soon as it runs.
    site.node.kubectl("-n", NAMESPACE, "scale", "deployment/two", "--replicas=3")
    expect(page.locator("[data-log-sources] input")).to_have_count(3, timeout=90_000)


def test_a_port_of_a_pod(site: Site, page: Page) -> None:
    """In the tutorial's overlay, through the console: a port of its Pod would be of no use."""
    page.goto(_of(site, "served", "forward/"))
    expect(page.locator("#remote")).to_have_value("8080")
    page.get_by_role("button", name="Start port-forward").click()
    link = page.locator("a[href*='/forwarded/']").first
    expect(link).to_be_visible()
    address = link.get_attribute("href") or ""
    answer = page.request.get(f"{site.url}{address.removeprefix(site.url)}index.html")
    assert (answer.status, answer.text()) == (200, "from the Pod\n")


def test_its_events(site: Site, page: Page) -> None:
    page.goto(_of(site, "restarted", ""))
    expect(page.locator("#events")).to_contain_text("Started")
