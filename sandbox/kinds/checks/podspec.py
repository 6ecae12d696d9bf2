"""The spec of a Pod, and templates of Pods."""

from __future__ import annotations

import ipaddress
from typing import Any

from structural.metadata import shape_causes

from .basics import (
    MAX_INT32,
    Causes,
    Object,
    forbidden,
    in_range,
    invalid,
    label,
    labels,
    one_of,
    only,
    qualified,
    required,
    subdomain,
)
from .containers import containers
from .environment import file_references
from .scheduling import affinity, spread, tolerations
from .security import pod_security_context
from .volumes import good, volumes

_RESTARTS = ("Always", "OnFailure", "Never")
_DNS = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
BAD_IP = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"


def pod_spec(path: str, spec: Object) -> Causes:
    """A PodSpec after its defaults."""
    yield from volumes(f"{path}.volumes", spec.get("volumes"))
    yield from containers(path, spec, good(spec.get("volumes")))
    yield from _host_network(path, spec)
    yield from one_of(f"{path}.restartPolicy", spec.get("restartPolicy"), _RESTARTS)
    yield from one_of(f"{path}.dnsPolicy", spec.get("dnsPolicy"), _DNS)
    yield from labels(f"{path}.nodeSelector", spec.get("nodeSelector"))
    yield from pod_security_context(f"{path}.securityContext", spec.get("securityContext"))
    yield from affinity(f"{path}.affinity", spec.get("affinity"))
    yield from _dns(path, spec)
    for index, gate in enumerate(spec.get("readinessGates") or []):
        yield from qualified(f"{path}.readinessGates[{index}].conditionType", gate.get("conditionType") or "")
    for index, gate in enumerate(spec.get("schedulingGates") or []):
        yield from qualified(f"{path}.schedulingGates[{index}]", gate.get("name") or "")
    yield from spread(f"{path}.topologySpreadConstraints", spec.get("topologySpreadConstraints"))
    yield from _names(path, spec)
    yield from tolerations(f"{path}.tolerations", spec.get("tolerations"))
    yield from _aliases(f"{path}.hostAliases", spec.get("hostAliases"))
    for field in ("priorityClassName", "runtimeClassName"):
        if spec.get(field):
            yield from subdomain(f"{path}.{field}", spec[field])
    supported = ("PreemptLowerPriority", "Never")
    yield from only(f"{path}.preemptionPolicy", spec.get("preemptionPolicy"), supported)
    if spec.get("os") is not None:
        name = spec["os"].get("name") or ""
        if not name:
            yield required(f"{path}.os.name", "cannot be empty")
        else:
            yield from one_of(f"{path}.os", name, ("linux", "windows"))
    yield from file_references(path, spec)


def _names(path: str, spec: Object) -> Causes:
    if spec.get("serviceAccountName"):
        yield from subdomain(f"{path}.serviceAccountName", spec["serviceAccountName"])
    if spec.get("nodeName"):
        yield from subdomain(f"{path}.nodeName", spec["nodeName"])
    yield from in_range(f"{path}.activeDeadlineSeconds", spec.get("activeDeadlineSeconds"), 1, MAX_INT32)
    for field in ("hostname", "subdomain"):
        if spec.get(field):
            yield from label(f"{path}.{field}", spec[field])


def _host_network(path: str, spec: Object) -> Causes:
    if not spec.get("hostNetwork"):
        return
    for kind in ("containers", "initContainers"):
        for number, container in enumerate(spec.get(kind) or []):
            for index, port in enumerate(container.get("ports") or []):
                if port.get("hostPort") != port.get("containerPort"):
                    at = f"{path}.{kind}[{number}].ports[{index}].hostPort"
                    text = "must match `containerPort` when `hostNetwork` is true"
                    yield invalid(at, port.get("hostPort") or 0, text)


def _dns(path: str, spec: Object) -> Causes:
    config = spec.get("dnsConfig")
    if spec.get("dnsPolicy") == "None":
        if config is None:
            yield required(f"{path}.dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None")
            return
        if not config.get("nameservers"):
            text = "must provide at least one DNS nameserver when `dnsPolicy` is None"
            yield required(f"{path}.dnsConfig.nameservers", text)
            return
    for index, server in enumerate((config or {}).get("nameservers") or []):
        yield from address(f"{path}.dnsConfig.nameservers[{index}]", server)


def address(path: str, value: Any) -> Causes:
    """An IP address."""
    try:
        ipaddress.ip_address(str(value))
    except ValueError:
        yield invalid(path, value or "", BAD_IP)


def _aliases(path: str, given: Any) -> Causes:
    for index, alias in enumerate(given or []):
        yield from address(f"{path}[{index}].ip", alias.get("ip"))
        for number, name in enumerate(alias.get("hostnames") or []):
            yield from subdomain(f"{path}[{index}].hostnames[{number}]", name)


def template(path: str, given: Any) -> Causes:
    """A PodTemplateSpec; the API server leaves out ``metadata`` in the paths of labels."""
    given = given if isinstance(given, dict) else {}
    yield from shape_causes(given.get("metadata") or {}, path)
    yield from pod_spec(f"{path}.spec", given.get("spec") or {})
    if (given.get("spec") or {}).get("ephemeralContainers"):
        yield forbidden(f"{path}.spec.ephemeralContainers", "ephemeral containers not allowed in pod template")


def pod(obj: Object) -> Causes:
    """A Pod's own."""
    spec = obj.get("spec") or {}
    yield from pod_spec("spec", spec)
    for kind in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(kind) or []):
            image = container.get("image") or ""
            if image != image.strip():
                yield invalid(f"spec.{kind}[{index}].image", image, "must not have leading or trailing whitespace")
