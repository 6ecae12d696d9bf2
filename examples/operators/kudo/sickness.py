"""Which of an Instance's nodes is sick, seen from its Pod and from whether it still reports. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from examples.operators.kubeapi import Object

#: A node that runs and is not ready may still be taking its data over: for so many times the patience.
JOINING = 4


@dataclass(slots=True)
class Seen:
    """What is remembered of one Pod: its last report and since when it is the same, and since when something is
    wrong.
    """

    uid: str
    report: Mapping[str, float] = field(default_factory=dict)
    reported: float = 0.0
    wrong: tuple[str, float] = ("", 0.0)

    def judge(self, pod: Object, report: Mapping[str, float] | None, now: float, patience: float) -> str:
        """What is wrong with it for long enough, in words for people; '' otherwise.

        `report`: None when it could not be asked for.
        """
        if report and report.get("beat") != self.report.get("beat"):
            self.report, self.reported = report, now
        kind, words, times = _symptom(pod, bool(self.report) and now - self.reported > patience / 2)
        if kind != self.wrong[0]:
            self.wrong = (kind, now)
        return words if kind and now - self.wrong[1] >= times * patience else ""


def well(pod: Object) -> bool:
    """Whether it is ready and not on its way out."""
    return not pod["metadata"].get("deletionTimestamp") and _condition(pod, "Ready")


def _symptom(pod: Object, silent: bool) -> tuple[str, str, float]:
    """A kind, words, and for how many times the patience it is borne."""
    status = pod.get("status") or {}
    if pod["metadata"].get("deletionTimestamp"):
        return "", "", 0
    if status.get("phase") == "Failed":
        return "failed", f"it has failed: {status.get('message') or status.get('reason') or 'without a word'}", 0
    for item in status.get("containerStatuses") or []:
        state = item.get("state") or {}
        if (state.get("waiting") or {}).get("reason") == "CrashLoopBackOff":
            return "crashing", f"it ended {item.get('restartCount', 0)} times", 1
        if "running" not in state:
            return "", "", 0
    if status.get("phase") != "Running":
        return "", "", 0
    if silent:
        return "silent", "it runs and has stopped reporting", 0.5
    return ("", "", 0) if _condition(pod, "Ready") else ("unready", "it runs and does not become ready", JOINING)


def _condition(pod: Object, type_: str) -> bool:
    found = (pod.get("status") or {}).get("conditions") or []
    return any(item.get("type") == type_ and item.get("status") == "True" for item in found)
