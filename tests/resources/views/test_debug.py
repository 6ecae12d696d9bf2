"""A debug container: what is sent, and what is refused at its field."""

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.errors import Forbidden
from resources.podlogs import LogContainer
from resources.views.terminal import _why
from tests.eventually import until


def test_it_is_put_beside_the_others(browser: Client, client: ClusterClient, namespace: str) -> None:
    pods = client.find("", "v1", "pods")
    spec = {"containers": [{"name": "web", "image": "nginx"}]}
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": spec}
    # A real cluster makes the namespace's default ServiceAccount a moment later.
    until(lambda: client.create(pods, pod, namespace), "a Pod", not_yet=(Forbidden,))
    url = f"/resources/core/v1/pods/{namespace}/web/debug/"
    page = browser.get(url).content.decode()
    assert f"kubectl debug -it web -n {namespace} --image=busybox:1.37 --target=web -- sh" in page
    assert browser.post(url, {"image": " ", "target": "web"}).status_code == 422
    done = browser.post(url, {"image": "busybox:1.36", "target": "web"})
    assert done.status_code == 302
    (made,) = client.get(pods, "web", namespace)["spec"]["ephemeralContainers"]
    assert (made["image"], made["targetContainerName"], made["tty"]) == ("busybox:1.36", "web", True)
    place = f"/resources/core/v1/pods/{namespace}/web/terminal/?container={made['name']}"
    assert done["Location"].startswith(f"{place}&begun=")
    shown = browser.get(done["Location"]).content.decode()
    assert made["name"] in shown
    # It starts in a moment, and the page reloads automatically.
    assert "data-retry" in shown
    # O7: with a limit. If the node doesn't report the container, the page says so.
    late = browser.get(f"{place}&begun=1700000000").content.decode()
    if made["name"] in late and "running" not in late:
        assert "data-retry" not in late
        assert "Check that the node supports debug containers" in late or "started. " in late
    assert browser.get(f"/resources/core/v1/namespaces/-/{namespace}/debug/").status_code == 404


@pytest.mark.parametrize(
    ("container", "late", "words"),
    [
        (LogContainer(name="c", kind="ephemeral", state="waiting", restarts=0, reason="", known=False), False, ""),
        (
            LogContainer(
                name="c", kind="ephemeral", state="waiting", restarts=0, reason="ImagePullBackOff: no such image"
            ),
            False,
            "ImagePullBackOff",
        ),
        (
            LogContainer(
                name="c", kind="ephemeral", state="waiting", restarts=0, reason="ImagePullBackOff: no such image"
            ),
            True,
            "ImagePullBackOff",
        ),
        (
            LogContainer(name="c", kind="ephemeral", state="waiting", restarts=0, reason="", known=False),
            True,
            "Check that the node supports debug",
        ),
    ],
)
def test_o7_why_a_container_has_not_started(container: LogContainer, late: bool, words: str) -> None:
    """O7: what the node says at once; that it says nothing after a while."""
    why = _why(container, late)
    assert words in why and bool(words) == bool(why)
