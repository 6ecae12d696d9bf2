"""Containers that end again and again."""

import pytest

from resources.causes.cause import Severity
from tests.resources.causes.objects import LONG_AGO, causes, deployment, none, only, pod, replica_set, waiting

BACK_OFF = "back-off 5m0s restarting failed container=web pod=web-7d4b9c6f5-x2x8p_shop(d5c3)"


def _ended(code: int = 1, reason: str = "Error", message: str = "") -> dict[str, object]:
    return {
        "terminated": {"exitCode": code, "reason": reason, "message": message, "finishedAt": "2026-11-25T09:59:00Z"}
    }


def _crashing(last: dict[str, object]) -> dict[str, object]:
    return pod(waiting("CrashLoopBackOff", BACK_OFF, lastState=last, restartCount=7), phase="Running")


def test_the_exit_code() -> None:
    cause = only("crash_loop", _crashing(_ended()))
    assert cause.sentence == "web can't keep running: its process exits with code 1"
    assert cause.note == "It was restarted 7 times."
    assert [link.view for link in cause.links] == ["detail", "logs"]


def test_the_last_line_of_its_log() -> None:
    crashing = _crashing(_ended())
    logs = {(crashing["metadata"]["uid"], "web"): "FATAL: database is locked"}
    cause = only("crash_loop", crashing, logs=logs)
    assert cause.sentence == "web can't keep running: exit code 1, last line “FATAL: database is locked”"


def test_the_end_of_the_log_in_the_status() -> None:
    cause = only("crash_loop", _crashing(_ended(message="starting\nKeyError: 'DB_URL'\n")))
    assert cause.sentence == "web can't keep running: exit code 1, last line “KeyError: 'DB_URL'”"
    assert cause.raw.startswith("starting")


def test_a_signal() -> None:
    cause = only("crash_loop", _crashing(_ended(139)))
    assert cause.sentence == "web can't keep running: its process is terminated by signal 11"


def test_out_of_memory() -> None:
    killed = _crashing(_ended(137, "OOMKilled"))
    killed["spec"]["containers"][0]["resources"] = {"limits": {"memory": "64Mi"}}
    cause = only("crash_loop", killed)
    assert cause.sentence == "web can't keep running: it needs more than its memory limit of 64Mi"


def test_one_that_ends_well_and_should_not_end() -> None:
    """The kubelet doesn't always say that it waits for the next start."""
    ended = pod({"state": _ended(0, "Completed"), "restartCount": 5}, phase="Running", spec={"restartPolicy": "Always"})
    assert only("crash_loop", ended).sentence == "web can't keep running: its process exits with code 0"
    ended["spec"]["restartPolicy"] = "OnFailure"
    none(ended)


def test_one_that_is_not_started_again_has_failed() -> None:
    failed = pod({"state": _ended(3)}, phase="Failed", spec={"restartPolicy": "Never"})
    assert only("crash_loop", failed).sentence == "web failed: its process exited with code 3"
    logs = {(failed["metadata"]["uid"], "web"): "no database"}
    assert only("crash_loop", failed, logs=logs).sentence == "web failed: exit code 3, last line “no database”"


@pytest.mark.parametrize(
    ("reason", "message", "sentence"),
    [
        (
            "Evicted",
            'Usage of EmptyDir volume "data" exceeds the limit "1Mi". ',
            'web can\'t keep running: its Pod was evicted: Usage of EmptyDir volume "data" exceeds the limit "1Mi"',
        ),
        (
            "OutOfcpu",
            "Pod was rejected: Node didn't have enough resource: cpu, requested: 9000, used: 950, capacity: 4000",
            "web can't start: its node refuses the Pod (OutOfcpu): Node didn't have enough resource: cpu, requested: "
            "9000, used: 950, capacity: 4000",
        ),
        (
            "SysctlForbidden",
            'Pod was rejected: forbidden sysctl: "kernel.msgmax" not allowlisted',
            'web can\'t start: its node refuses the Pod (SysctlForbidden): forbidden sysctl: "kernel.msgmax" not '
            "allowlisted",
        ),
    ],
)
def test_a_pod_that_the_kubelet_ends(reason: str, message: str, sentence: str) -> None:
    """Its owner has another one soon, which may be starting."""
    ended = pod({"state": _ended(137)}, phase="Failed", reason=reason, message=message)
    ended["metadata"]["creationTimestamp"] = "2026-11-25T09:55:00Z"
    starting = pod(waiting("ContainerCreating"))
    starting["metadata"] |= {"name": "web-next", "uid": "next"}
    [cause] = causes(deployment(), (0, replica_set()), (1, ended), (1, starting))
    assert (cause.rule, cause.sentence) == ("crash_loop", sentence)
    # Others of its owner run since.
    ended["metadata"]["creationTimestamp"] = LONG_AGO
    assert causes(deployment(), (0, replica_set()), (1, ended), (1, starting)) == []


def test_nothing_is_said_of_one_that_runs_again() -> None:
    running = {"state": {"running": {"startedAt": "2026-11-25T09:59:50Z"}}, "lastState": _ended(), "restartCount": 1}
    none(pod(running, phase="Running"))


def test_one_that_was_ready_a_moment_ago_has_not_only_just_begun_to_crash() -> None:
    crashing = _crashing(_ended())
    crashing["status"]["conditions"][0]["lastTransitionTime"] = "2026-11-25T09:59:59Z"
    assert only("crash_loop", crashing).severity == Severity.ERROR
