"""An ArgoCD on a really started cluster, with the operator as OLM installs it: from its example to its end."""

import json
import socket
import ssl
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from console.processes.parts import free_port
from examples.operators.tests.argocd.clusters import ArgoCDs
from examples.operators.tests.places import ROOT, condition
from tests.eventually import until

pytestmark = pytest.mark.timeout(300)
BUNDLE = ROOT / "examples" / "operators" / "packages" / "argocd-tutorial" / "1.0.0"
PARTS = ("dex-server", "redis", "repo-server", "server")


@pytest.fixture(scope="module")
def example(installed: ArgoCDs) -> Iterator[dict[str, Any]]:
    """The example of the bundle as the tutorial changes it, available."""
    csv = yaml.safe_load((BUNDLE / "csv.yaml").read_text())
    (found,) = json.loads(csv["metadata"]["annotations"]["alm-examples"])
    installed.create("example-argocd", **found["spec"], usersAnonymousEnabled=True)
    yield installed.available("example-argocd")
    installed.delete("example-argocd")


@contextmanager
def forwarded(argocds: ArgoCDs, target: str, port: int) -> Iterator[int]:
    """A port of this machine that leads to one of a Service or Pod, as `kubectl port-forward` opens it."""
    local = free_port()
    command = ["kubectl", f"--kubeconfig={argocds.api.kubeconfig}", f"--namespace={argocds.namespace}", "port-forward"]
    with subprocess.Popen([*command, target, f"{local}:{port}"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout and "Forwarding" in process.stdout.readline()
        try:
            yield local
        finally:
            process.kill()


def test_everything_that_the_tutorial_shows_is_made(installed: ArgoCDs, example: dict[str, Any]) -> None:
    name = "example-argocd"
    found = installed.objects(name)
    services = {*PARTS, "metrics", "server-metrics"}
    assert {item for item in found if item.startswith("services/")} == {
        f"services/{name}-{service}" for service in services
    }
    assert {item for item in found if item.startswith("deployments/")} == {
        f"deployments/{name}-{part}" for part in PARTS
    }
    assert {f"statefulsets/{name}-application-controller", f"pods/{name}-application-controller-0"} <= found
    assert {f"secrets/{name}-{item}" for item in ("cluster", "ca", "tls")} <= found
    assert len([item for item in found if item.startswith("pods/")]) == 5
    assert installed.there("configmaps", "argocd-cm")["data"]["users.anonymous.enabled"] == "true"


def test_the_status_says_it_of_each_component(example: dict[str, Any]) -> None:
    status = dict(example["status"])
    conditions = status.pop("conditions")
    fields = ("applicationController", "redis", "repo", "server", "sso")
    assert status == {**dict.fromkeys(fields, "Running"), "phase": "Available"}
    assert [(item["type"], item["status"], item["reason"]) for item in conditions] == [
        ("Reconciled", "True", "Success"),
        ("Available", "True", "ComponentsRunning"),
    ]
    assert condition(example, "Available")["message"] == "5 of 5 components run"
    assert "finalizers" not in example["metadata"] and "annotations" not in example["metadata"]


def test_the_servers_page_says_what_it_is(installed: ArgoCDs, example: dict[str, Any], tmp_path: Path) -> None:
    """Over TLS with the certificate of the Secret, and over plain HTTP at the other port."""
    authority = tmp_path / "ca.crt"
    authority.write_bytes(installed.secret("example-argocd-ca")["tls.crt"])
    trusted = ssl.create_default_context(cafile=str(authority))
    with forwarded(installed, "service/example-argocd-server", 443) as port:
        with urllib.request.urlopen(f"https://localhost:{port}/", context=trusted, timeout=20) as answer:
            text = answer.read().decode()
        assert "This is the server of example-argocd" in text and "<strong>simulated</strong>" in text
        assert "Anonymous users are allowed" in text
        # A change of the ArgoCD reaches the page without a restart.
        installed.change("example-argocd", banner={"content": "Closed on Sunday <b>"})
        until = time.monotonic() + 90
        while "Closed on Sunday &lt;b&gt;" not in text:
            assert time.monotonic() < until, text
            time.sleep(0.1)
            with urllib.request.urlopen(f"https://localhost:{port}/", context=trusted, timeout=20) as answer:
                text = answer.read().decode()
    with (
        forwarded(installed, "service/example-argocd-server", 80) as port,
        urllib.request.urlopen(f"http://localhost:{port}/api/version", timeout=20) as answer,
    ):
        assert json.load(answer) == {"Version": "simulated"}


def metrics(argocds: ArgoCDs, target: str, port: int) -> dict[str, float]:
    """What Prometheus would read there: the value of each series."""
    with (
        forwarded(argocds, target, port) as local,
        urllib.request.urlopen(f"http://localhost:{local}/metrics", timeout=20) as answer,
    ):
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        lines = [line for line in answer.read().decode().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def test_the_metrics_services_answer(installed: ArgoCDs, example: dict[str, Any]) -> None:
    """Each counts what it was asked: how much, what failed, how long it took."""
    for service, port, part in (
        ("metrics", 8082, "application-controller"),
        ("server-metrics", 8083, "server"),
        ("repo-server", 8084, "repo-server"),
        ("dex-server", 5558, "dex-server"),
    ):
        labels = f'{{component="{part}",instance="example-argocd",namespace="{installed.namespace}"}}'
        first, second = (metrics(installed, f"service/example-argocd-{service}", port) for _ in range(2))
        assert first[f"argocd_simulated{labels}"] == 1
        assert second[f"argocd_requests_total{labels}"] > first[f"argocd_requests_total{labels}"]
        assert second[f"argocd_request_seconds_total{labels}"] > first[f"argocd_request_seconds_total{labels}"]
        assert second[f"argocd_request_failures_total{labels}"] == 0


def test_the_operator_tells_how_it_and_its_argocds_are(installed: ArgoCDs, example: dict[str, Any]) -> None:
    """Under the names of the real one's metrics."""
    here = f'{{namespace="{installed.namespace}"}}'
    found = metrics(installed, "deployment/argocd-tutorial-operator", 8081)
    assert found["active_argocd_instances_total"] == found['active_argocd_instances_by_phase{phase="Available"}'] == 1
    assert found['active_argocd_instances_by_phase{phase="Pending"}'] == 0
    assert found[f"argocd_tutorial_reconciliation_failures_total{here}"] >= 0
    before = found[f"active_argocd_instance_reconciliation_count{here}"]
    installed.change("example-argocd", statusBadgeEnabled=True)
    until(
        lambda: (
            metrics(installed, "deployment/argocd-tutorial-operator", 8081)[
                f"active_argocd_instance_reconciliation_count{here}"
            ]
            > before
        ),
        seconds=90,
    )


def test_redis_answers_in_its_own_protocol(installed: ArgoCDs, example: dict[str, Any]) -> None:
    """It answers PING and reports that it is a stand-in, for commands of a client and of a terminal."""
    with (
        forwarded(installed, "service/example-argocd-redis", 6379) as port,
        socket.create_connection(("127.0.0.1", port), timeout=20) as connection,
        connection.makefile("rb") as answers,
    ):
        for command in (b"*1\r\n$4\r\nPING\r\n", b"ping\r\n"):
            connection.sendall(command)
            assert answers.readline() == b"+PONG\r\n"
        connection.sendall(b"*2\r\n$3\r\nGET\r\n$1\r\na\r\n")
        assert b"simulated" in answers.readline()


def test_what_happened_is_recorded(installed: ArgoCDs, example: dict[str, Any]) -> None:
    uid = example["metadata"]["uid"]
    (made,) = installed.messages(uid, "Created")
    assert made.startswith("Made ") and made.endswith("application-controller, redis, repo-server, server, dex-server")
    assert "5 of 5 components run" in installed.messages(uid, "ComponentsRunning")


def test_the_table_of_a_list(installed: ArgoCDs, example: dict[str, Any]) -> None:
    columns, rows = installed.table()
    assert [column["name"] for column in columns if not column["priority"]] == ["Name", "Phase", "Server", "Age"]
    assert rows["example-argocd"][1:3] == ["Available", "Running"]


def test_it_grows_and_loses_a_component(installed: ArgoCDs, example: dict[str, Any]) -> None:
    """More servers; no dex any more: its objects go, and the status says Unknown of it."""
    installed.change("example-argocd", server={"replicas": 2}, sso=None)
    found = installed.available("example-argocd")
    assert condition(found, "Available")["message"] == "4 of 4 components run"
    assert (found["status"]["sso"], found["status"]["phase"]) == ("Unknown", "Available")
    installed.api.until_gone(installed.path("deployments", "example-argocd-dex-server"))
    left = installed.objects("example-argocd")
    assert not [item for item in left if "dex-server" in item and not item.startswith("pods/")]
    assert len([item for item in left if item.startswith("pods/example-argocd-server-")]) == 2
    config = installed.there("configmaps", "argocd-cm")["data"]
    assert "dex.config" not in config
