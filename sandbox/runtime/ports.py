"""Ports: free ones on this machine, and which one of a Pod a Service means."""

from __future__ import annotations

import secrets
import socket

from ..objects import Object, dig

#: Below the ports that systems give to outgoing connections (ip_local_port_range of Linux begins at 32768).
PORTS = range(20_000, 32_768)


def _bound_sockets() -> tuple[socket.socket, socket.socket]:
    """Sockets that are bound to a free port of 127.0.0.1: TCP, and the mark that the port is taken.

    The mark is the UDP port of the same number, which no program here uses: other clusters of this machine see it, and
    the system lets go of it whatever becomes of this process.
    """
    while True:
        place = ("127.0.0.1", secrets.choice(PORTS))
        bound, mark = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
        try:
            mark.bind(place)
            bound.bind(place)
        except OSError:
            bound.close()
            mark.close()
        else:
            return bound, mark


class ReservedPort:
    """A port of 127.0.0.1 for a program that will listen there, until close().

    Between its choice and the moment when its program listens, and while that starts again, no other Pod takes the
    port, also none of another cluster.
    """

    def __init__(self) -> None:
        bound, self._mark = _bound_sockets()
        self.number = int(bound.getsockname()[1])
        bound.close()

    def close(self) -> None:
        self._mark.close()


def bound_socket() -> socket.socket:
    """A socket that is bound to a free port of 127.0.0.1."""
    bound, mark = _bound_sockets()
    mark.close()
    return bound


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
