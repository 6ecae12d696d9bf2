"""Two nodes run side by side, and nothing outlives one: mounts, networks, control groups, processes, listeners."""

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
from tools.realnode.__main__ import tell
from tools.realnode.guard import control_groups
from tools.realnode.images import Builder, node_images
from tools.realnode.node import running

pytestmark = pytest.mark.timeout(900)


def _mounts() -> set[str]:
    return set(Path("/proc/self/mounts").read_text().splitlines())


def _namespaces() -> set[str]:
    """Networks of all processes."""
    found = set()
    for process in psutil.process_iter():
        try:
            found.add(os.readlink(f"/proc/{process.pid}/ns/net"))
        except OSError:
            continue
    return found


def _listening_outside() -> set[int]:
    """Ports of this machine that others could reach."""
    return {
        one.laddr.port
        for one in psutil.net_connections("inet")
        if one.status == psutil.CONN_LISTEN and not one.laddr.ip.startswith(("127.", "::1"))
    }


def test_two_run_side_by_side_and_nothing_outlives_one(site: Site, programs: Programs, tmp_path: Path) -> None:
    images = Builder(tell).build(node_images(programs))
    before = (_mounts(), _namespaces(), _listening_outside())
    with running(tmp_path, programs, images, tell) as second:
        assert "Ready" in second.kubectl("get", "nodes")
        assert second.kubectl("get", "namespaces").count("okd-style") == 0
        assert site.node.kubectl("get", "namespaces").count("okd-style") == 1
        assert _mounts() == before[0]
        assert _listening_outside() == before[2]
        name = second.machine.name
        assert any(folder.exists() for folder in control_groups(name))
    assert not any(folder.exists() for folder in control_groups(name))
    assert (_mounts(), _namespaces(), _listening_outside()) == before
    assert not [each for each in psutil.process_iter(["cmdline"]) if str(tmp_path) in " ".join(each.info["cmdline"])]
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
