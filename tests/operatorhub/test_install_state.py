"""H27: what OLM writes on the way of an install that goes well is never called failed; what lasts is, with its
cause.
"""

from datetime import UTC, datetime, timedelta, tzinfo
from types import SimpleNamespace
from typing import Any, Self

import pytest

from kube.errors import NotFound
from operatorhub import install_state, olm
from operatorhub.progress import pods, stages, trouble
from operatorhub.running import installed_operators, updates
from tests.operatorhub.test_progress import Object, conditions, csv, facts, needs, pod

CRD = needs("CustomResourceDefinition", "things.a.example", "NotPresent")
#: For the cases and for what judges them: hours may pass between the collection of the tests and their run.
NOW = datetime.now(UTC)
#: Seconds ago.
JUST_NOW = 1.0
ACCOUNT = needs("ServiceAccount", "db", "PresentNotSatisfied", "rule x")


def ago(seconds: float) -> str:
    moment = NOW - timedelta(seconds=seconds)
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")


class Stopped(datetime):
    """A clock that stands still."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        return cls.fromtimestamp(NOW.timestamp(), tz)


@pytest.fixture(autouse=True)
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install_state, "datetime", Stopped)
    monkeypatch.setattr(pods, "timezone", SimpleNamespace(now=lambda: NOW))


def pending(*missing: Object, since: float = 300) -> Object:
    return csv("Pending", "RequirementsNotMet", requirementStatus=list(missing), lastTransitionTime=ago(since))


def plan(phase: str, since: float = 300, message: str = "") -> Object:
    installed_ = {"type": "Installed", "status": "True", "lastTransitionTime": ago(since)}
    return {"status": {"phase": phase, "message": message, "conditions": [installed_] if phase == "Complete" else []}}


@pytest.mark.parametrize(
    ("found", "key"),
    [
        # Its InstallPlan still creates what is missing, however long it takes.
        (facts(csv=pending(CRD), plan=plan("Installing")), ""),
        (facts(csv=pending(ACCOUNT), plan=plan("Installing")), ""),
        # It has just done so.
        (facts(csv=pending(CRD), plan=plan("Complete", since=JUST_NOW)), ""),
        (facts(csv=pending(ACCOUNT), plan=plan("Complete", since=JUST_NOW)), ""),
        # The API server now serves the kind, but OLM hasn't rechecked.
        (facts(csv=pending(CRD), plan=plan("Complete"), served=frozenset({"things.a.example"})), ""),
        # It lasts.
        (facts(csv=pending(CRD), plan=plan("Complete")), "missing-crd"),
        (facts(csv=pending(ACCOUNT), plan=plan("Complete")), "rights"),
        (facts(csv=pending(CRD), plan=plan("Failed")), "missing-crd"),
        # OLM tries a plan again until it gives up.
        (facts(plan=plan("Installing", message="Kind=X not found on the cluster")), ""),
        (facts(plan=plan("Failed", message="Kind=X not found on the cluster")), "plan-api"),
        # Failed is a phase between two attempts, too.
        (facts(csv=csv("Failed", "ComponentUnhealthy", lastTransitionTime=ago(JUST_NOW))), ""),
        (facts(csv=csv("Failed", "ComponentUnhealthy", lastTransitionTime=ago(60))), "csv-failed"),
        # Another catalog restarts.
        (
            facts(
                {"conditions": [{"type": "ResolutionFailed", "status": "True", "lastTransitionTime": ago(JUST_NOW)}]}
            ),
            "",
        ),
        (
            facts({"conditions": [{"type": "ResolutionFailed", "status": "True", "lastTransitionTime": ago(60)}]}),
            "resolution",
        ),
    ],
)
def test_an_install_has_failed_only_by_what_lasts(found: Any, key: str) -> None:
    """H27."""
    broken = trouble.find(found)
    assert (broken.key if broken and broken.settled else "") == key


def test_no_line_has_failed_before_the_install_has() -> None:
    """H27: nor is any line red while the whole is under way."""
    lines = (
        stages.Stage(key="csv", title="", state="failed"),
        stages.Stage(key="pods", title="", state="failed"),
        stages.Stage(key="plan", title="", state="done"),
    )
    assert [line.state for line in stages.judged(lines, None)] == ["running", "running", "done"]
    hint = trouble.Trouble(key="crash", stage="pods", words="…", settled=False)
    assert [line.state for line in stages.judged(lines, hint)] == ["running", "running", "done"]
    failure = trouble.Trouble(key="crash", stage="pods", words="…")
    assert stages.judged((stages.Stage(key="pods", title="", state="running"),), failure)[0].state == "failed"


@pytest.mark.parametrize(("age", "restarts", "settled"), [(JUST_NOW, 1, False), (300, 1, False), (300, 5, True)])
def test_an_operator_may_end_once_or_twice(age: float, restarts: int, *, settled: bool) -> None:
    """H27: the hint is shown at once; the install counts as failed only if the problem lasts."""
    crashed = pod(waiting={"reason": "CrashLoopBackOff"})
    crashed["metadata"]["creationTimestamp"] = ago(age)
    crashed["status"]["containerStatuses"][0]["restartCount"] = restarts
    broken = trouble.find(facts(csv=csv("Installing"), pods=(crashed,)))
    assert broken is not None
    assert (broken.key, broken.settled) == ("crash_loop", settled)


def test_a_version_that_olm_installs_again_and_again_has_failed() -> None:
    """H27: OLM goes from Failed to Pending at once, so the phase alone never says it."""
    again = [{"phase": "Failed", "reason": "InstallComponentFailed", "message": "forbidden"}, {"phase": "Pending"}]
    assert install_state.version_failure(csv("Pending", conditions=again)) is None
    failure = install_state.version_failure(csv("Pending", conditions=again * 3))
    assert failure == install_state.Failure("InstallComponentFailed", "forbidden")
    worked = [*again * 3, {"phase": "Succeeded"}, {"phase": "Pending"}]
    assert install_state.version_failure(csv("Pending", conditions=worked)) is None
    timeout = [{"phase": "Failed", "reason": "InstallCheckFailed", "message": "install timeout"}, {"phase": "Pending"}]
    assert install_state.version_failure(csv("Pending", conditions=timeout)) is not None


class Client:
    """A cluster that serves no types, and has one plan."""

    def __init__(self, plan: Object | None) -> None:
        self.plan = plan

    def types(self) -> tuple[Any, ...]:
        return ()

    def forget_types(self) -> None:
        pass

    def find(self, *_names: str) -> None:
        pass

    def get(self, *_place: Any) -> Object:
        if self.plan is None:
            raise NotFound("gone")
        return self.plan


@pytest.mark.parametrize(
    ("found", "made", "state"),
    [
        (pending(CRD), plan("Installing"), "running"),
        (pending(CRD), plan("Complete"), "failed"),
        (pending(CRD), None, "failed"),
        (csv("Failed", lastTransitionTime=ago(JUST_NOW)), None, "running"),
        (csv("Failed", lastTransitionTime=ago(100)), None, "failed"),
        (csv("Succeeded"), None, "done"),
    ],
)
def test_lists_judge_as_the_page_does(found: Object, made: Object | None, state: str) -> None:
    """H27."""
    assert updates.version_state(Client(made), found, "install-1") == state  # type: ignore[arg-type]
    broken = trouble.find(facts(csv=found, plan=made))
    assert ("failed" if broken and broken.settled else "other") == (state if state == "failed" else "other")


def test_a_list_says_failed_when_the_problem_lasts() -> None:
    """H27: a Subscription whose catalog restarts is being installed."""
    for since, state in ((JUST_NOW, "running"), (60, "failed")):
        problem = {"type": "ResolutionFailed", "status": "True", "message": "no", "lastTransitionTime": ago(since)}
        sub = olm.subscription({"metadata": {"name": "db"}, "status": {"conditions": [problem]}})
        row = installed_operators._coming(sub, {}, updates.CatalogHealth(None))
        assert row.state == state
    old = conditions(("ResolutionFailed", "True", "no"))
    under_way = olm.subscription({"status": {**old, "installPlanRef": {"name": "install-1"}}})
    assert install_state.subscription_problem(under_way) == ""
