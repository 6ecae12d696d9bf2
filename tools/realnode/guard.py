"""Holds a node's namespaces and control groups for as long as its starter lives, and takes them away after it, however
that ended.

    python -m tools.realnode.guard DATA NAME

Standard input is the starter's end of a pipe: when it closes, everything in the namespaces is killed, their mounts and
network go with them, and the control groups are removed. Writes the process ID of the first process in the namespaces
once they are ready.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

_REMOVE_SECONDS = 15.0


def control_groups(name: str) -> list[Path]:
    """The folder of this name in each mounted hierarchy, of either version."""
    found = []
    for line in Path("/proc/self/mounts").read_text(encoding="utf-8").splitlines():
        _source, mount, kind, *_ = line.split()
        if kind in ("cgroup", "cgroup2"):
            found.append(Path(mount) / name)
    return found


def make_control_groups(name: str) -> None:
    """The kubelet wants the group below which it makes its own to be there in each hierarchy."""
    for folder in control_groups(name):
        folder.mkdir(exist_ok=True)
        for setting in ("cpuset.cpus", "cpuset.mems"):
            # In version 1 a new group has no processor, and can run nothing.
            if (folder / setting).exists():
                (folder / setting).write_text((folder.parent / setting).read_text())


def remove_control_groups(name: str) -> None:
    """Waits for the last processes in them."""
    until = time.monotonic() + _REMOVE_SECONDS
    left = [folder for folder in control_groups(name) if folder.exists()]
    while left and time.monotonic() < until:
        for folder in left:
            for inner in sorted((path for path in folder.rglob("*") if path.is_dir()), reverse=True):
                with contextlib.suppress(OSError):
                    inner.rmdir()
            with contextlib.suppress(OSError):
                folder.rmdir()
        left = [folder for folder in left if folder.exists()]
        time.sleep(0.1)


def main(data: str, name: str) -> int:
    """Until standard input closes."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    make_control_groups(name)
    namespaces = ["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--propagation", "private"]
    keeper = [sys.executable, "-m", "tools.realnode.keeper", data]
    with subprocess.Popen(
        ["unshare", *namespaces, "--", *keeper], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        if process.stdout.readline().strip() == "ready":
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="utf-8")
            print(children.split()[0], flush=True)
            # Until the starter closes its end of the pipe, or the kernel does when it ends.
            os.read(0, 1)
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(children.split()[0]), signal.SIGKILL)
        process.kill()
    remove_control_groups(name)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
