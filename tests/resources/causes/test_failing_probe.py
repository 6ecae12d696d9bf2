"""Probes that fail, as the kubelet's Events tell."""

from typing import Any

import pytest

from tests.resources.causes.objects import LONG_AGO, event, none, only, pod


def _probed(kind: str = "readiness", started: str = LONG_AGO) -> dict[str, Any]:
    found = pod({"state": {"running": {"startedAt": started}}, "started": True}, phase="Running")
    found["spec"]["containers"][0][f"{kind}Probe"] = {"httpGet": {"path": "/ready", "port": 8080}}
    return found


STATUS = event("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503", 9)


def test_it_works() -> None:
    cause = only("failing_probe", _probed(), STATUS)
    assert cause.sentence == "web isn't ready: its readiness probe fails: it responds with HTTP 503"
    assert cause.note == "It gets no traffic until the probe succeeds."


def test_nothing_listens() -> None:
    message = (
        'Readiness probe failed: Get "http://10.244.0.7:8080/ready": dial tcp 10.244.0.7:8080: '
        "connect: connection refused"
    )
    assert "nothing listens on its port" in only("failing_probe", _probed(), event("Unhealthy", message, 5)).sentence


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("Readiness probe failed: ", "its command fails without output"),
        (
            'Readiness probe errored and resulted in unknown state: strconv.Atoi: parsing "http": invalid syntax',
            "no port of the container is named http",
        ),
        (
            "Readiness probe errored and resulted in unknown state: rpc error: code = Unknown desc = failed to exec in "
            'container: failed to start exec "667317": OCI runtime exec failed: exec failed: unable to start container '
            'process: exec: "pg_isready": executable file not found in $PATH: unknown',
            "the image has no program pg_isready",
        ),
        ('Readiness probe failed: command timed out: "sleep 30" timed out after 1s', "it doesn't respond in time"),
        (
            'Readiness probe failed: timeout: failed to connect service "10.244.0.59:8080" within 1s: context deadline '
            "exceeded",
            "it doesn't respond in time",
        ),
    ],
)
def test_what_a_kubelet_says(message: str, why: str) -> None:
    cause = only("failing_probe", _probed(), event("Unhealthy", message, 9))
    assert cause.sentence == f"web isn't ready: its readiness probe fails: {why}"


def test_a_liveness_probe_explains_the_restarts() -> None:
    unhealthy = event(
        "Unhealthy",
        (
            'Liveness probe failed: Get "http://10.244.0.7:8080/": context deadline exceeded '
            "(Client.Timeout exceeded while awaiting headers)"
        ),
        6,
    )
    killing = event("Killing", "Container web failed liveness probe, will be restarted", warning=False)
    found = _probed("liveness")
    status = found["status"]["containerStatuses"][0]
    status["state"] = {"waiting": {"reason": "CrashLoopBackOff"}}
    status["lastState"] = {"terminated": {"exitCode": 137, "reason": "Error"}}
    cause = only("failing_probe", found, killing, unhealthy)
    assert cause.sentence == "web can't keep running: its liveness probe fails: it doesn't respond in time"


def test_a_program_may_take_some_time_to_start() -> None:
    none(_probed(), event("Unhealthy", STATUS.message, 2))
    none(_probed(started="2026-11-25T09:59:50Z"), STATUS)
