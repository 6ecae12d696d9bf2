"""What can be forwarded to: the ports of a Pod, and those of a Service, which lead to one of its ready Pods.

A Service's port may name its target ("http"), which is a number of the Pod's container; as kubectl does it, the Pod is chosen by the
Service's selector, not by its endpoints. https://kubernetes.io/docs/reference/kubectl/generated/kubectl_port-forward/
"""

from dataclasses import dataclass
from typing import Any

from kube.client import ClusterClient
from kube.errors import BadRequest, NotFound
from kube.objects import KubeObject, name_of


@dataclass(frozen=True, slots=True)
class Port:
    """`number`: what the Pod or Service calls it. `secure`: probably TLS, by its number or name."""

    number: int
    name: str = ""
    protocol: str = "TCP"

    @property
    def secure(self) -> bool:
        return self.number in (443, 8443, 6443, 9443) or "https" in self.name

    @property
    def web(self) -> bool:
        """Probably something for a browser."""
        return self.secure or self.number in (80, 3000, 5000, 8000, 8080, 8888, 9000, 9090) or "http" in self.name


@dataclass(frozen=True, slots=True)
class Target:
    """`kind` Pod or Service."""

    kind: str
    namespace: str
    name: str


def ports(obj: KubeObject) -> tuple[Port, ...]:
    """The TCP ports that the Pod or Service declares. A Pod may listen on others too."""
    spec = obj.get("spec") or {}
    if obj.get("kind") == "Service":
        declared: list[dict[str, Any]] = [
            {**port, "containerPort": port.get("port")} for port in spec.get("ports") or ()
        ]
    else:
        declared = [port for container in spec.get("containers") or () for port in container.get("ports") or ()]
    found = (
        Port(int(port.get("containerPort") or 0), str(port.get("name") or ""), str(port.get("protocol") or "TCP"))
        for port in declared
    )
    return tuple(port for port in found if port.number and port.protocol == "TCP")


def _ready(pod: KubeObject) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(item.get("type") == "Ready" and item.get("status") == "True" for item in conditions)


def _running(pod: KubeObject) -> bool:
    return (pod.get("status") or {}).get("phase") == "Running" and not pod["metadata"].get("deletionTimestamp")


def pod_and_port(client: ClusterClient, target: Target, number: int) -> tuple[str, int]:
    """The Pod that answers now, and its port. Raises NotFound or BadRequest with what is missing."""
    pods = client.find("", "v1", "pods")
    if target.kind == "Pod":
        pod = client.get(pods, target.name, target.namespace)
        if not _running(pod):
            raise BadRequest(
                f'Pod "{target.name}" is not running, so nothing answers on port {number}. Wait until it runs'
            )
        return target.name, number
    service = client.get(client.find("", "v1", "services"), target.name, target.namespace)
    selector = (service.get("spec") or {}).get("selector") or {}
    if not selector:
        raise BadRequest(
            f'Service "{target.name}" has no selector, so its Pods are not known. Forward to a Pod instead'
        )
    labels = ",".join(f"{key}={value}" for key, value in selector.items())
    running = [pod for pod in client.list(pods, target.namespace, labels=labels).items if _running(pod)]
    if not running:
        raise BadRequest(f'Service "{target.name}" has no running Pod ({labels}). Wait until one runs')
    pod = min(running, key=lambda item: (not _ready(item), name_of(item)))
    return name_of(pod), target_port(service, pod, number)


def target_port(service: KubeObject, pod: KubeObject, number: int) -> int:
    """The Pod's port behind `number` of the Service. Raises NotFound when either does not know it."""
    for port in (service.get("spec") or {}).get("ports") or ():
        if port.get("port") != number:
            continue
        wanted = port.get("targetPort") or number
        if isinstance(wanted, int) or str(wanted).isdigit():
            return int(wanted)
        for container in (pod.get("spec") or {}).get("containers") or ():
            for declared in container.get("ports") or ():
                if declared.get("name") == wanted:
                    return int(declared["containerPort"])
        raise NotFound(
            f'port {number} of service "{name_of(service)}" leads to “{wanted}”, which pod "{name_of(pod)}" has not'
        )
    raise NotFound(f'service "{name_of(service)}" has no port {number}')
