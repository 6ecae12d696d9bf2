"""`make real-cluster`: builds what is missing, starts the cluster, prints its kubeconfig, and stops it on Ctrl-C.

    python -m tools.realcluster [--data DIR] [--packages DIR] [--without-olm] [--build-only]
        [--free-port PORT] [-- COMMAND …]

With a command, the cluster lives as long as the command, which finds it in KUBECONFIG; its code is the exit code.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from .build import BuildFailed, build, build_dex, print_progress
from .cluster import RealCluster, running
from .process import PartFailed

ROOT = Path(__file__).resolve().parent.parent.parent


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.realcluster", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=ROOT / ".data" / "real", help="emptied at the start")
    parser.add_argument("--without-olm", action="store_true", help="only the control plane and its nodes")
    parser.add_argument(
        "--packages", type=Path, action="append", default=[], help="a folder of bundles to add to its catalog"
    )
    parser.add_argument("--build-only", action="store_true")
    parser.add_argument(
        "--free-port", default="", help="checked before anything is built: the command will listen there"
    )
    parser.add_argument("command", nargs="*", help="ends the cluster when it ends")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    if options.free_port and (problem := port_problem(options.free_port)):
        print_progress(problem)
        return 2
    try:
        if options.build_only:
            # First what other tests than the cluster's want too.
            build_dex(print_progress)
        programs = build(print_progress)
        if options.build_only:
            return 0
        data, packages = options.data.resolve(), tuple(path.resolve() for path in options.packages)
        with running(data, programs, print_progress, packages, with_olm=not options.without_olm) as cluster:
            print_progress(f"kubectl --kubeconfig {_short(cluster.kubeconfig)} get pods -A")
            return _follow(cluster, options.command)
    except (BuildFailed, PartFailed) as problem:
        print_progress(str(problem))
        return 1
    except KeyboardInterrupt:
        return 0


def port_problem(port: str) -> str:
    """Why the command can't listen there, or ``""``: checked before the build, which takes minutes."""
    if not port.isdigit() or not 0 < int(port) < 65536:
        return f"PORT={port} is not a port: use a number from 1 to 65535"
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", int(port)))
        except OSError as error:
            return f"port {port} can't be used ({error.strerror}): end what listens there, or choose another with PORT="
    return ""


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _follow(cluster: RealCluster, command: list[str]) -> int:
    """Until the command ends, or a part of the cluster does."""
    if not command:
        print_progress("Ctrl-C stops everything")
        while True:
            cluster.check()
            time.sleep(1)
    environment = {**os.environ, "KUBECONFIG": str(cluster.kubeconfig), "PATH": cluster.programs.search_path}
    with subprocess.Popen(command, env=environment) as process:
        try:
            while process.poll() is None:
                cluster.check()
                time.sleep(0.5)
        finally:
            if process.poll() is None:
                process.terminate()
    return process.returncode


def _short(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


if __name__ == "__main__":
    sys.exit(main())
