"""Two nodes run side by side, and nothing outlives one: mounts, networks, control groups, processes, listeners."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.eventually import until
from tests.node.conftest import Site
from tools.realcluster.build import Programs
from tools.realnode.__main__ import print_progress
from tools.realnode.guard import control_groups
from tools.realnode.images import Builder, node_images
from tools.realnode.node import running

pytestmark = pytest.mark.timeout(900)


def _networks() -> set[str]:
    """Of all processes of this machine."""
    found = set()
    for process in psutil.process_iter():
        with contextlib.suppress(OSError):
            found.add(os.readlink(f"/proc/{process.pid}/ns/net"))
    return found


def _listening_outside() -> set[int]:
    """Ports of this machine that others could reach."""
    return {
        found.laddr.port
        for found in psutil.net_connections("inet")
        if found.status == psutil.CONN_LISTEN and not found.laddr.ip.startswith(("127.", "::1"))
    }


def _processes(word: str) -> list[list[str]]:
    """Command lines that name it."""
    lines = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
    return [line for line in lines if any(word in argument for argument in line)]


def test_two_run_side_by_side_and_nothing_outlives_one(site: Site, programs: Programs, tmp_path: Path) -> None:
    """Other programs of this machine come and go meanwhile, so only what is the node's is looked for."""
    images = Builder(print_progress).build(node_images(programs))
    with running(tmp_path, programs, images, print_progress) as second:
        assert "Ready" in second.kubectl("get", "nodes")
        assert "okd-style" not in second.kubectl("get", "namespaces")
        assert "okd-style" in site.node.kubectl("get", "namespaces")
        assert str(tmp_path) not in Path("/proc/self/mounts").read_text()
        assert not _listening_outside() & {*second.layout.ports.values(), 10250, 10256}
        name, network = second.machine.name, os.readlink(f"/proc/{second.machine.pid}/ns/net")
        assert network in _networks()
        assert network != os.readlink(f"/proc/{site.node.machine.pid}/ns/net")
        assert any(folder.exists() for folder in control_groups(name))
        assert _processes(str(tmp_path))
    assert not any(folder.exists() for folder in control_groups(name))
    assert network not in _networks()
    assert not _processes(str(tmp_path))
    assert site.ask("/readyz")[0] == 200


def test_a_starter_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    """The guard notices, as its pipe closes."""
    script = (
        "import sys, time; from pathlib import Path; from tools.realnode.machine import Machine;"
        "machine = Machine(Path(sys.argv[1])); print(machine.pid, machine.name, flush=True); time.sleep(600)"
    )
    starter = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert starter.stdout is not None
    pid, name = starter.stdout.readline().split()
    assert psutil.pid_exists(int(pid))
    starter.send_signal(signal.SIGKILL)
    starter.wait()
    starter.stdout.close()
    until(lambda: not psutil.pid_exists(int(pid)), "its namespaces end", seconds=20)
    until(lambda: not any(folder.exists() for folder in control_groups(name)), "its control groups go", seconds=20)
