"""The status in every state that a component can be in. Pure."""

from typing import Any

import pytest

from examples.operators.argocd.argocd import Object
from examples.operators.argocd.parts import PARTS
from examples.operators.argocd.status import status
from examples.operators.tests.argocd.argocds import DEX, argocd, observed, running

SERVER = next(part for part in PARTS if part.suffix == "server")
LATE = {"type": "Progressing", "status": "False", "message": "it has timed out progressing"}
REFUSED = {"type": "ReplicaFailure", "status": "True", "message": "exceeded quota"}


def pod(reason: str, message: str) -> Object:
    waiting = {"state": {"waiting": {"reason": reason, "message": message}}}
    labels = {"app.kubernetes.io/name": "example-argocd-server"}
    return {"metadata": {"name": "a", "labels": labels}, "status": {"containerStatuses": [waiting]}}


def available(found: Object) -> tuple[str, str, str]:
    item = next(condition for condition in found["conditions"] if condition["type"] == "Available")
    return item["status"], item["reason"], item["message"]


def test_all_of_it_runs() -> None:
    found = status(argocd(sso=DEX), running(argocd(sso=DEX)), [])
    assert (found["phase"], found["sso"]) == ("Available", "Running")
    assert available(found) == ("True", "ComponentsRunning", "5 of 5 components run")


def test_what_is_switched_off_is_unknown_and_keeps_nothing_from_being_available() -> None:
    item = argocd(controller={"enabled": False})
    found = status(item, running(item), [])
    assert (found["applicationController"], found["sso"], found["phase"]) == ("Unknown", "Unknown", "Available")


@pytest.mark.parametrize(
    ("conditions", "pods", "state", "reason", "words"),
    [
        ([], [], "Pending", "ComponentsPending", "server: 0 of 1 Pods ready"),
        ([], [pod("ContainerCreating", "")], "Pending", "ComponentsPending", "server: 0 of 1 Pods ready"),
        ([], [pod("CrashLoopBackOff", "back-off 10s")], "Failed", "ComponentFailed", "CrashLoopBackOff: back-off 10s"),
        ([], [pod("ImagePullBackOff", "not found")], "Failed", "ComponentFailed", "ImagePullBackOff: not found"),
        ([LATE], [], "Failed", "ComponentFailed", "it has timed out progressing"),
        ([REFUSED], [], "Failed", "ComponentFailed", "exceeded quota"),
    ],
)
def test_a_component_that_does_not_run_says_why(
    conditions: list[Any], pods: list[Any], state: str, reason: str, words: str
) -> None:
    item = argocd()
    found = status(item, {**running(item), SERVER.workload(item): observed(item, SERVER, 0, *conditions)}, pods)
    assert (found["server"], found["repo"], found["phase"]) == (state, "Running", "Pending")
    is_so, why, message = available(found)
    assert (is_so, why) == ("False", reason)
    assert message.startswith("3 of 4 components run; ") and words in message


def test_pods_of_an_older_form_are_not_what_was_asked_for() -> None:
    item = argocd()
    old = observed(item, SERVER, 1)
    old["status"]["updatedReplicas"] = 0
    assert status(item, {**running(item), SERVER.workload(item): old}, [])["server"] == "Pending"
    late = observed(item, SERVER, 1)
    late["metadata"]["generation"] = 2
    assert status(item, {**running(item), SERVER.workload(item): late}, [])["server"] == "Pending"


def test_what_is_not_made_yet_is_said() -> None:
    found = status(argocd(), {}, [])
    assert found["phase"] == found["redis"] == "Pending"
    assert "redis: not made yet" in available(found)[2]


def test_a_mistake_is_told_beside_what_runs() -> None:
    item = argocd(sso={"provider": "dex", "dex": {}})
    found = status(item, running(item), [], item.mistake())
    assert (found["sso"], found["server"], found["phase"]) == ("Failed", "Running", "Pending")
    (reconciled,) = [condition for condition in found["conditions"] if condition["type"] == "Reconciled"]
    assert (reconciled["status"], reconciled["reason"]) == ("False", "ErrorOccurred")


def test_a_condition_keeps_its_time_until_it_turns() -> None:
    old = status(argocd(), running(argocd()), [])
    for condition in old["conditions"]:
        condition["lastTransitionTime"] = "2026-01-01T00:00:00Z"
    again = status(argocd(old), running(argocd()), [])
    assert again == old
    turned = status(argocd(old), {}, [])
    assert [item["lastTransitionTime"] == "2026-01-01T00:00:00Z" for item in turned["conditions"]] == [True, False]
