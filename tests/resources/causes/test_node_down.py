"""Nodes whose kubelet doesn't respond, and their Pods."""

from tests.resources.causes.objects import LONG_AGO, RECENT, Object, event, made, none, only, pod


def _node(status: str, reason: str, message: str) -> Object:
    ready = {"type": "Ready", "status": status, "reason": reason, "message": message, "lastTransitionTime": LONG_AGO}
    return made("Node", "node-1", "v1", status={"conditions": [ready]})


def test_a_node_that_is_silent() -> None:
    cause = only("node_down", _node("Unknown", "NodeStatusUnknown", "Kubelet stopped posting node status."))
    assert cause.sentence == "node-1 isn't ready: its kubelet doesn't respond"
    assert cause.raw == "Kubelet stopped posting node status."


def test_a_node_that_has_a_reason() -> None:
    cause = only("node_down", _node("False", "KubeletNotReady", "container runtime is down"))
    assert cause.sentence == "node-1 isn't ready: its kubelet reports: container runtime is down"
    none(_node("True", "KubeletReady", "kubelet is posting ready status"))


def test_a_pod_there() -> None:
    ready = {"type": "Ready", "status": "False", "lastTransitionTime": LONG_AGO}
    running = {"state": {"running": {"startedAt": LONG_AGO}}, "ready": True}
    lost = pod(running, phase="Running", conditions=[ready], spec={"nodeName": "node-1"})
    cause = only("node_down", lost, event("NodeNotReady", "Node is not ready"))
    assert cause.sentence == "web isn't ready: the kubelet of its node node-1 doesn't respond"
    assert [link.target.kind for link in cause.links] == ["Pod", "Node", "Pod"]
    none(lost)
    ready["status"] = "True"
    none(lost, event("NodeNotReady", "Node is not ready"))


def test_a_pod_that_its_node_has_not_taken() -> None:
    given = pod(spec={"nodeName": "node-1"}, conditions=[])
    assert only("node_down", given).sentence == "web can't start: its node node-1 doesn't report on it"
    given["metadata"]["creationTimestamp"] = RECENT
    none(given)
