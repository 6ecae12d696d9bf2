"""Containers of a Pod: names, images, ports, probes, hooks."""

from __future__ import annotations

from typing import Any

from .basics import (
    Causes,
    Object,
    duplicate,
    forbidden,
    invalid,
    label,
    not_found,
    not_negative,
    one_of,
    only,
    port_name,
    port_number,
    port_number_or_name,
    required,
)
from .environment import environment
from .mounts import devices, mounts
from .resources import requirements
from .security import security_context

_PROTOCOLS = ("SCTP", "TCP", "UDP")
_POLICIES = ("Always", "IfNotPresent", "Never")
_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc", "sleep")
_NO_INIT = "may not be set for init containers without restartPolicy=Always"


def containers(path: str, spec: Object, volumes: dict[str, Object]) -> Causes:
    """``containers``, ``initContainers`` and ``ephemeralContainers`` of a Pod's spec."""
    plain = spec.get("containers") or []
    names: set[str] = set()
    if not plain:
        yield required(f"{path}.containers")
    for index, container in enumerate(plain):
        at = f"{path}.containers[{index}]"
        yield from _common(at, container, spec, volumes)
        yield from _unique(at, container, names)
        yield from _running(at, container)
        names.add(str(container.get("name") or ""))
    yield from _host_ports(f"{path}.containers", plain)
    for index, container in enumerate(spec.get("initContainers") or []):
        at = f"{path}.initContainers[{index}]"
        yield from _common(at, container, spec, volumes)
        yield from only(f"{at}.restartPolicy", container.get("restartPolicy"), ("Always", "OnFailure", "Never"))
        yield from _unique(at, container, names)
        yield from _host_ports(f"{path}.initContainers", [container])
        names.add(str(container.get("name") or ""))
        if container.get("restartPolicy") == "Always":
            yield from _running(at, container)
        else:
            fields = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
            yield from (forbidden(f"{at}.{field}", _NO_INIT) for field in fields if container.get(field) is not None)
    for index, container in enumerate(spec.get("ephemeralContainers") or []):
        yield from _ephemeral(f"{path}.ephemeralContainers[{index}]", container, spec, volumes, names)


def _common(path: str, container: Object, spec: Object, volumes: dict[str, Object]) -> Causes:
    if name := container.get("name"):
        yield from label(f"{path}.name", name)
    else:
        yield required(f"{path}.name")
    if not container.get("image"):
        yield required(f"{path}.image")
    supported = ("File", "FallbackToLogsOnError")
    yield from one_of(f"{path}.terminationMessagePolicy", container.get("terminationMessagePolicy"), supported)
    yield from _ports(f"{path}.ports", container.get("ports") or [])
    yield from environment(path, container)
    yield from mounts(f"{path}.volumeMounts", container, volumes)
    yield from devices(f"{path}.volumeDevices", container, volumes)
    yield from only(f"{path}.imagePullPolicy", container.get("imagePullPolicy"), _POLICIES)
    yield from requirements(f"{path}.resources", container.get("resources") or {}, spec.get("resourceClaims") or [])
    yield from security_context(f"{path}.securityContext", container.get("securityContext"), spec)


def _unique(path: str, container: Object, names: set[str]) -> Causes:
    if (name := container.get("name") or "") in names:
        yield duplicate(f"{path}.name", name)


def _ephemeral(path: str, container: Object, spec: Object, volumes: dict[str, Object], names: set[str]) -> Causes:
    yield from _common(path, container, spec, volumes)
    yield from _unique(path, container, names)
    names.add(str(container.get("name") or ""))
    target = container.get("targetContainerName")
    if target and target not in {one.get("name") for one in spec.get("containers") or []}:
        yield not_found(f"{path}.targetContainerName", target)
    for field in ("ports", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle", "resizePolicy"):
        if container.get(field):
            yield forbidden(f"{path}.{field}", "cannot be set for an Ephemeral Container")
    if container.get("resources"):
        yield forbidden(f"{path}.resources", "cannot be set for an Ephemeral Container")


def _ports(path: str, ports: list[Object]) -> Causes:
    names: set[str] = set()
    for index, port in enumerate(ports):
        at = f"{path}[{index}]"
        if name := port.get("name"):
            faults = list(port_name(f"{at}.name", name))
            yield from faults
            if not faults and name in names:
                yield duplicate(f"{at}.name", name)
            names.add(name)
        if not port.get("containerPort"):
            yield required(f"{at}.containerPort")
        else:
            yield from port_number(f"{at}.containerPort", port["containerPort"])
        if port.get("hostPort"):
            yield from port_number(f"{at}.hostPort", port["hostPort"])
        yield from one_of(f"{at}.protocol", port.get("protocol"), _PROTOCOLS)


def _host_ports(path: str, given: list[Object]) -> Causes:
    taken: set[str] = set()
    for number, container in enumerate(given):
        for index, port in enumerate(container.get("ports") or []):
            if not port.get("hostPort"):
                continue
            text = f"{port.get('protocol')}/{port.get('hostIP') or ''}/{port['hostPort']}"
            if text in taken:
                yield duplicate(f"{path}[{number}].ports[{index}].hostPort", text)
            taken.add(text)


def _running(path: str, container: Object) -> Causes:
    """What only containers that stay have."""
    for name in ("postStart", "preStop"):
        hook = (container.get("lifecycle") or {}).get(name)
        if hook is not None:
            yield from _handler(f"{path}.lifecycle.{name}", hook)
    for name in ("livenessProbe", "readinessProbe", "startupProbe"):
        probe, at = container.get(name), f"{path}.{name}"
        if probe is None:
            continue
        yield from _probe(at, probe)
        if name == "readinessProbe" and probe.get("terminationGracePeriodSeconds") is not None:
            grace = probe["terminationGracePeriodSeconds"]
            yield invalid(f"{at}.terminationGracePeriodSeconds", grace, "must not be set for readinessProbes")
        elif name != "readinessProbe" and probe.get("successThreshold") != 1:
            yield invalid(f"{at}.successThreshold", probe.get("successThreshold"), "must be 1")


def _probe(path: str, probe: Object) -> Causes:
    yield from _handler(path, probe)
    for name in ("initialDelaySeconds", "timeoutSeconds", "periodSeconds", "successThreshold", "failureThreshold"):
        yield from not_negative(f"{path}.{name}", probe.get(name))
    grace = probe.get("terminationGracePeriodSeconds")
    if grace is not None and grace <= 0:
        yield invalid(f"{path}.terminationGracePeriodSeconds", grace, "must be greater than 0")


def _handler(path: str, handler: Object) -> Causes:
    found = [name for name in _HANDLERS if handler.get(name) is not None]
    if not found:
        yield required(path, "must specify a handler type")
        return
    yield from _action(f"{path}.{found[0]}", found[0], handler[found[0]])
    yield from (forbidden(f"{path}.{name}", "may not specify more than 1 handler type") for name in found[1:])


def _action(path: str, kind: str, action: Any) -> Causes:
    if kind == "exec" and not action.get("command"):
        yield required(f"{path}.command")
    if kind in ("httpGet", "tcpSocket", "grpc"):
        if kind == "httpGet" and not action.get("path"):
            yield required(f"{path}.path")
        yield from port_number_or_name(f"{path}.port", action.get("port"))
    if kind == "httpGet":
        yield from one_of(f"{path}.scheme", action.get("scheme"), ("HTTP", "HTTPS"))
