"""What a Memcached says of itself, from what is observed."""

from typing import Any

import pytest

from examples.operators.memcached.status import BAD, refused, status, staying
from examples.operators.pod_problems import StatusProblem

from .caches import memcached, observed, pod


def before(reason: str, generation: int = 1, value: str = "True") -> dict[str, Any]:
    condition = {"type": "Available", "status": value, "reason": reason, "lastTransitionTime": "2020-01-01T00:00:00Z"}
    return {"observedGeneration": generation, "conditions": [condition]}


READY = before("NodesReady")
STUCK = {"state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such host"}}}
REFUSED = {"type": "ReplicaFailure", "status": "True", "message": "exceeded quota"}
LATE = {"type": "Progressing", "status": "False", "message": "too slow"}


@pytest.mark.parametrize(
    ("was", "generation", "deployment", "value", "reason"),
    [
        ({}, 1, {"ready": 0, "replicas": 0}, "False", "Creating"),
        (before("Creating", value="False"), 1, {"ready": 2}, "False", "Creating"),
        (before("ImagePullBackOff", value="False"), 1, {"ready": 2}, "False", "Creating"),
        (before("NameTaken", value="False"), 1, {"ready": 0, "replicas": 0}, "False", "Creating"),
        (before("Degraded", value="False"), 1, {"ready": 2}, "False", "Degraded"),
        ({}, 1, {"ready": 3}, "True", "NodesReady"),
        (READY, 2, {"ready": 1, "replicas": 1}, "False", "Updating"),
        (before("Updating", 2), 2, {"ready": 2}, "False", "Updating"),
        (READY, 1, {"ready": 2}, "False", "Degraded"),
        (READY, 2, {"ready": 5, "replicas": 5}, "True", "Updating"),
        (READY, 2, {"ready": 3, "updatedReplicas": 1}, "True", "Updating"),
        (READY, 2, {"ready": 3, "observedGeneration": 0}, "True", "Updating"),
    ],
)
def test_available(was: dict, generation: int, deployment: dict, value: str, reason: str) -> None:
    cache = memcached(was, generation=generation)
    (condition,) = status(cache, observed(cache, **deployment), [])["conditions"]
    assert (condition["status"], condition["reason"]) == (value, reason)
    assert condition["observedGeneration"] == generation


@pytest.mark.parametrize(
    ("complaint", "reason", "message"),
    [
        (REFUSED, "ReplicaFailure", "1 of 3 nodes ready: exceeded quota"),
        (LATE, "Degraded", "1 of 3 nodes ready: too slow"),
        ({**REFUSED, "status": "False"}, "Creating", "1 of 3 nodes ready"),
    ],
)
def test_what_the_deployment_complains_of_is_said(complaint: dict, reason: str, message: str) -> None:
    cache = memcached()
    (condition,) = status(cache, observed(cache, 1, complaint), [])["conditions"]
    assert (condition["status"], condition["reason"], condition["message"]) == ("False", reason, message)


def stuck(name: str) -> dict[str, Any]:
    found = pod(name, "Pending")
    found["status"]["containerStatuses"] = [STUCK]
    return found


@pytest.mark.parametrize(
    ("generation", "ready", "complaint", "value", "reason", "message"),
    [
        (1, 1, (), "False", "ImagePullBackOff", "1 of 3 nodes ready: the Pod b does not start: no such host"),
        (2, 3, (), "True", "UpdateStuck", "3 of 3 nodes ready; the Pod b does not start: no such host"),
        (1, 0, (REFUSED,), "False", "ReplicaFailure", "0 of 3 nodes ready: exceeded quota"),
        (1, 0, (LATE,), "False", "ImagePullBackOff", "0 of 3 nodes ready: the Pod b does not start: no such host"),
    ],
)
def test_a_pod_that_does_not_start_is_named(
    generation: int, ready: int, complaint: tuple, value: str, reason: str, message: str
) -> None:
    cache = memcached(READY, generation=generation)
    found = status(cache, observed(cache, ready, *complaint, updatedReplicas=1), [pod("a"), stuck("b")])
    (condition,) = found["conditions"]
    assert (condition["status"], condition["reason"], condition["message"]) == (value, reason, message)
    assert condition["reason"] in BAD


def test_a_pod_that_is_going_is_no_trouble() -> None:
    going = stuck("b")
    going["metadata"]["deletionTimestamp"] = "2026-11-21T00:00:00Z"
    cache = memcached()
    (condition,) = status(cache, observed(cache, 1), [pod("a"), going])["conditions"]
    assert condition["reason"] == "Creating"


def test_without_a_deployment_the_pods_are_counted() -> None:
    ready = pod("a")
    ready["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    found = refused(
        memcached(READY, generation=2), [ready, pod("b", "Pending")], StatusProblem("NameTaken", "not ours")
    )
    assert (found["nodes"], found["replicas"], found["readyReplicas"]) == (["a", "b"], 2, 1)
    (condition,) = found["conditions"]
    assert (condition["status"], condition["reason"], condition["observedGeneration"]) == ("False", "NameTaken", 2)


def test_a_condition_keeps_its_time_while_it_holds() -> None:
    cache = memcached(READY)
    moments = [status(cache, observed(cache, ready), [])["conditions"][0]["lastTransitionTime"] for ready in (3, 2)]
    assert moments[0] == "2020-01-01T00:00:00Z"
    assert moments[1] > "2026"


def test_the_nodes_are_the_pods_that_stay() -> None:
    pods = [
        pod("b"),
        pod("a", "Pending"),
        pod("c", deletionTimestamp="2026-11-21T00:00:00Z"),
        pod("d", "Failed"),
        pod("e", "Succeeded"),
    ]
    assert [item["metadata"]["name"] for item in staying(pods)] == ["a", "b"]


def test_the_scale_subresource_has_what_it_needs() -> None:
    cache = memcached(generation=4)
    found = status(cache, observed(cache, 2), [pod("a")])
    assert (found["replicas"], found["readyReplicas"], found["observedGeneration"]) == (3, 2, 4)
    assert found["selector"] == "cache.example.com/memcached=example"
