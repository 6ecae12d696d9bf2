"""A debug container: what is sent, and what is refused at its field."""

import time

from django.test import Client

from kube.client import ClusterClient


def test_it_is_put_beside_the_others(browser: Client, client: ClusterClient, namespace: str) -> None:
    pods = client.find("", "v1", "pods")
    spec = {"containers": [{"name": "web", "image": "nginx"}]}
    end = time.monotonic() + 60
    while True:
        try:
            client.create(
                pods, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": spec}, namespace
            )
            break
        except Exception:
            # A real cluster makes the namespace's default ServiceAccount a moment later.
            assert time.monotonic() < end
            time.sleep(0.2)
    url = f"/resources/core/v1/pods/{namespace}/web/debug/"
    page = browser.get(url).content.decode()
    assert f"kubectl debug -it web -n {namespace} --image=busybox:1.37 --target=web -- sh" in page
    assert browser.post(url, {"image": " ", "target": "web"}).status_code == 422
    done = browser.post(url, {"image": "busybox:1.36", "target": "web"})
    assert done.status_code == 302
    (made,) = client.get(pods, "web", namespace)["spec"]["ephemeralContainers"]
    assert (made["image"], made["targetContainerName"], made["tty"]) == ("busybox:1.36", "web", True)
    assert done["Location"] == f"/resources/core/v1/pods/{namespace}/web/terminal/?container={made['name']}"
    shown = browser.get(done["Location"]).content.decode()
    assert made["name"] in shown
    # It starts in a moment, and the page looks again by itself.
    assert "data-retry" in shown
    assert browser.get(f"/resources/core/v1/namespaces/-/{namespace}/debug/").status_code == 404
