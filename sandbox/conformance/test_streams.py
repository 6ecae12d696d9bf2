"""Logs, exec, attach and port-forward: what the API server itself answers"""

import pytest

from tests.api import Api
from tests.kubectl import Kubectl

from .observations import Seen
from .workloads import container, path, pod

NOWHERE = {"nodeSelector": {"no": "such-node"}}


@pytest.fixture
def waiting(api: Api, namespace: str) -> str:
    """The path of a Pod ``a`` of one container that no node has."""
    api.post(path(namespace, "pods"), pod(**NOWHERE))
    return path(namespace, "pods", "a")


@pytest.fixture
def two(api: Api, namespace: str) -> str:
    """The path of a Pod ``two`` with the containers c and d and the init container i, which no node has."""
    containers = [container(), container("d")]
    api.post(path(namespace, "pods"), pod("two", containers=containers, initContainers=[container("i")], **NOWHERE))
    return path(namespace, "pods", "two")


def test_logs_without_a_node(seen: Seen, api: Api, waiting: str, namespace: str, k: Kubectl) -> None:
    """A Pod without a node has no logs yet"""
    seen("logs", api.get(f"{waiting}/log"))
    seen("of nothing", api.get(f"{path(namespace, 'pods', 'none')}/log"))
    seen.text("kubectl", k("logs", "none", fails=True))
    seen("by POST", api.post(f"{waiting}/log", {}))


def test_logs_of_containers(seen: Seen, api: Api, waiting: str, two: str, k: Kubectl) -> None:
    """Of several containers one must be named, and it must be there"""
    seen("unknown container", api.get(f"{waiting}/log?container=odd"))
    seen("none of several", api.get(f"{two}/log"))
    seen("unknown of several", api.get(f"{two}/log?container=odd"))
    seen("a known one", api.get(f"{two}/log?container=d"))
    seen("an init container", api.get(f"{two}/log?container=i"))
    seen.text("kubectl", k("logs", "two", "-c", "odd", fails=True))


@pytest.mark.parametrize(
    "query",
    [
        "tailLines=-1",
        "tailLines=x",
        "limitBytes=0",
        "sinceSeconds=0",
        "sinceSeconds=-5",
        "sinceSeconds=5&sinceTime=2026-01-02T03:04:05Z",
        "sinceTime=yesterday",
        "follow=maybe",
        "timestamps=x",
        "previous=x",
        "stream=Odd",
        "stream=Stdout&tailLines=1",
        "tailLines=-1&limitBytes=0&sinceSeconds=0",
        "odd=1",
    ],
)
def test_log_options(seen: Seen, api: Api, waiting: str, query: str) -> None:
    """Options of logs are checked before anything else"""
    seen("logs", api.get(f"{waiting}/log?{query}"))


def test_exec(seen: Seen, api: Api, waiting: str, two: str, namespace: str) -> None:
    """exec wants a command, a container and a Pod that a node has"""
    for name, query in {
        "no command": "stdout=1",
        "no streams": "command=x",
        "nothing at all": "",
        "a command": "command=x&stdout=1",
        "unknown container": "command=x&stdout=1&container=odd",
    }.items():
        seen(name, api.get(f"{waiting}/exec?{query}"))
    seen("none of several", api.get(f"{two}/exec?command=x&stdout=1"))
    seen("of nothing", api.get(f"{path(namespace, 'pods', 'none')}/exec?command=x&stdout=1"))
    seen("by POST", api.post(f"{waiting}/exec?command=x&stdout=1", None))
    seen("by PUT", api.put(f"{waiting}/exec?command=x&stdout=1", {}))


def test_attach(seen: Seen, api: Api, waiting: str, two: str, namespace: str) -> None:
    """attach wants streams, a container and a Pod that a node has"""
    seen("no streams", api.get(f"{waiting}/attach"))
    seen("streams", api.get(f"{waiting}/attach?stdout=1"))
    seen("terminal and errors", api.get(f"{waiting}/attach?stdout=1&stderr=1&tty=1"))
    seen("none of several", api.get(f"{two}/attach?stdout=1"))
    seen("of nothing", api.get(f"{path(namespace, 'pods', 'none')}/attach?stdout=1"))


def test_port_forward(seen: Seen, api: Api, waiting: str, namespace: str, k: Kubectl) -> None:
    """port-forward wants a Pod that a node has"""
    seen("without ports", api.get(f"{waiting}/portforward"))
    seen("bad ports", api.get(f"{waiting}/portforward?ports=x"))
    seen("of nothing", api.get(f"{path(namespace, 'pods', 'none')}/portforward?ports=80"))
    seen.text("kubectl: of nothing", k("port-forward", "pod/none", "0:80", fails=True))
    seen.text(
        "kubectl: waiting", k("port-forward", "pod/a", "0:80", fails=True, KUBECTL_PORT_FORWARD_WEBSOCKETS="true")
    )


def test_kubectl_exec(seen: Seen, api: Api, waiting: str, k: Kubectl) -> None:
    """kubectl exec and attach tell what is missing"""
    assert api.get(waiting).status == 200
    seen.text("exec", k("exec", "a", "--", "x", fails=True))
    seen.text("exec of nothing", k("exec", "none", "--", "x", fails=True))
    seen.text("exec in an unknown container", k("exec", "a", "-c", "odd", "--", "x", fails=True))
    seen.text("exec without a command", k("exec", "a", fails=True))
    seen.text("attach to nothing", k("attach", "none", fails=True))
