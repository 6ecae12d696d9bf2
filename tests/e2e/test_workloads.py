"""What is done with a workload from its page, a row and the palette: replicas in place, a restart, a port-forward
with its traffic, a terminal without shell.
"""

import json
import re
import socket
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from kube.client import ClusterClient
from tests.e2e.conftest import Site
from tests.e2e.steps import SLOW
from tests.eventually import until

KINDS = ()
IMAGE = "operator-console.dev/sampledb-engine:1.0.0"


@pytest.fixture
def pod(client: ClusterClient, namespace: str) -> str:
    """The name of a running Pod of the Deployment `data`."""
    spaces, pods = client.find("", "v1", "namespaces"), client.find("", "v1", "pods")
    client.create(spaces, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    container = {"name": "engine", "image": IMAGE, "ports": [{"containerPort": 6379, "name": "redis"}]}
    labels = {"app": "data"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container], "terminationGracePeriodSeconds": 1}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    obj: dict[str, Any] = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "data"}, "spec": spec}
    client.create(client.find("apps", "v1", "deployments"), obj, namespace)

    def running() -> list[str]:
        found = client.list(pods, namespace, labels="app=data").items
        return [pod["metadata"]["name"] for pod in found if (pod.get("status") or {}).get("phase") == "Running"]

    return until(running, "a running Pod")[0]


@pytest.mark.journey
def test_replicas_in_place_and_a_restart(
    site: Site, page: Page, client: ClusterClient, namespace: str, pod: str
) -> None:
    type_ = client.find("apps", "v1", "deployments")
    address = f"{site.url}/resources/apps/v1/deployments/{namespace}/data/"
    page.goto(address)
    page.get_by_label("Change Replicas").click()
    page.get_by_role("textbox", name="Replicas").fill("many")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#set--scale-1-wrong")).to_contain_text("isn't a number")
    expect(page.get_by_role("textbox", name="Replicas")).to_have_value("many")
    # Updates of the object keep the input.
    client.patch(type_, "data", {"metadata": {"labels": {"seen": "yes"}}}, namespace)
    expect(page.locator("#object")).to_contain_text("seen=yes", timeout=SLOW)
    expect(page.get_by_role("textbox", name="Replicas")).to_have_value("many")
    expect(page.locator("#set--scale-1-wrong")).to_contain_text("isn't a number")
    page.get_by_role("textbox", name="Replicas").fill("1")
    page.get_by_role("button", name="Decrease").click()
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#set--scale")).to_contain_text("0 desired", timeout=SLOW)
    assert client.get(type_, "data", namespace)["spec"]["replicas"] == 0
    # From a row of the list, by its menu and the question.
    page.goto(f"{site.url}/resources/apps/v1/deployments/?namespace={namespace}")
    page.get_by_role("button", name="Actions of data").click()
    menu = page.locator("[data-row-menu]")
    expect(menu.get_by_role("link", name="Restart rollout")).to_be_visible()
    expect(menu.get_by_role("button", name="Copy the kubectl command: Restart rollout")).to_have_attribute(
        "data-copy", f"kubectl rollout restart deployments.apps data -n {namespace}"
    )
    menu.get_by_role("link", name="Restart rollout").click()
    page.get_by_role("button", name="Restart rollout").click()
    expect(page).to_have_url(address)
    template = client.get(type_, "data", namespace)["spec"]["template"]
    assert "kubectl.kubernetes.io/restartedAt" in template["metadata"]["annotations"]
    # And from the palette, which knows whose page is open. A page hears keys when its scripts are there.
    page.wait_for_load_state("load")
    page.keyboard.press("Control+k")
    page.get_by_role("combobox").fill("pause roll")
    expect(page.locator("#palette").get_by_role("option", selected=True)).to_contain_text("Pause rollout")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/act/pause/$"))


def test_a_port_of_this_machine(site: Site, page: Page, namespace: str, pod: str) -> None:
    page.goto(f"{site.url}/resources/apps/v1/deployments/{namespace}/data/")
    page.locator("#actions summary").click()
    page.get_by_role("link", name="Port-forward", exact=True).click()
    expect(page.get_by_label("Port", exact=True)).to_have_value("6379")
    page.get_by_role("button", name="Start port-forward").click()
    row = page.locator("[data-tunnel]")
    expect(row).to_contain_text("0 open, 0 in total")
    port = int(row.get_attribute("data-tunnel") or "0")

    def answers() -> bool:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(100) == b"+PONG\r\n"

    until(answers, "the database's answer")
    # The traffic is shown live, here and in the list of all.
    expect(row).to_contain_text(re.compile(r"[1-9]\d* in total"))
    expect(row.locator(".forward-bytes").last).to_have_text(re.compile(r"^\s*[1-9]\d*\sbytes"))
    page.get_by_role("link", name="All port-forwards").click()
    # Others may have left theirs open.
    row = page.locator(f"[data-tunnel='{port}']")
    expect(row).to_contain_text(f"Deployment {namespace}/data:6379")
    row.get_by_role("button", name="Stop").click()
    expect(page.locator(f"[data-tunnel='{port}']")).to_have_count(0)
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=2)


def test_a_container_without_a_shell(site: Site, page: Page, namespace: str, pod: str) -> None:
    """What a container runtime says of such an image is given here: the sandbox's containers all have one."""
    message = 'exec failed: unable to start container process: exec: "/bin/sh": stat /bin/sh: no such file or directory'
    status = {"kind": "Status", "status": "Failure", "message": message}

    def respond(channel: WebSocketRoute) -> None:
        channel.send(b"\x03" + json.dumps(status).encode())
        channel.close()

    page.route_web_socket(re.compile("/terminal/socket/"), respond)
    page.goto(f"{site.url}/resources/core/v1/pods/{namespace}/{pod}/terminal/")
    expect(page.get_by_text("This container has no shell")).to_be_visible()
    page.get_by_role("link", name="Debug container").click()
    expect(page.get_by_label("Target container")).to_have_value("engine")
    page.get_by_label("Image").fill("Not An Image")
    page.get_by_role("button", name="Start container and open terminal").click()
    expect(
        page.locator("#image-help").or_(page.locator("#refusal")).or_(page.get_by_text("isn't running"))
    ).to_be_visible()
