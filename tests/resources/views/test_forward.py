"""Port-forward and logs of a Pod that really runs: the SampleDB engine, started by the sandbox for a Pod with its
image.
"""

import contextlib
import re
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from kube.client import ClusterClient
from resources.forward import tunnels
from tests.eventually import until

ENGINE = "operator-console.dev/sampledb-engine:7"


@pytest.fixture
def pod(client: ClusterClient, namespace: str) -> str:
    """The name of a running Pod whose container answers RESP on its port 6379 ("redis"), and a Service `data` before
    it.
    """
    labels = {"app": "data"}
    container = {"name": "database", "image": ENGINE, "ports": [{"containerPort": 6379, "name": "redis"}]}
    container["volumeMounts"] = [{"name": "data", "mountPath": "/data"}]  # type: ignore[assignment]
    spec = {"containers": [container], "volumes": [{"name": "data", "emptyDir": {}}]}
    pods = client.find("", "v1", "pods")
    obj = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "data-0", "labels": labels}, "spec": spec}
    client.create(pods, obj, namespace)
    ports = [{"port": 443, "targetPort": "redis", "name": "https"}]
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "data"},
        "spec": {"selector": labels, "ports": ports},
    }
    client.create(client.find("", "v1", "services"), service, namespace)
    until(lambda: client.get(pods, "data-0", namespace).get("status", {}).get("phase") == "Running")
    return "data-0"


@pytest.fixture(autouse=True)
def no_tunnel_left(client: ClusterClient, settings: Any) -> Iterator[None]:
    settings.LOCAL_ONLY = True
    yield
    for tunnel in tunnels.tunnels(client):
        tunnels.close_tunnel(client, tunnel.id)


def ask(port: int) -> bytes:
    """The database's answer to PING, or b'' while nothing answers."""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(b"PING\r\n")
        return connection.recv(100)


@pytest.mark.parametrize(("kind", "name", "port"), [("pods", "data-0", 6379), ("services", "data", 443)])
def test_forward_reaches_the_database(
    browser: Client, client: ClusterClient, namespace: str, pod: str, kind: str, name: str, port: int
) -> None:
    url = f"/resources/core/v1/{kind}/{namespace}/{name}/forward/"
    assert f'value="{port}"' in browser.get(url).content.decode()
    assert browser.post(url, {"remote": str(port), "local": ""}).status_code == 302
    (tunnel,) = tunnels.tunnels(client)
    assert until(lambda: ask(tunnel.local)) == b"+PONG\r\n"
    page = browser.get(url).content.decode()
    assert f"localhost:{tunnel.local}" in page
    listed = browser.get("/resources/forwards/").content.decode()
    assert f"{namespace}/{name}:{port}" in listed
    assert re.search(r"[1-9]\d* in total", listed)
    part = browser.get(f"/resources/forwards/?only={tunnel.id},7", headers={"HX-Request": "true"}).content.decode()
    assert f'id="tunnel-{tunnel.id}"' in part
    assert "<html" not in part
    stopped = browser.post("/resources/forwards/", {"stop": str(tunnel.id), "next": "https://evil.example/"})
    assert stopped["Location"] == "/resources/forwards/"
    assert tunnels.tunnels(client) == ()
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", tunnel.local), timeout=2)


@pytest.mark.parametrize(("remote", "local", "field"), [("x", "", "remote"), ("6379", "70000", "local")])
def test_what_is_no_port_is_said_at_its_field(
    browser: Client, namespace: str, pod: str, remote: str, local: str, field: str
) -> None:
    url = f"/resources/core/v1/pods/{namespace}/{pod}/forward/"
    answer = browser.post(url, {"remote": remote, "local": local})
    assert answer.status_code == 422
    assert f'id="{field}-help"' in answer.content.decode()
    assert (remote if field == "remote" else local) in answer.content.decode()


def test_a_taken_port_and_a_missing_pod(browser: Client, namespace: str, pod: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]
        url = f"/resources/core/v1/pods/{namespace}/{pod}/forward/"
        answer = browser.post(url, {"remote": "6379", "local": str(number)})
    assert answer.status_code == 400
    assert f"port {number} of this machine" in answer.content.decode()
    assert browser.get(f"/resources/core/v1/pods/{namespace}/nobody/forward/").status_code == 404


