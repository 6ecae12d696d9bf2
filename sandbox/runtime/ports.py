"""Ports: free ones on this machine, and which one of a Pod a Service means."""

from __future__ import annotations

import socket

from ..objects import Object, dig


def free_port() -> int:
    """A port of 127.0.0.1 that nobody has at the moment."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def target_port(port: Object, pod: Object) -> int | None:
    """The Pod's port that a Service port means; None when the Pod has no port of that name."""
    target = port.get("targetPort") or port.get("port")
    if isinstance(target, int):
        return target
    if str(target).isdigit():
        return int(str(target))
    for container in dig(pod, "spec", "containers") or []:
        for item in container.get("ports") or []:
            if item.get("name") == target and item.get("protocol", "TCP") == port.get("protocol", "TCP"):
                return int(item["containerPort"])
    return None
