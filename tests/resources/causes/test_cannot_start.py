"""Containers and Pods that a node can't start, in the words of containerd 1.6 and kubelet 1.36."""

import pytest

from resources.causes.cause import Severity
from tests.resources.causes.objects import LONG_AGO, event, none, only, pod, waiting

RUNC = (
    "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: "
    "unable to start container process: "
)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (
            ('container has runAsNonRoot and image will run as root (pod: "web_shop(1)", container: web)'),
            "web:1 runs as root",
        ),
        (
            ("container has runAsNonRoot and image has non-numeric user (app), cannot verify user is non-root"),
            "web:1 names its user instead of a number",
        ),
        ('container\'s runAsUser breaks non-root policy (pod: "web_shop(1)", container: web)', "runAsUser is 0"),
    ],
)
def test_it_would_run_as_root(message: str, why: str) -> None:
    cause = only("cannot_start", pod(waiting("CreateContainerConfigError", message)))
    assert cause.sentence == f"web can't start: runAsNonRoot is set, and {why}"


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (f'{RUNC}exec: "serve": executable file not found in $PATH: unknown', "the image has no program serve"),
        (
            f'{RUNC}exec: "/app/serve": stat /app/serve: no such file or directory: unknown',
            "the image has no program /app/serve",
        ),
        (f'{RUNC}exec: "/etc/motd": permission denied: unknown', "/etc/motd isn't an executable file"),
        (f'{RUNC}error during container init: exec: "/bin": is a directory: unknown', "/bin isn't an executable file"),
        (
            "container create failed: executable file `serve` not found in $PATH: No such file or directory",
            "the image has no program serve",
        ),
        (
            f"{RUNC}unable to setup user: unable to find user 0: read /etc/passwd: is a directory: unknown",
            "unable to setup user: unable to find user 0: read /etc/passwd: is a directory",
        ),
        (
            'failed to create containerd container: cannot load seccomp profile "/s/none.json": open /s/none.json: no '
            "such file or directory",
            'cannot load seccomp profile "/s/none.json": open /s/none.json: no such file or directory',
        ),
        ("", "RunContainerError"),
    ],
)
def test_what_the_runtime_says(message: str, why: str) -> None:
    """Its reason stands behind 160 characters of layers."""
    cause = only("cannot_start", pod(waiting("RunContainerError", message)))
    assert cause.sentence == f"web can't start: {why}"


def test_between_two_attempts() -> None:
    last = {"terminated": {"exitCode": 128, "reason": "StartError", "message": f'{RUNC}exec: "x": not found: unknown'}}
    crashing = pod(waiting("CrashLoopBackOff", "back-off", lastState=last, restartCount=7), phase="Running")
    cause = only("cannot_start", crashing)
    assert cause.sentence == "web can't start: the image has no program x"
    assert cause.note == "It was restarted 7 times."


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (
            "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime "
            'for "kata" is configured',
            "its node has no runtime kata",
        ),
        (
            "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "
            '"2c9": plugin type="bridge" failed (add): failed to allocate for range 0: no IP addresses available in '
            "range set: 10.244.0.1-10.244.0.254",
            "its node has no free address for it",
        ),
        (
            "Failed to create pod sandbox: rpc error: code = Unknown desc = failed to reserve sandbox name",
            "failed to reserve sandbox name",
        ),
    ],
)
def test_a_sandbox(message: str, why: str) -> None:
    refused = event("FailedCreatePodSandBox", message, 9)
    assert only("cannot_start", pod(waiting("ContainerCreating")), refused).sentence == f"web can't start: {why}"
    none(pod({"state": {"running": {"startedAt": LONG_AGO}}, "ready": True}, phase="Running"), refused)


def test_a_hook_that_fails() -> None:
    """The container was killed for it: its exit code would mislead."""
    last = {"terminated": {"exitCode": 137, "reason": "Error"}}
    killed = pod(waiting("CrashLoopBackOff", "back-off", lastState=last, restartCount=6), phase="Running")
    cause = only("cannot_start", killed, event("FailedPostStartHook", "PostStartHook failed", 6))
    assert cause.sentence == "web can't start: its postStart hook fails"


def test_an_init_container_that_does_not_end() -> None:
    status = {
        "name": "wait",
        "ready": False,
        "restartCount": 0,
        "state": {"running": {"startedAt": "2026-11-25T09:58:00Z"}},
    }
    waits = pod(waiting("PodInitializing"), spec={"initContainers": [{"name": "wait"}]}, initContainerStatuses=[status])
    cause = only("cannot_start", waits)
    assert cause.sentence == "web can't start yet: its init container wait is still running"
    assert cause.severity == Severity.WARNING
    waits["spec"]["initContainers"][0]["restartPolicy"] = "Always"
    none(waits)
    del waits["spec"]["initContainers"][0]["restartPolicy"]
    status["state"] = {"running": {"startedAt": "2026-11-25T09:59:30Z"}}
    none(waits)
