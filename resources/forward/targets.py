"""What can be forwarded to: the ports of a Pod, and those of a Service or workload, which lead to one of its ready
Pods.

A Service's port may name its target ("http"), which is a number of the Pod's container; as kubectl does it, the Pod is
chosen by the Service's selector, not by its endpoints.
https://kubernetes.io/docs/reference/kubectl/generated/kubectl_port-forward/
"""

from collections.abc import Iterator
from dataclasses import dataclass

from kube.client import ClusterClient
from kube.errors import BadRequest, NotFound
from kube.kubectl import Command, CommandArgument, Commands
from kube.objects import KubeObject
from kube.reader import IntOrString, read
from kube.selectors import pod_selector
from kube.types.core import Pod, PodSpec
from kube.types.network import Service
from kube.types.workloads import WorkloadSpec

#: Kinds whose Pods are found by their selector, and the groups they are of.
WORKLOADS = {"Deployment": "apps", "StatefulSet": "apps", "DaemonSet": "apps", "ReplicaSet": "apps", "Job": "batch"}
#: kubectl's names for them: it forwards to these kinds only.
_KUBECTL = {"Pod": "pod", "Service": "service", "Deployment": "deployment", "ReplicaSet": "replicaset"}


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

    @property
    def standard(self) -> bool:
        """The usual port of a web page; others that are called http are often APIs."""
        return self.number in (80, 443)


@dataclass(frozen=True, slots=True)
class ForwardTarget:
    """`kind`: Pod, Service or one of WORKLOADS."""

    kind: str
    namespace: str
    name: str

    @property
    def key(self) -> str:
        return f"{self.kind}/{self.name}"

    def kubectl(self, local: str, remote: str) -> Commands:
        """The same with kubectl, which stops when the Pod does; as the form's fields `local` and `remote` say."""
        what = _KUBECTL.get(self.kind, self.kind.lower())
        ports = (CommandArgument("local", local), ":", CommandArgument("remote", remote, otherwise="PORT"))
        return Commands((Command(f"kubectl port-forward {what}/{self.name} ", rest=(*ports, f" -n {self.namespace}")),))


def ports(obj: KubeObject) -> tuple[Port, ...]:
    """The TCP ports that a Service declares, or the containers of a Pod or workload. They may listen on others too."""
    if obj.get("kind") == "Service":
        found = _service_ports(read(obj, Service))
    elif obj.get("kind") == "Pod":
        found = _container_ports(read(obj.get("spec"), PodSpec))
    else:
        found = _container_ports(read(obj.get("spec"), WorkloadSpec).pod_spec)
    return tuple(dict.fromkeys(port for port in found if port.number and port.protocol == "TCP"))


def _service_ports(service: Service) -> Iterator[Port]:
    for port in service.spec.ports:
        yield Port(_number(port.port), port.name, port.protocol or "TCP")


def _container_ports(spec: PodSpec) -> Iterator[Port]:
    for container in spec.containers:
        for port in container.ports:
            yield Port(_number(port.container_port), port.name, port.protocol or "TCP")


def _number(value: IntOrString) -> int:
    return value if isinstance(value, int) and 0 < value < 65536 else 0


def _ready(pod: Pod) -> bool:
    return any(condition.type == "Ready" and condition.status == "True" for condition in pod.status.conditions)


def _running(pod: Pod) -> bool:
    return pod.status.phase == "Running" and not pod.metadata.deletion_timestamp


def pod_and_port(client: ClusterClient, target: ForwardTarget, number: int) -> tuple[str, int]:
    """The Pod that answers now, and its port. Raises NotFound or BadRequest with what is missing."""
    pods = client.find("", "v1", "pods")
    if target.kind == "Pod":
        if not _running(read(client.get(pods, target.name, target.namespace), Pod)):
            raise BadRequest(
                f'Pod "{target.name}" is not running, so nothing answers on port {number}. Wait until it runs'
            )
        return target.name, number
    if target.kind == "Service":
        owner_type = client.find("", "v1", "services")
    else:
        owner_type = client.find_kind(WORKLOADS.get(target.kind, ""), target.kind)
    owner = client.get(owner_type, target.name, target.namespace)
    labels = pod_selector({**owner, "kind": target.kind})
    if not labels:
        raise BadRequest(
            f'{target.kind} "{target.name}" has no selector, so its Pods are not known. Forward to a Pod instead'
        )
    found = (read(obj, Pod) for obj in client.list(pods, target.namespace, labels=labels).items)
    running = [pod for pod in found if _running(pod)]
    if not running:
        raise BadRequest(f'{target.kind} "{target.name}" has no running Pod ({labels}). Wait until one runs')
    pod = min(running, key=lambda pod: (not _ready(pod), pod.metadata.name))
    return pod.metadata.name, target_port(read(owner, Service), pod, number) if target.kind == "Service" else number


def target_port(service: Service, pod: Pod, number: int) -> int:
    """The Pod's port behind `number` of the Service. Raises NotFound when either does not know it."""
    service_name, pod_name = service.metadata.name, pod.metadata.name
    for port in service.spec.ports:
        if port.port != number:
            continue
        wanted = port.target_port or number
        if isinstance(wanted, int) or wanted.isdecimal():
            return int(wanted)
        for declared in _container_ports(pod.spec):
            if declared.name == wanted and declared.number:
                return declared.number
        raise NotFound(f'port {number} of service "{service_name}" leads to “{wanted}”, which pod "{pod_name}" has not')
    raise NotFound(f'service "{service_name}" has no port {number}')
