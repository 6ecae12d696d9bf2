"""The first process in a node's namespaces: prepares mounts and network, then waits for processes without a parent.

    python -m tools.realnode.keeper DATA

Writes `ready` when a node can be started. What it mounts is seen in the namespace alone.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from tools.realcluster.parts import SERVICES

#: The node's address. There is no dummy device on every kernel; Pods reach the node through their bridge.
ADDRESS = "10.89.0.1"
#: Where the node's own folders are, whatever the checkout's path: a socket's path is 107 bytes at most.
KUBELET, VOLUMES, CONTAINERD = "/run/kubelet", "/run/volumes", "/run/containerd"
#: The public name of deploy/overlays/public-…, and the address of a gateway's Service. manifests/dns.yaml tells Pods
#: the same; the API server asks dex for its keys by this name.
PUBLIC, GATEWAY = "console.example.com", "10.96.0.20"
#: What the kubelet sets for the whole machine. Here it sets files that lie over them.
_SWITCHES = (
    "vm/overcommit_memory",
    "vm/panic_on_oom",
    "kernel/panic",
    "kernel/panic_on_oops",
    "kernel/keys/root_maxkeys",
    "kernel/keys/root_maxbytes",
)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=sys.stderr)


def _mounts(data: Path) -> None:
    """Private folders where programs have a fixed place to write to."""
    _run("mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/run")
    # The CNI library keeps results there.
    Path("/var/lib/cni").mkdir(exist_ok=True)
    places = {"kubelet": KUBELET, "volumes": VOLUMES, "log": "/var/log", "cni-state": "/var/lib/cni"}
    for name, place in places.items():
        (data / name).mkdir(exist_ok=True)
        Path(place).mkdir(exist_ok=True)
        _run("mount", "--bind", str(data / name), place)
    hosts = Path("/run/hosts")
    hosts.write_text(f"{Path('/etc/hosts').read_text()}\n{GATEWAY} {PUBLIC}\n")
    _run("mount", "--bind", str(hosts), "/etc/hosts")
    for number, name in enumerate(_SWITCHES):
        switch, copy = Path("/proc/sys", name), Path(f"/run/switch-{number}")
        if switch.exists():
            copy.write_text(switch.read_text())
            _run("mount", "--bind", str(copy), str(switch))


def _network() -> None:
    _run("ip", "link", "set", "lo", "up")
    _run("ip", "addr", "add", f"{ADDRESS}/32", "dev", "lo")
    # kube-proxy rewrites Service addresses after the kernel has found a route, and the node has no default route.
    _run("ip", "route", "add", SERVICES, "dev", "lo")
    Path("/proc/sys/net/ipv4/ip_forward").write_text("1")


def main(data: str) -> None:
    """Runs until it is killed."""
    _mounts(Path(data))
    _network()
    print("ready", flush=True)
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            # Parts come from outside by nsenter: there is no child until one loses its parent.
            time.sleep(0.5)


if __name__ == "__main__":
    main(sys.argv[1])
