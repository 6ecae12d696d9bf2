"""Ports: free ones on this machine, and which one of a Pod a Service means."""

from __future__ import annotations

import secrets
import socket

from ..objects import Object, dig

#: Below the ports that systems give to outgoing connections (ip_local_port_range of Linux begins at 32768).
PORTS = range(20_000, 32_768)


class ReservedPort:
    """A port of 127.0.0.1 for a program that will listen there, until close().

    Between its choice and the moment when its program listens, and while that starts again, no other Pod takes the
    port, also none of another cluster of this machine: the UDP port of the same number, which no program here uses, is
    bound as a mark of it. The system lets go of it whatever becomes of this process.
    """

    def __init__(self) -> None:
        while True:
            self.number = secrets.choice(PORTS)
            self._mark = socket.socket(type=socket.SOCK_DGRAM)
            try:
                self._mark.bind(("127.0.0.1", self.number))
                with socket.socket() as tried:
                    tried.bind(("127.0.0.1", self.number))
            except OSError:
                self._mark.close()
            else:
                return

    def close(self) -> None:
        self._mark.close()


def bound_socket() -> socket.socket:
    """A socket that is bound to a free port of 127.0.0.1."""
    while True:
        reserved = ReservedPort()
        found = socket.socket()
        try:
            found.bind(("127.0.0.1", reserved.number))
        except OSError:
            found.close()
        else:
            return found
        finally:
            reserved.close()


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
