"""The Pod and container of a stream; errors in the words of kube-apiserver and the kubelet."""

from __future__ import annotations

from ..errors import BadRequest, MethodNotAllowed
from ..http import Request
from ..objects import Object, dig
from ..runtime.container import Container
from ..runtime.node import Node
from ..runtime.pod import PodRunner


def stored_pod(node: Node, request: Request) -> Object:
    """The Pod of the path; NotFound. Streams are asked for by GET or POST."""
    if request.method not in ("GET", "POST"):
        raise MethodNotAllowed
    return node.cluster.get("pods", request.params["name"], request.params["namespace"])


def container_name(pod: Object, asked: str) -> str:
    """The container that is meant; BadRequest when that is ambiguous."""
    name = pod["metadata"]["name"]
    spec = pod["spec"]
    mains = [str(container["name"]) for container in spec.get("containers") or []]
    inits = [str(container["name"]) for container in spec.get("initContainers") or []]
    if asked:
        if asked not in (*mains, *inits):
            raise BadRequest(f"container {asked} is not valid for pod {name}")
        return asked
    if len(mains) == 1:
        return mains[0]
    default = (pod["metadata"].get("annotations") or {}).get("kubectl.kubernetes.io/default-container")
    if default in mains:
        return str(default)
    names = " ".join([*inits, *mains])
    raise BadRequest(f"a container name must be specified for pod {name}, choose one of: [{names}]")


def check_assigned(pod: Object) -> None:
    """BadRequest while no node has the Pod."""
    if not dig(pod, "spec", "nodeName"):
        raise BadRequest(f"pod {pod['metadata']['name']} does not have a host assigned")


def running(node: Node, request: Request) -> tuple[PodRunner, Container]:
    """The container to run something in; BadRequest."""
    pod = stored_pod(node, request)
    name = container_name(pod, request.arg("container"))
    check_assigned(pod)
    if dig(pod, "status", "phase") in ("Succeeded", "Failed"):
        raise BadRequest(f"cannot exec into a container in a completed pod; current phase is {pod['status']['phase']}")
    runner = node.pods.get(pod["metadata"]["uid"])
    container = runner.container(name) if runner else None
    if runner is None or container is None or not container.running:
        raise BadRequest(f'container not found ("{name}")')
    if container.simulated:
        raise BadRequest(
            f'container "{name}" of pod "{pod["metadata"]["name"]}" is simulated by the embedded cluster: no program of'
            f" the image {container.image} runs, so there is nothing to run a command in. Use a real cluster for that"
        )
    return runner, container
