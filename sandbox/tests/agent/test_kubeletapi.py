"""The kubelet's own API, as kube-apiserver asks it: logs, exec, attach, port-forward over TLS with a client
certificate.
"""

import http.client
import json
import re
import ssl
from pathlib import Path

import pytest

from sandbox.tests.agent.kubelet import Kubelet, is_ready, pod
from tests.api import Api
from tools.realcluster.certificates import Authority


@pytest.fixture(scope="module")
def engine(api: Api, kubelet: Kubelet) -> str:
    """The namespace of the Pod `engine`, which runs a database."""
    assert api.post("/api/v1/namespaces", {"metadata": {"name": "streams"}}).status == 201
    api.post("/api/v1/namespaces/streams/pods", pod("engine"))
    api.until("/api/v1/namespaces/streams/pods/engine", is_ready)
    return "streams"


def test_only_clients_with_a_certificate_are_answered(kubelet: Kubelet, authority: Authority, tmp_path: Path) -> None:
    assert kubelet.get("/healthz") == (200, "ok")
    nobody = ssl.create_default_context(cafile=str(authority.certificate))
    stranger = ssl.create_default_context(cafile=str(authority.certificate))
    stranger.load_cert_chain(*Authority(tmp_path).issue("client", "kube-apiserver"))
    for tls in (nobody, stranger):
        with pytest.raises((ssl.SSLError, ConnectionError, http.client.HTTPException)):
            Kubelet(kubelet.port, tls).get("/healthz")
    plain = http.client.HTTPConnection("127.0.0.1", kubelet.port, timeout=10)
    with pytest.raises((OSError, http.client.HTTPException)):
        plain.request("GET", "/healthz")
        plain.getresponse()


def test_it_lists_its_pods(kubelet: Kubelet, engine: str) -> None:
    code, text = kubelet.get("/pods")
    assert code == 200
    assert ("engine", engine) in [
        (item["metadata"]["name"], item["metadata"]["namespace"]) for item in json.loads(text)["items"]
    ]


def test_logs(kubelet: Kubelet, engine: str) -> None:
    path = f"/containerLogs/{engine}/engine/main"
    code, text = kubelet.get(path)
    assert (code, "Ready to accept connections" in text) == (200, True)
    assert kubelet.get(f"{path}?tailLines=1")[1] == text.splitlines(keepends=True)[-1]
    assert re.match(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z ", kubelet.get(f"{path}?timestamps=true&tailLines=1")[1])
    assert kubelet.get(f"{path}?limitBytes=10")[1] == text[:10]
    assert kubelet.get(f"{path}?sinceTime=2999-01-01T00:00:00Z") == (200, "")
    assert kubelet.get(f"{path}?sinceSeconds=3600")[1] == text


def test_refusals_are_a_sentence(kubelet: Kubelet, engine: str) -> None:
    assert kubelet.get(f"/containerLogs/{engine}/engine/main?previous=true") == (
        400,
        'previous terminated container "main" in pod "engine" not found',
    )
    assert kubelet.get(f"/containerLogs/{engine}/nobody/main") == (404, 'pods "nobody" not found')
    assert kubelet.get(f"/exec/{engine}/engine/main?command=true") == (400, "Upgrade request required")
    assert kubelet.get("/nothing")[0] == 404


def test_a_log_is_followed(kubelet: Kubelet, engine: str) -> None:
    connection = http.client.HTTPSConnection("127.0.0.1", kubelet.port, timeout=20, context=kubelet.tls)
    connection.request("GET", f"/containerLogs/{engine}/engine/main?follow=true")
    answer = connection.getresponse()
    assert any(b"Ready to accept connections" in answer.readline() for _ in range(200))
    connection.close()


def test_exec(kubelet: Kubelet, engine: str) -> None:
    streams = kubelet.run(f"{engine}/engine", "sh", "-c", "echo yes; echo no >&2; exit 3")
    assert (streams[1], streams[2]) == (b"yes\n", b"no\n")
    assert json.loads(streams[3])["details"]["causes"] == [{"reason": "ExitCode", "message": "3"}]


def test_exec_with_input(kubelet: Kubelet, engine: str) -> None:
    query = "command=tr&command=a-z&command=A-Z&input=1&output=1"
    with kubelet.websocket(f"/exec/{engine}/engine/main?{query}", "v5.channel.k8s.io") as socket:
        socket.send(b"\x00hello")
        socket.send(b"\xff\x00")  # the end of channel 0
        assert socket.recv() == b"\x01HELLO"
        assert json.loads(socket.recv()[1:])["status"] == "Success"


def test_port_forward(kubelet: Kubelet, engine: str) -> None:
    path = f"/portForward/{engine}/engine?port=6379"
    with kubelet.websocket(path, "v4.channel.k8s.io") as socket:
        assert [socket.recv(), socket.recv()] == [b"\x00\xeb\x18", b"\x01\xeb\x18"]  # each channel tells the port first
        socket.send(b"\x00PING\r\n")
        answer = socket.recv()
        assert isinstance(answer, bytes)
        assert answer.startswith((b"\x00+PONG", b"\x00-NOAUTH"))
