"""Ports: free ones on this machine, and which one of a Pod a Service means."""

from __future__ import annotations

import secrets
import socket

from ..objects import Object, dig

#: Below the ports that systems give to outgoing connections (ip_local_port_range of Linux begins at 32768): between the
#: choice of a port and the moment when a Pod's program listens there, nothing else takes it.
PORTS = range(20_000, 32_768)


def bound_socket() -> socket.socket:
    """A socket that is bound to a free port of 127.0.0.1."""
    while True:
        found = socket.socket()
        try:
            found.bind(("127.0.0.1", secrets.choice(PORTS)))
        except OSError:
            found.close()
        else:
            return found


def free_port() -> int:
    """A free port of 127.0.0.1, for a program that will listen there."""
    with bound_socket() as found:
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
