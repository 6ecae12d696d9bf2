"""What can be forwarded to: the ports of a Pod, and those of a Service or workload, which lead to one of its ready
Pods.

A Service's port may name its target ("http"), which is a number of the Pod's container; as kubectl does it, the Pod is
chosen by the Service's selector, not by its endpoints.
https://kubernetes.io/docs/reference/kubectl/generated/kubectl_port-forward/
"""

from dataclasses import dataclass
from typing import Any

from kube.client import ClusterClient
from kube.errors import BadRequest, NotFound
from kube.kubectl import Command, CommandArgument, Commands
from kube.objects import KubeObject, items, mapping, name_of, text
from kube.selectors import from_labels, pod_selector

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
    spec = mapping(obj.get("spec"))
    if obj.get("kind") == "Service":
        declared = [{**port, "containerPort": port.get("port")} for port in items(spec.get("ports"))]
    else:
        pod = mapping(mapping(spec.get("template")).get("spec")) if "template" in spec else spec
        declared = [dict(port) for container in items(pod.get("containers")) for port in items(container.get("ports"))]
    found = (
        Port(_number(port.get("containerPort")), text(port.get("name")), text(port.get("protocol")) or "TCP")
        for port in declared
    )
    return tuple(dict.fromkeys(port for port in found if port.number and port.protocol == "TCP"))


def _number(value: Any) -> int:
    return value if isinstance(value, int) and 0 < value < 65536 else 0


def _ready(pod: KubeObject) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(item.get("type") == "Ready" and item.get("status") == "True" for item in conditions)


def _running(pod: KubeObject) -> bool:
    return (pod.get("status") or {}).get("phase") == "Running" and not pod["metadata"].get("deletionTimestamp")


def pod_and_port(client: ClusterClient, target: ForwardTarget, number: int) -> tuple[str, int]:
    """The Pod that answers now, and its port. Raises NotFound or BadRequest with what is missing."""
    pods = client.find("", "v1", "pods")
    if target.kind == "Pod":
        pod = client.get(pods, target.name, target.namespace)
        if not _running(pod):
            raise BadRequest(
                f'Pod "{target.name}" is not running, so nothing answers on port {number}. Wait until it runs'
            )
        return target.name, number
    if target.kind == "Service":
        owner = client.get(client.find("", "v1", "services"), target.name, target.namespace)
        labels = from_labels({str(k): text(v) for k, v in mapping(mapping(owner.get("spec")).get("selector")).items()})
    else:
        owner = client.get(client.find_kind(WORKLOADS.get(target.kind, ""), target.kind), target.name, target.namespace)
        labels = pod_selector({**owner, "kind": target.kind})
    if not labels:
        raise BadRequest(
            f'{target.kind} "{target.name}" has no selector, so its Pods are not known. Forward to a Pod instead'
        )
    running = [pod for pod in client.list(pods, target.namespace, labels=labels).items if _running(pod)]
    if not running:
        raise BadRequest(f'{target.kind} "{target.name}" has no running Pod ({labels}). Wait until one runs')
    pod = min(running, key=lambda item: (not _ready(item), name_of(item)))
    return name_of(pod), target_port(owner, pod, number) if target.kind == "Service" else number


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
