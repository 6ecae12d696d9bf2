"""What a Pod's page says of its containers: real shapes of the kubelet, and of metrics-server."""

from typing import Any

import pytest

from kube.reader import read
from kube.types.core import Pod, PodSpec, Probe
from resources.kinds.pods import containers, probe, tolerations, uses

# From a kubelet 1.36: a Pod whose container was killed for its memory and waits.
CRASHED = {
    "spec": {
        "initContainers": [
            {"name": "first", "image": "a"},
            {"name": "proxy", "image": "b", "restartPolicy": "Always"},
        ],
        "containers": [{"name": "web", "image": "c"}],
        "ephemeralContainers": [{"name": "debugger-x", "image": "busybox"}],
    },
    "status": {
        "initContainerStatuses": [
            {
                "name": "first",
                "ready": True,
                "restartCount": 0,
                "state": {"terminated": {"exitCode": 0, "reason": "Completed"}},
            },
            {
                "name": "proxy",
                "ready": True,
                "restartCount": 1,
                "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}},
            },
        ],
        "containerStatuses": [
            {
                "name": "web",
                "ready": False,
                "restartCount": 7,
                "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}},
                "lastState": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}},
            }
        ],
    },
}


def test_containers_with_their_roles_and_what_happened_before() -> None:
    found = {container.name: container for container in containers(read(CRASHED, Pod))}
    assert [(item.name, item.role) for item in found.values()] == [
        ("first", "init"),
        ("proxy", "sidecar"),
        ("web", ""),
        ("debugger-x", "ephemeral"),
    ]
    assert (found["first"].state, found["first"].colour) == ("terminated: Completed", "")
    assert (found["web"].state, found["web"].colour) == ("waiting: CrashLoopBackOff", "red")
    assert (found["web"].restarts, found["web"].last) == (7, "terminated: OOMKilled, exit code 137")
    assert found["debugger-x"].state == "waiting"


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ({}, ""),
        (
            {"httpGet": {"path": "/h", "port": "http", "scheme": "HTTPS"}, "periodSeconds": 5},
            "GET https :http/h, every 5 s, failure threshold 3",
        ),
        (
            {"tcpSocket": {"port": 80}, "initialDelaySeconds": 9},
            "connects to port 80, initial delay 9 s, every 10 s, failure threshold 3",
        ),
        (
            {"exec": {"command": ["pg_isready", "-q"]}, "failureThreshold": 1},
            "pg_isready -q, every 10 s, failure threshold 1",
        ),
    ],
)
def test_probes(spec: dict[str, Any], words: str) -> None:
    assert probe(read(spec, Probe)) == words


def test_tolerations() -> None:
    entries = [
        {"operator": "Exists"},
        {"key": "a", "value": "b", "effect": "NoSchedule"},
        {"key": "n", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300},
    ]
    spec = read({"tolerations": entries}, PodSpec)
    rows = [tuple(cell[0].text for cell in row) for row in tolerations(spec)]
    assert rows == [("any taint", "any effect", "always"), ("a=b", "NoSchedule", "always"), ("n", "NoExecute", "300 s")]


def test_every_way_to_use_a_secret() -> None:
    pod_spec = {
        "imagePullSecrets": [{"name": "s"}],
        "volumes": [
            {"name": "v", "secret": {"secretName": "s"}},
            {"name": "p", "projected": {"sources": [{"secret": {"name": "s"}}]}},
        ],
        "initContainers": [{"name": "i", "envFrom": [{"secretRef": {"name": "s"}}]}],
        "containers": [{"name": "c", "env": [{"name": "X", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}],
    }
    spec = read(pod_spec, PodSpec)
    assert list(uses(spec, "Secret", "s")) == [
        "volume v",
        "volume p",
        "environment of container i",
        "environment of container c",
        "image pull secret",
    ]
    assert list(uses(spec, "Secret", "other")) == []
    assert list(uses(spec, "ConfigMap", "s")) == []
