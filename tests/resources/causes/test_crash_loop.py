"""Containers that end again and again."""

from resources.causes.cause import Severity
from tests.resources.causes.objects import none, only, pod, waiting

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


def test_a_program_that_is_not_there() -> None:
    message = 'failed to create containerd task: exec: "serve": executable file not found in $PATH: unknown'
    last = _ended(128, "StartError", message)
    assert only("crash_loop", _crashing(last)).sentence == f"web can't start: {message}"


def test_nothing_is_said_of_one_that_runs_again() -> None:
    running = {"state": {"running": {"startedAt": "2026-11-25T09:59:50Z"}}, "lastState": _ended(), "restartCount": 1}
    none(pod(running, phase="Running"))


def test_one_that_was_ready_a_moment_ago_has_not_only_just_begun_to_crash() -> None:
    crashing = _crashing(_ended())
    crashing["status"]["conditions"][0]["lastTransitionTime"] = "2026-11-25T09:59:59Z"
    assert only("crash_loop", crashing).severity == Severity.ERROR
