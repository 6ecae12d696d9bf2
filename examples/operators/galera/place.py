"""Where this node and the others are, from the environment: the same names in a container and on the embedded cluster.

Each node has a Service of its own, ``<instance>-node-<number>``, which leads to it from the moment that it runs; the
Service ``<instance>`` leads to all that are ready.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

PORT = 4567
#: As many nodes as an instance may have.
MOST = 7


def local_port(environment: Mapping[str, str] = os.environ) -> tuple[str | None, int]:
    """Host and port to listen on; no host: every address, IPv4's and IPv6's."""
    given = environment.get(f"SANDBOX_PORT_{PORT}")
    return ("127.0.0.1", int(given)) if given else (None, PORT)


def service(name: str, environment: Mapping[str, str] = os.environ) -> str:
    """The URL of a Service: what Kubernetes tells of it, else its DNS name."""
    prefix = re.sub(r"[^A-Z0-9_]", "_", name.upper()) + "_SERVICE_"
    host, port = environment.get(prefix + "HOST"), environment.get(prefix + "PORT")
    if host and port:
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    return f"http://{name}.{environment.get('GALERA_NAMESPACE', 'default')}.svc:{PORT}"


def node_name(instance: str, number: int) -> str:
    """The name of a node and of its Service."""
    return f"{instance}-node-{number}"


def number_of(node: str) -> int:
    """The number at the end of a Pod's or a node's name."""
    return int(node.rpartition("-")[2])


def folder(mount_path: str, environment: Mapping[str, str] = os.environ) -> Path:
    """Where a volume mounted at ``mount_path`` is: there in a container, elsewhere on the embedded cluster."""
    name = re.sub(r"[^0-9A-Za-z]", "_", mount_path).upper()
    return Path(environment.get(f"SANDBOX_MOUNT_{name}") or mount_path)
