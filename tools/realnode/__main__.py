"""`make real-node`: builds what is missing, starts the node, prints its kubeconfig, and ends it on Ctrl-C.

    python -m tools.realnode [--data DIR] [--olm [v0|v1|all]] [--argocd] [--console --port PORT] [--build-only]

With `--olm`, OLM runs in it with a catalog of SampleDB: OLM v0, OLM v1 or both. With `--argocd`, OLM v0 also has a
catalog of Argo CD's operator. With `--console` the console runs in it as deploy/overlays/tutorial has it, at
http://localhost:PORT.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path

from tools.realcluster.__main__ import port_problem
from tools.realcluster.build import BuildFailed
from tools.realcluster.process import PartFailed

from . import argocd, console, olm, olmv1, packages
from .images import Builder, ImageFailed, console_images, node_images, olm_images, public_images
from .node import RealNode, running
from .programs import OLM_VERSIONS, build_programs

ROOT = Path(__file__).resolve().parent.parent.parent


def print_progress(text: str) -> None:
    """A line of progress."""
    print(f"real-node: {text}", flush=True)


def start_olm(node: RealNode, images: dict[str, Path], versions: tuple[str, ...]) -> None:
    """Pushes the images, and returns when each version has its catalog; PartFailed."""
    node.push(images)
    for version in versions:
        seconds = {"v0": olm, "v1": olmv1}[version].apply(node)
        print_progress(f"OLM {version} has its catalog after {seconds:.0f} s")


def main() -> int:
    """The exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.realnode", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=ROOT / ".data" / "real-node", help="emptied at the start")
    parser.add_argument(
        "--olm",
        nargs="?",
        const=OLM_VERSIONS[0],
        choices=(*OLM_VERSIONS, "all"),
        help="with this version of OLM, or all, and SampleDB in its catalog",
    )
    parser.add_argument("--argocd", action="store_true", help="with Argo CD's operator in a catalog of OLM v0")
    parser.add_argument("--console", action="store_true", help="with the console of deploy/overlays/tutorial")
    parser.add_argument("--port", default="9000", help="of the console")
    parser.add_argument("--build-only", action="store_true")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    if options.argocd and options.olm not in ("v0", "all") and not options.build_only:
        parser.error("--argocd needs --olm v0 or all")
    if options.console and not options.build_only and (problem := port_problem(options.port)):
        print_progress(problem)
        return 2
    try:
        packages.install(print_progress)
        # The tests take all.
        with_console = options.console or options.build_only
        every = options.build_only or options.olm == "all"
        versions = OLM_VERSIONS if every else (options.olm,) if options.olm else ()
        programs = build_programs(print_progress, olm=versions, public=options.build_only)
        builder = Builder(print_progress)
        archives = builder.build(node_images(programs) + (console_images() if with_console else ()))
        pushed = builder.build(olm_images(programs, versions)) if versions else {}
        offered = argocd.build(builder, print_progress) if options.argocd or options.build_only else None
        if options.build_only:
            builder.build(public_images(programs))
            return 0
        with running(options.data.resolve(), programs, archives, print_progress) as node:
            if pushed:
                start_olm(node, pushed, versions)
            if offered:
                print_progress(f"Argo CD is in OperatorHub after {offered.apply(node):.0f} s")
            print_progress(f"kubectl --kubeconfig {node.kubeconfig} get pods -A")
            _follow(node, int(options.port) if options.console else 0)
    except (BuildFailed, ImageFailed, PartFailed, packages.PackagesMissing) as problem:
        print_progress(str(problem))
        return 1
    except KeyboardInterrupt:
        return 0
    return 0


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _follow(node: RealNode, port: int) -> None:
    """Until it is interrupted, or a part of the node ends. ``port``: the console's; 0 for none."""
    forward = None
    if port:
        print_progress(f"the console is whole after {console.apply(node):.0f} s")
        forward = console.PortForward(node, port, print_progress)
        print_progress(f"http://localhost:{port}")
    print_progress("Ctrl-C ends everything")
    try:
        while True:
            node.check()
            time.sleep(1)
    finally:
        if forward:
            forward.stop()


if __name__ == "__main__":
    sys.exit(main())
