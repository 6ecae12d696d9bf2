"""Pods share this machine's ports, and must not notice it: each has an address of its own on a real cluster."""

from sandbox.runtime.ports import free_port
from tests.api import Api
from tests.eventually import until

ENGINE = "operator-console.dev/sampledb-engine:7"


def test_two_pods_of_one_image_listen_though_neither_declares_a_port(api: Api, namespace: str) -> None:
    """The second ended with "Address already in use", again and again."""
    pods = f"/api/v1/namespaces/{namespace}/pods"
    for name in ("first", "second"):
        container = {"name": "main", "image": ENGINE}
        assert api.post(pods, {"metadata": {"name": name}, "spec": {"containers": [container]}}).status == 201

    def listens(name: str) -> bool:
        return "Ready to accept connections" in api.get(f"{pods}/{name}/log").raw.decode()

    for name in ("first", "second"):
        until(lambda name=name: listens(name), f"{name} listens", seconds=60)
        statuses = api.get(f"{pods}/{name}").json["status"]["containerStatuses"]
        assert [status["restartCount"] for status in statuses] == [0]


def test_no_connection_takes_a_port_before_its_program_listens() -> None:
    """Systems draw the ports of connections from 32768 on (Linux) or 49152 on (others)."""
    assert {free_port() < 32_768 for _ in range(50)} == {True}
