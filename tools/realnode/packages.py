"""The Debian packages that a node needs; installed where this runs as root, named where it doesn't."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable

#: Program → Debian package. Programs that live outside PATH are named by their path.
_PROGRAMS = {
    "containerd": "containerd",
    "runc": "runc",
    "/usr/lib/cni/bridge": "containernetworking-plugins",
    "iptables": "iptables",
    "conntrack": "conntrack",
    "buildah": "buildah",
    "debootstrap": "debootstrap",
    "skopeo": "skopeo",
    "unshare": "util-linux",
    "mount": "mount",
    "ip": "iproute2",
    "sysctl": "procps",
}
_INSTALL_SECONDS = 900


class PackagesMissing(Exception):
    """A sentence that says which packages are missing, and how to get them."""


def missing() -> list[str]:
    """The packages whose programs aren't on this machine."""
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
    return sorted({package for program, package in _PROGRAMS.items() if shutil.which(program, path=path) is None})


def install(say: Callable[[str], None]) -> None:
    """Installs what is missing; PackagesMissing."""
    if os.geteuid() != 0:
        wanted = f"; missing here: apt-get install {' '.join(missing())}" if missing() else ""
        raise PackagesMissing(f"a node needs root: it makes namespaces, mounts and control groups{wanted}")
    wanted = missing()
    if not wanted:
        return
    if shutil.which("apt-get") is None:
        raise PackagesMissing(f"install these first: {', '.join(wanted)}")
    say(f"installing {' '.join(wanted)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *wanted],
    ):
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False
        )
        if done.returncode:
            raise PackagesMissing(f"{' '.join(command[:2])} failed: {done.stderr[-1000:]}")
