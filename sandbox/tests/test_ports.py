"""Pods share this machine's ports, and must not notice it: each has an address of its own on a real cluster."""

import pytest

from sandbox.runtime import ports
from sandbox.runtime.ports import ReservedPort, bound_socket
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
    reserved = [ReservedPort() for _ in range(50)]
    assert all(port.number < 32_768 for port in reserved)
    for port in reserved:
        port.close()


def test_a_reserved_port_is_given_to_no_other_until_it_is_released(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Pod's engine ended with "Address already in use" again and again: another Pod had drawn the same port before
    either listened.
    """
    first, spare, other = ReservedPort(), ReservedPort(), ReservedPort()
    spare.close()
    other.close()
    drawn = iter([first.number, first.number, spare.number, first.number, other.number, first.number])
    monkeypatch.setattr(ports, "PORTS", drawn)
    monkeypatch.setattr(ports.secrets, "choice", next)
    second, service = ReservedPort(), bound_socket()
    assert second.number == spare.number
    assert service.getsockname()[1] == other.number
    first.close()
    again = ReservedPort()
    assert again.number == first.number
    for opened in (second, service, again):
        opened.close()
