"""Pods, Services, endpoints, events."""

from __future__ import annotations

from typing import Any

from ..durations import UNKNOWN, since
from ..objects import dig
from .column import AGE, NAME, NONE, Column, Object, cell, labels_text, text


def _waits(status: Any, main: bool) -> str:
    """The word for one container state, empty when it just runs."""
    state = status.get("state") or {}
    if "waiting" in state and state["waiting"].get("reason"):
        return str(state["waiting"]["reason"])
    if "terminated" in state:
        ended = state["terminated"]
        if ended.get("reason"):
            return str(ended["reason"])
        if main or ended.get("exitCode"):
            return f"Signal:{ended['signal']}" if ended.get("signal") else f"ExitCode:{ended.get('exitCode', 0)}"
    return ""


def pod_status(obj: Object) -> str:
    """The STATUS column of a Pod (printPod)."""
    status = obj.get("status") or {}
    word = status.get("reason") or status.get("phase") or ""
    for condition in status.get("conditions") or []:
        if condition.get("type") == "PodScheduled" and condition.get("reason") == "SchedulingGated":
            word = "SchedulingGated"
    starting = ""
    init = status.get("initContainerStatuses") or []
    for index, container in enumerate(init):
        ended = dig(container, "state", "terminated")
        if ended is not None and not ended.get("exitCode"):
            continue
        why = _waits(container, main=False)
        starting = f"Init:{why}" if why and why != "PodInitializing" else f"Init:{index}/{len(init)}"
        break
    if starting:
        word = starting
    else:
        running = False
        for container in reversed(status.get("containerStatuses") or []):
            why = _waits(container, main=True)
            if why:
                word = why
            elif container.get("ready") and dig(container, "state", "running") is not None:
                running = True
        if word == "Completed" and running:
            ready = any(c.get("type") == "Ready" and c.get("status") == "True" for c in status.get("conditions") or [])
            word = "Running" if ready else "NotReady"
    if obj["metadata"].get("deletionTimestamp"):
        word = "Unknown" if status.get("reason") == "NodeLost" else "Terminating"
    return str(word)


def _pod_ready(obj: Object) -> str:
    statuses = dig(obj, "status", "containerStatuses") or []
    ready = sum(1 for c in statuses if c.get("ready") and dig(c, "state", "running") is not None)
    return f"{ready}/{len(dig(obj, 'spec', 'containers') or [])}"


def _restarts(obj: Object) -> str:
    count, last = 0, ""
    for container in dig(obj, "status", "containerStatuses") or []:
        count += int(container.get("restartCount") or 0)
        last = max(last, dig(container, "lastState", "terminated", "finishedAt") or "")
    return f"{count} ({since(last)} ago)" if count and last else str(count)


def _gates(obj: Object) -> str:
    gates = dig(obj, "spec", "readinessGates") or []
    if not gates:
        return NONE
    true = {c["type"] for c in dig(obj, "status", "conditions") or [] if c.get("status") == "True"}
    return f"{sum(gate['conditionType'] in true for gate in gates)}/{len(gates)}"


def _pod_ip(obj: Object) -> str:
    addresses = dig(obj, "status", "podIPs") or []
    return str(dig(obj, "status", "podIP") or (addresses[0].get("ip") if addresses else "") or NONE)


def _external(obj: Object) -> str:
    spec = obj.get("spec") or {}
    kind = spec.get("type", "ClusterIP")
    listed = list(spec.get("externalIPs") or [])
    if kind == "ExternalName":
        return str(spec.get("externalName") or "")
    if kind == "LoadBalancer":
        points = dig(obj, "status", "loadBalancer", "ingress") or []
        listed = [str(point.get("ip") or point.get("hostname")) for point in points] + listed
        return ",".join(listed) or "<pending>"
    return ",".join(listed) or NONE


