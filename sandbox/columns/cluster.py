"""Namespaces, Nodes, classes, CRDs, API services, network kinds, webhooks."""

from __future__ import annotations

from ..objects import dig
from .column import AGE, NAME, NONE, Column, Object, cell, containers, labels_text, number, selector_text, text


def _node_status(obj: Object) -> str:
    ready = [c.get("status") for c in dig(obj, "status", "conditions") or [] if c.get("type") == "Ready"]
    words = ["Ready" if status == "True" else "NotReady" for status in ready] or ["Unknown"]
    if dig(obj, "spec", "unschedulable"):
        words.append("SchedulingDisabled")
    return ",".join(words)


def _roles(obj: Object) -> str:
    prefix = "node-role.kubernetes.io/"
    labels = obj["metadata"].get("labels") or {}
    roles = {key.removeprefix(prefix) for key in labels if key.startswith(prefix)}
    if labels.get("kubernetes.io/role"):
        roles.add(labels["kubernetes.io/role"])
    return ",".join(sorted(role for role in roles if role)) or NONE


def _address(kind: str) -> Column:
    def find(obj: Object) -> str:
        listed = dig(obj, "status", "addresses") or []
        return next((item["address"] for item in listed if item.get("type") == kind), NONE)

    return cell(f"{kind[:-2]}-IP", find, priority=1)


def _class_name(obj: Object) -> str:
    name = str(obj["metadata"].get("name", ""))
    annotations = obj["metadata"].get("annotations") or {}
    default = annotations.get("storageclass.kubernetes.io/is-default-class") == "true"
    return f"{name} (default)" if default else name


def _available(obj: Object) -> str:
    for condition in dig(obj, "status", "conditions") or []:
        if condition.get("type") == "Available":
            ok = condition.get("status") == "True"
            return "True" if ok else f"{condition.get('status')} ({condition.get('reason')})"
    return "Unknown"


def _service(obj: Object) -> str:
    service = dig(obj, "spec", "service")
    return f"{service.get('namespace')}/{service.get('name')}" if service else "Local"


def _hosts(obj: Object) -> str:
    hosts = [rule["host"] for rule in dig(obj, "spec", "rules") or [] if rule.get("host")]
    return ",".join(hosts[:3]) + (f" + {len(hosts) - 3} more..." if len(hosts) > 3 else "") or "*"


def _ingress_address(obj: Object) -> str:
    points = dig(obj, "status", "loadBalancer", "ingress") or []
    return ",".join(str(point.get("ip") or point.get("hostname")) for point in points)


_WEBHOOKS = (NAME, cell("Webhooks", lambda obj: len(obj.get("webhooks") or []), "integer"), AGE)

COLUMNS: dict[str, tuple[Column, ...]] = {
    "namespaces": (NAME, text("Status", "status", "phase"), AGE),
    "nodes": (
        NAME,
        cell("Status", _node_status),
        cell("Roles", _roles),
        AGE,
        text("Version", "status", "nodeInfo", "kubeletVersion"),
        _address("InternalIP"),
        _address("ExternalIP"),
        text("OS-Image", "status", "nodeInfo", "osImage", default="<unknown>", priority=1),
        text("Kernel-Version", "status", "nodeInfo", "kernelVersion", default="<unknown>", priority=1),
        text("Container-Runtime", "status", "nodeInfo", "containerRuntimeVersion", default="<unknown>", priority=1),
    ),
    "storageclasses.storage.k8s.io": (
        Column(name="Name", cell=_class_name, format="name"),
        text("Provisioner", "provisioner"),
        text("ReclaimPolicy", "reclaimPolicy", default="Delete"),
        text("VolumeBindingMode", "volumeBindingMode", default="Immediate"),
        cell("AllowVolumeExpansion", lambda obj: "true" if obj.get("allowVolumeExpansion") else "false"),
        AGE,
    ),
    "customresourcedefinitions.apiextensions.k8s.io": (
        NAME,
        Column(name="Created At", cell=lambda obj: obj["metadata"].get("creationTimestamp", ""), type="date"),
    ),
    "apiservices.apiregistration.k8s.io": (NAME, cell("Service", _service), cell("Available", _available), AGE),
    "ingresses.networking.k8s.io": (
        NAME,
        text("Class", "spec", "ingressClassName", default=NONE),
        cell("Hosts", _hosts),
        cell("Address", _ingress_address),
        cell("Ports", lambda obj: "80, 443" if dig(obj, "spec", "tls") else "80"),
        AGE,
    ),
    "ingressclasses.networking.k8s.io": (
        NAME,
        text("Controller", "spec", "controller"),
        cell(
            "Parameters",
            lambda obj: (
                f"{dig(obj, 'spec', 'parameters', 'kind')}/{dig(obj, 'spec', 'parameters', 'name')}"
                if dig(obj, "spec", "parameters")
                else NONE
            ),
        ),
        AGE,
    ),
    "networkpolicies.networking.k8s.io": (
        NAME,
        cell("Pod-Selector", lambda obj: selector_text(dig(obj, "spec", "podSelector"))),
        AGE,
    ),
    "priorityclasses.scheduling.k8s.io": (
        NAME,
        number("Value", "value"),
        cell("Global-Default", lambda obj: bool(obj.get("globalDefault")), "boolean"),
        AGE,
        text("PreemptionPolicy", "preemptionPolicy"),
    ),
    "mutatingwebhookconfigurations.admissionregistration.k8s.io": _WEBHOOKS,
    "validatingwebhookconfigurations.admissionregistration.k8s.io": _WEBHOOKS,
    "replicationcontrollers": (
        NAME,
        number("Desired", "spec", "replicas"),
        number("Current", "status", "replicas"),
        number("Ready", "status", "readyReplicas"),
        AGE,
        cell("Containers", lambda obj: containers(dig(obj, "spec", "template", "spec"), "name"), priority=1),
        cell("Images", lambda obj: containers(dig(obj, "spec", "template", "spec"), "image"), priority=1),
        cell("Selector", lambda obj: labels_text(dig(obj, "spec", "selector")), priority=1),
    ),
}
