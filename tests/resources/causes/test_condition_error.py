"""Conditions that say that something failed, and the object's state, which agrees."""

import pytest

from resources.state.health import DEGRADED
from resources.state.kind_health import health
from tests.resources.causes.objects import Object, causes, instance, none, only

ERROR = {"type": "Reconciled", "status": "False", "reason": "ErrorOccurred", "message": "spec.server.host: is invalid"}


def test_it_works() -> None:
    cause = only("condition_error", instance(ERROR, phase="Pending"))
    assert cause.sentence == "argocd-sample isn't Reconciled: spec.server.host: is invalid"
    assert cause.raw == "spec.server.host: is invalid"


def test_a_long_message_is_cut_and_stands_whole_in_the_raw_text() -> None:
    long = {**ERROR, "message": "x" * 500}
    cause = only("condition_error", instance(long))
    assert cause.sentence.endswith("x…")
    assert cause.raw == "x" * 500


def test_a_bad_condition() -> None:
    bad = {"type": "Degraded", "status": "True", "reason": "NoQuorum", "message": "1 of 3 members answer"}
    assert only("condition_error", instance(bad)).sentence == "argocd-sample reports Degraded: 1 of 3 members answer"


@pytest.mark.parametrize("phase", ["Pending", "Running", "Available", "Installing", ""])
def test_o1_a_failed_condition_counts_whatever_the_phase_says(phase: str) -> None:
    obj = instance(ERROR, phase=phase)
    assert health(obj).state == DEGRADED
    assert [cause.rule for cause in causes(obj)] == ["condition_error"]


@pytest.mark.parametrize(
    "condition",
    [
        {**ERROR, "reason": "Reconciling"},
        {**ERROR, "status": "True", "reason": "Success"},
        {**ERROR, "type": "Upgradeable"},
        {**ERROR, "status": "Unknown"},
    ],
)
def test_what_the_state_does_not_call_degraded_has_no_cause(condition: Object) -> None:
    obj = instance(condition, phase="Pending")
    assert health(obj).state != DEGRADED
    none(obj)
