"""kubectl and running Pods: wait, rollouts, logs, exec, port-forward, describe. A real program runs in one of them."""

import re
import socket
import subprocess
import urllib.request

import pytest

from tests.kubectl import Kubectl

ENGINE = "operator-console.dev/sampledb-engine:7"
POD = f"""
apiVersion: v1
kind: Pod
metadata: {{name: engine, labels: {{app: engine}}}}
spec:
  containers:
  - name: engine
    image: "{ENGINE}"
    ports: [{{containerPort: 6379, name: db}}]
    readinessProbe: {{tcpSocket: {{port: db}}}}
---
apiVersion: v1
kind: Service
metadata: {{name: engine}}
spec: {{selector: {{app: engine}}, ports: [{{port: 80, targetPort: db}}]}}
"""


def forwarded(process: "subprocess.Popen[str]") -> int:
    """The local port that kubectl chose."""
    assert process.stdout is not None
    found = re.match(r"Forwarding from 127\.0\.0\.1:(\d+)", process.stdout.readline())
    assert found is not None
    return int(found[1])


@pytest.fixture
def web(k: Kubectl) -> str:
    """A simulated Pod of a Deployment; "pod/web-…"."""
    k("create", "deployment", "web", "--image=nginx:1", "--port=80")
    k("wait", "deployment/web", "--for=condition=Available", "--timeout=20s")
    return k("get", "pods", "-l", "app=web", "-o", "name").strip()


@pytest.fixture
def engine(k: Kubectl) -> str:
    """A Pod whose program really runs."""
    k("apply", "-f", "-", stdin=POD)
    k("wait", "pod/engine", "--for=condition=Ready", "--timeout=20s")
    return "pod/engine"


def test_a_simulated_pod_says_so(k: Kubectl, web: str) -> None:
    assert "simulated by the embedded cluster" in k("logs", web)
    assert "so there is nothing to run a command in" in k("exec", web, "--", "true", fails=True)
    description = k("describe", web)
    assert "Status:           Running" in description
    assert "Successfully assigned" in description


def test_rollouts(k: Kubectl, web: str) -> None:
    k("set", "image", "deployment/web", "nginx=nginx:2")
    assert "successfully rolled out" in k("rollout", "status", "deployment/web", "--timeout=20s")
    assert re.search(r"^2 ", k("rollout", "history", "deployment/web"), re.MULTILINE)
    k("rollout", "undo", "deployment/web")
    k("rollout", "status", "deployment/web", "--timeout=20s")
    assert k("get", "deployment", "web", "-o", "jsonpath={..image}") == "nginx:1"
    k("scale", "deployment", "web", "--replicas=3")
    k("wait", "deployment/web", "--for=jsonpath={.status.readyReplicas}=3", "--timeout=20s")
    assert "3 desired | 3 updated | 3 total | 3 available" in k("describe", "deployment", "web")
    k("delete", "deployment", "web")
    k("wait", "pod", "-l", "app=web", "--for=delete", "--timeout=20s")


def test_logs_of_a_running_program(k: Kubectl, engine: str) -> None:
    assert "Ready to accept connections" in k("logs", engine)
    assert len(k("logs", engine, "--tail=1").splitlines()) == 1
    assert re.match(r"20\d\d-\d\d-\d\dT", k("logs", engine, "--tail=1", "--timestamps"))
    with k.running("logs", "-f", engine) as process:
        assert process.stdout is not None
        assert any("Ready to accept connections" in line for line in process.stdout)


@pytest.mark.parametrize("websockets", ["true", "false"], ids=["websocket", "spdy"])
def test_exec(k: Kubectl, engine: str, websockets: str) -> None:
    how = {"KUBECTL_REMOTE_COMMAND_WEBSOCKETS": websockets}
    assert k("exec", engine, "--", "echo", "hello", **how) == "hello\n"
    assert k("exec", "-i", engine, "--", "cat", stdin="through\n", **how) == "through\n"
    assert "exit code 3" in k("exec", engine, "--", "sh", "-c", "exit 3", fails=True, **how)
    long = k("exec", engine, "--", "seq", "100000", **how)
    assert long.count("\n") == 100000


@pytest.mark.parametrize("target", ["pod/engine", "service/engine"])
def test_port_forward_to_a_running_program(k: Kubectl, engine: str, target: str) -> None:
    with k.running("port-forward", target, ":80" if "service" in target else ":6379") as process:
        port = forwarded(process)
        with socket.create_connection(("127.0.0.1", port), timeout=10) as found:
            found.sendall(b"PING\r\n")
            assert found.recv(64).startswith((b"+PONG", b"-NOAUTH"))


def test_port_forward_to_a_simulated_pod(k: Kubectl, web: str) -> None:
    with k.running("port-forward", web, ":80") as process:
        port = forwarded(process)
        for _ in range(3):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as page:
                assert b"Simulated by the embedded cluster" in page.read()