@pytest.fixture
def deployment(client: ClusterClient, namespace: str) -> str:
    """The name of a Deployment of the database, which runs."""
    labels = {"app": "many"}
    container = {"name": "database", "image": ENGINE, "ports": [{"containerPort": 6379, "name": "redis"}]}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container], "terminationGracePeriodSeconds": 1}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    obj = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "many"}, "spec": spec}
    client.create(client.find("apps", "v1", "deployments"), obj, namespace)
    return "many"


def test_a_forward_survives_its_pod(browser: Client, client: ClusterClient, namespace: str, deployment: str) -> None:
    pods = client.find("", "v1", "pods")

    def running() -> str:
        found = client.list(pods, namespace, labels="app=many").items
        alive = [
            item["metadata"]["name"]
            for item in found
            if item.get("status", {}).get("phase") == "Running" and "deletionTimestamp" not in item["metadata"]
        ]
        return alive[0] if alive else ""

    first = until(running)
    url = f"/resources/apps/v1/deployments/{namespace}/{deployment}/forward/"
    page = browser.get(url).content.decode()
    assert f"kubectl port-forward deployment/many :6379 -n {namespace}" in page
    assert browser.post(url, {"target": "Deployment/many", "remote": "6379", "local": ""}).status_code == 302
    (tunnel,) = tunnels.tunnels(client)

    def answers() -> bool:
        with contextlib.suppress(OSError):
            return ask(tunnel.local) == b"+PONG\r\n"
        return False

    until(answers)
    client.delete(pods, first, namespace)
    until(lambda: running() not in ("", first))
    # A try of ours that met no Pod may end, with its error, after the first that met one.
    until(lambda: answers() and not tunnel.error)
    assert tunnel.received >= 2 * len(b"+PONG\r\n")


def test_why_it_fails(browser: Client, client: ClusterClient, namespace: str, pod: str) -> None:
    url = f"/resources/core/v1/pods/{namespace}/{pod}/forward/"
    assert browser.post(url, {"target": f"Pod/{pod}", "remote": "6380", "local": ""}).status_code == 302
    (tunnel,) = tunnels.tunnels(client)
    with contextlib.suppress(OSError):
        ask(tunnel.local)
    until(lambda: tunnel.error)
    assert tunnel.error.startswith("Nothing listens on port 6380 of the Pod")
    assert "Nothing listens on port 6380 of the Pod" in browser.get("/resources/forwards/").content.decode()


def test_a_console_for_others_opens_no_ports(
    browser: Client, client: ClusterClient, namespace: str, pod: str, settings: Any
) -> None:
    settings.LOCAL_ONLY = False
    url = f"/resources/core/v1/pods/{namespace}/{pod}/forward/"
    page = browser.get(url).content.decode()
    assert 'id="local"' not in page
    assert f"kubectl port-forward pod/{pod} :6379 -n {namespace}" in page
    assert browser.post(url, {"target": f"Pod/{pod}", "remote": "6379", "local": "1234"}).status_code == 302
    (tunnel,) = tunnels.tunnels(client)
    assert tunnel.local == 0 and tunnel.server is None, (
        "S12: nothing listens where every program of the server could connect"
    )
    page = browser.get(url).content.decode()
    assert f"/forwarded/{tunnel.token}/" in page
    assert "localhost:" not in page


def test_the_log_and_its_parts(browser: Client, client: ClusterClient, namespace: str, pod: str) -> None:
    until(lambda: client.log(pod, namespace))
    url = f"/resources/core/v1/pods/{namespace}/{pod}/logs/"
    page = browser.get(url).content.decode()
    text = client.log(pod, namespace).strip().splitlines()[0]
    assert text[:20] in page
    assert "data-follow=" in page
    previous = browser.get(f"{url}?previous=1").content.decode()
    assert "previous terminated container" in previous
    assert "previous=1" in previous.partition('data-follow="')[2].partition('"')[0]
    since = browser.get(f"{url}?tail=100&span=300&since=2026-01-01T00:00:00&timestamps=1").content.decode()
    assert "--tail=100 --since-time=2026-01-01T00:00:00Z --timestamps" in since
    assert text[:20] in since
