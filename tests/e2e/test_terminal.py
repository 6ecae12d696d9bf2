"""A shell in a container, from the page: typed, answered, sized, ended; and to our own pages only."""

import re

import pytest
from playwright.sync_api import Page, expect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from kube.client import ClusterClient
from kube.errors import Forbidden
from tests.e2e.conftest import Site
from tests.e2e.steps import SLOW
from tests.eventually import until

KINDS = ()
# It does nothing for a day: a server would end where the port is still held by the last test's.
IMAGE = "operator-console.dev/kudo-waiter:1.0.0"


@pytest.fixture
def pod(client: ClusterClient, namespace: str) -> str:
    """The name of a Pod whose container really runs."""
    spaces, pods = client.find("", "v1", "namespaces"), client.find("", "v1", "pods")
    client.create(spaces, {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
    spec = {"containers": [{"name": "engine", "image": IMAGE}], "terminationGracePeriodSeconds": 1}
    obj = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "host"}, "spec": spec}
    # A real cluster makes the namespace's default ServiceAccount a moment later.
    until(lambda: client.create(pods, obj, namespace), "a Pod", not_yet=(Forbidden,))
    until(lambda: (client.get(pods, "host", namespace).get("status") or {}).get("phase") == "Running", "its container")
    return "host"


@pytest.mark.journey
def test_a_shell(site: Site, page: Page, namespace: str, pod: str) -> None:
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto(f"{site.url}/resources/core/v1/pods/{namespace}/{pod}/")
    page.locator("#actions summary").click()
    page.locator("#actions").get_by_role("link", name="Terminal", exact=True).click()
    expect(page.get_by_role("status").filter(has_text="connected")).to_be_visible(timeout=SLOW)
    address = f"{site.url}/api/audit/?verb=exec&namespace={namespace}"
    # The record is written beside the shell, which doesn't wait for it.
    noted = until(lambda: page.request.get(address).json()["items"], "the audit record")
    assert [(item["name"], item["outcome"], item["diff"]) for item in noted] == [(pod, "ok", [])]
    rows = page.locator(".xterm-rows")
    page.keyboard.type("echo $((6 * 7))-answers; tty\n")
    expect(rows).to_contain_text("42-answers")
    expect(rows).to_contain_text(re.compile("/dev/(pts|tty|console)"))
    # The shell knows how large its window is, and hears when it changes.
    page.keyboard.type("stty size\n")
    expect(rows).to_contain_text(re.compile(r"\d+ \d{2,3}"))
    page.set_viewport_size({"width": 600, "height": 900})
    page.keyboard.type(r"printf '\355\225\234\352\265\255'; stty size" + "\n")
    expect(rows).to_contain_text(re.compile(r"한국\d+ \d\d\D"))
    page.keyboard.type("exit 3\n")
    expect(page.locator("#terminal-state")).to_contain_text("3")
    page.get_by_role("button", name="Connect again").click()
    expect(page.locator("#terminal-state")).to_have_text("connected")
    assert not complaints


def test_a_command_that_is_not_there(site: Site, page: Page, namespace: str, pod: str) -> None:
    page.goto(f"{site.url}/resources/core/v1/pods/{namespace}/{pod}/terminal/?command=no-such-program")
    expect(page.locator("#terminal-state")).to_contain_text("no-such-program", timeout=SLOW)


def test_only_our_own_pages_are_let_in(site: Site, namespace: str, pod: str) -> None:
    address = f"{site.url.replace('http', 'ws')}/resources/core/v1/pods/{namespace}/{pod}/terminal/socket/"
    for origin in ("https://evil.example", None):
        with pytest.raises((InvalidStatus, ConnectionClosed)), connect(address, origin=origin) as socket:  # type: ignore[arg-type]
            socket.recv(timeout=5)
