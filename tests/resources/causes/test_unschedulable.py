"""Pods that no node takes."""

import pytest

from tests.resources.causes.objects import RECENT, none, only, pod, unschedulable

AFTER = " preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (
            (
                "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: "
                "3 No preemption victims found for incoming pod."
            ),
            "no node has enough cpu free",
        ),
        (
            ("0/3 nodes are available: 1 Insufficient memory, 2 node(s) had untolerated taint {dedicated: db}.")
            + AFTER,
            "it doesn't tolerate the nodes' taint dedicated: db",
        ),
        (
            (
                "0/3 nodes are available: 1 node(s) had untolerated taint(s) {a: }, 2 node(s) didn't "
                "match Pod's node affinity/selector."
            )
            + AFTER,
            "no node has the labels disk=ssd",
        ),
        ("0/1 nodes are available: 1 node(s) were unschedulable." + AFTER, "the nodes are cordoned"),
        (
            "0/3 nodes are available: 3 node(s) didn't match pod anti-affinity rules." + AFTER,
            "no node satisfies its anti-affinity rules",
        ),
        (
            "0/3 nodes are available: 3 node(s) had volume node affinity conflict." + AFTER,
            "its volume is on another node or in another zone",
        ),
        ("0/3 nodes are available: 3 Too many pods." + AFTER, "no node has room for more Pods"),
        (
            (
                "0/1 nodes are available: 1 Insufficient nvidia.com/gpu. no new claims to deallocate, "
                "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
            ),
            "no node has enough nvidia.com/gpu free",
        ),
        ("no nodes available to schedule pods", "the cluster has no nodes"),
    ],
)
def test_it_works(message: str, why: str) -> None:
    cause = only("unschedulable", unschedulable(message, nodeSelector={"disk": "ssd"}))
    assert cause.sentence == f"web can't be scheduled: {why}"
    assert cause.raw == message


def test_nothing_is_said_of_a_reason_that_is_new() -> None:
    none(unschedulable("0/3 nodes are available: 3 node(s) had something new." + AFTER))


def test_scheduling_gates() -> None:
    message = "Scheduling is blocked due to non-empty scheduling gates"
    gated = unschedulable(message, schedulingGates=[{"name": "x.com/a"}])
    gated["status"]["conditions"][0]["reason"] = "SchedulingGated"
    cause = only("unschedulable", gated)
    assert cause.sentence == "web can't be scheduled: its scheduling gates are set: x.com/a"


def test_a_scheduler_that_does_not_exist() -> None:
    unseen = pod(spec={"schedulerName": "volcano"}, conditions=[])
    cause = only("unschedulable", unseen)
    assert cause.sentence == "web can't be scheduled: scheduler volcano doesn't act on it"
    unseen["metadata"]["creationTimestamp"] = RECENT
    none(unseen)


def test_a_scheduler_that_waits_for_a_volume() -> None:
    claims = [{"name": "data", "persistentVolumeClaim": {"claimName": "data-web-0"}}]
    none(pod(spec={"schedulerName": "default-scheduler", "volumes": claims}, conditions=[]))
