"""Order, bounds, ages; and rules that meet statuses of any shape."""

from typing import Any

import pytest

from kube import limits
from resources.causes.cause import Severity
from resources.causes.engine import explained_health, find_causes
from resources.causes.evidence import evidence
from resources.causes.rules import rules
from resources.state.kind_health import health
from tests.resources.causes.objects import (
    NOW,
    causes,
    claim,
    deployment,
    event,
    pod,
    replica_set,
    unschedulable,
    waiting,
)

PULL = "manifest unknown"


def _pods(count: int) -> list[tuple[int, dict[str, Any]]]:
    found = []
    for number in range(count):
        item = pod(waiting("ErrImagePull", PULL))
        item["metadata"] |= {"name": f"p{number}", "uid": f"p{number}", "ownerReferences": []}
        found.append((0, item))
    return found


def test_every_rule_has_a_test_and_a_docstring() -> None:
    from importlib import import_module
    from pathlib import Path

    here = Path(__file__).parent
    for rule in rules():
        assert (here / f"test_{rule.name}.py").exists(), f"{rule.name} has no test"
        assert import_module(f"resources.causes.rules.{rule.name}").__doc__


def test_the_worst_comes_first_then_what_is_nearer_to_the_root() -> None:
    config = waiting("CreateContainerConfigError", 'secret "db" not found')
    both = pod(config)
    both["metadata"] |= {"uid": "other", "name": "other", "ownerReferences": []}
    found = causes(deployment(), (0, replica_set()), (1, pod(waiting("ErrImagePull", PULL))), (0, both))
    assert [cause.rule for cause in found] == ["missing_config", "image_pull"]


def test_objects_are_bounded() -> None:
    found = evidence(deployment(), _pods(limits.CAUSE_OBJECTS.value + 50), now=NOW)
    assert len(found.items) == limits.CAUSE_OBJECTS.value


def test_events_are_bounded() -> None:
    many = tuple(event("ProvisioningFailed", f"{number}") for number in range(100))
    root = claim(class_="fast")
    found = evidence(root, events={root["metadata"]["uid"]: many})
    assert len(found.root.events) == limits.CAUSE_EVENTS.value


def test_causes_are_bounded() -> None:
    assert len(causes(deployment(), *_pods(40))) == limits.CAUSES.value


def test_what_has_only_begun_is_left_out_then_a_warning() -> None:
    ages = {
        "2026-11-25T09:59:58Z": [],
        "2026-11-25T09:59:45Z": [Severity.WARNING],
        "2026-11-25T09:59:00Z": [Severity.ERROR],
    }
    for since, severities in ages.items():
        failing = pod(waiting("ErrImagePull", PULL))
        failing["status"]["conditions"][0]["lastTransitionTime"] = since
        assert [cause.severity for cause in causes(deployment(), (0, replica_set()), (1, failing))] == severities


def test_a_row_of_a_list_names_its_cause() -> None:
    failing = pod(waiting("ImagePullBackOff", f'Back-off pulling image "web:1": ErrImagePull: {PULL}'))
    state = explained_health(failing)
    assert (state.state, state.reason, state.named) == (
        "Degraded",
        "web can't pull web:1: the registry has no such image",
        True,
    )
    unknown = unschedulable("0/1 nodes are available: 1 something new.")
    assert explained_health(unknown) == health(unknown)


ODD: list[Any] = [None, [], {}, "x", 3, True, [None], ["x"], [{}], {"x": []}, [[]]]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize(
    "path",
    [
        ("metadata", "labels"),
        ("metadata", "ownerReferences"),
        ("metadata", "finalizers"),
        ("spec",),
        ("spec", "volumes"),
        ("spec", "containers"),
        ("status",),
        ("status", "conditions"),
        ("status", "containerStatuses"),
    ],
)
def test_nothing_that_an_operator_writes_is_an_error(path: tuple[str, ...], odd: Any) -> None:
    failed_mount = event(
        "FailedMount", 'MountVolume.SetUp failed for volume "conf" : references non-existent secret key: k'
    )
    for obj in (
        pod(waiting("CrashLoopBackOff", "x", lastState={"terminated": {}})),
        pod(waiting("CreateContainerConfigError", 'secret "db" not found')),
        claim(),
        deployment(),
        replica_set(0),
    ):
        whole: Any = obj
        for key in path[:-1]:
            whole = whole[key]
        whole[path[-1]] = odd
        find_causes(evidence(obj, events={obj["metadata"]["uid"]: (failed_mount,)}, now=NOW))


@pytest.mark.parametrize("text", ["(" * 5000, '"' * 5000, "a, " * 5000, "taint {" * 2000, "1 " * 5000])
def test_texts_of_strangers_are_read_in_linear_time(text: str) -> None:
    for message in (
        f"0/3 nodes are available: {text}",
        f'violates PodSecurity "restricted:latest": {text}',
        f"exceeded quota: a, requested: {text}",
        f'failed calling webhook "{text}',
        f"maximum {text} usage per Container is {text}, but limit is {text}",
    ):
        failing = unschedulable(message)
        root = replica_set(0)
        root["status"]["conditions"] = [{"type": "ReplicaFailure", "status": "True", "message": message}]
        find_causes(evidence(failing, [(0, root)], now=NOW))