def _ports(obj: Object) -> str:
    shown = []
    for port in dig(obj, "spec", "ports") or []:
        node = f":{port['nodePort']}" if port.get("nodePort") else ""
        shown.append(f"{port.get('port')}{node}/{port.get('protocol', 'TCP')}")
    return ",".join(shown) or NONE


def _endpoints(obj: Object) -> str:
    found: list[str] = []
    more = 0
    for subset in obj.get("subsets") or []:
        ports = subset.get("ports") or []
        for address in subset.get("addresses") or []:
            for port in ports or [None]:
                if len(found) == 3:
                    more += 1
                else:
                    found.append(address["ip"] if port is None else f"{address['ip']}:{port['port']}")
    return ",".join(found) + (f" + {more} more..." if more else "") or NONE


def _slice_ports(obj: Object) -> str:
    ports = [str(port.get("port", "*")) for port in obj.get("ports") or []]
    return ",".join(ports[:3]) + (f" + {len(ports) - 3} more..." if len(ports) > 3 else "") or UNSET_PORTS


UNSET_PORTS = "<unset>"


def _slice_addresses(obj: Object) -> str:
    found = [address for point in obj.get("endpoints") or [] for address in point.get("addresses") or []]
    return ",".join(found[:3]) + (f" + {len(found) - 3} more..." if len(found) > 3 else "") or UNSET_PORTS


def _seen(obj: Object, first: bool = False) -> str:
    if first:
        moment = obj.get("firstTimestamp") or obj.get("eventTime")
    else:
        moment = dig(obj, "series", "lastObservedTime") or obj.get("lastTimestamp") or obj.get("eventTime")
    return since(moment) if moment else UNKNOWN


def _about(obj: Object) -> str:
    target = obj.get("involvedObject") or obj.get("regarding") or {}
    return f"{str(target.get('kind', '')).lower()}/{target.get('name', '')}"


def _source(obj: Object) -> str:
    source = obj.get("source") or {}
    component, instance = source.get("component"), source.get("host", "")
    if not component:
        component = obj.get("reportingComponent") or obj.get("reportingController")
        instance = instance or obj.get("reportingInstance", "")
    return ", ".join(str(part) for part in (component, instance) if part)


_EVENT = (
    cell("Last Seen", _seen),
    text("Type", "type"),
    text("Reason", "reason"),
    cell("Object", _about),
    text("Subobject", "involvedObject", "fieldPath", priority=1),
    cell("Source", _source, priority=1),
    cell("Message", lambda obj: str(obj.get("message") or obj.get("note") or "").strip()),
    cell("First Seen", lambda obj: _seen(obj, first=True), priority=1),
    cell("Count", lambda obj: int(dig(obj, "series", "count") or obj.get("count") or 1), priority=1),
    Column(name="Name", cell=lambda obj: obj["metadata"].get("name", ""), format="name", priority=1),
)

COLUMNS: dict[str, tuple[Column, ...]] = {
    "pods": (
        NAME,
        cell("Ready", _pod_ready),
        cell("Status", pod_status),
        cell("Restarts", _restarts),
        AGE,
        cell("IP", _pod_ip, priority=1),
        text("Node", "spec", "nodeName", default=NONE, priority=1),
        text("Nominated Node", "status", "nominatedNodeName", default=NONE, priority=1),
        cell("Readiness Gates", _gates, priority=1),
    ),
    "services": (
        NAME,
        text("Type", "spec", "type"),
        text("Cluster-IP", "spec", "clusterIP", default=NONE),
        cell("External-IP", _external),
        cell("Port(s)", _ports),
        AGE,
        cell("Selector", lambda obj: labels_text(dig(obj, "spec", "selector")), priority=1),
    ),
    "endpoints": (NAME, cell("Endpoints", _endpoints), AGE),
    "endpointslices.discovery.k8s.io": (
        NAME,
        text("AddressType", "addressType"),
        cell("Ports", _slice_ports),
        cell("Endpoints", _slice_addresses),
        AGE,
    ),
    "events": _EVENT,
    "events.events.k8s.io": _EVENT,
}
