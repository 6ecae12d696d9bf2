"""Builds the stage `operator` of examples/operators/Containerfile on this machine and starts each operator from it:
`python -m examples.operators.tests.image WORK KUBECONFIG`.

To be run inside a mount namespace; tests/deploy/image.py says how far this goes. Each operator runs as the image's
user, with nothing but what the stage copies and installs, until it says that it is well, and has to end politely. One
line of output for each.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from console.processes.parts import free_port
from examples.operators.tests.places import ROOT
from tests import processes
from tests.deploy.image import Stage, build

OPERATORS = ("sampledb", "flightticket", "memcached", "kudo", "argocd")


def run(stage: Stage, operator: str) -> None:
    """AssertionError when it does not come up, or does not end."""
    port = free_port()
    stage.values |= {
        "OPERATOR": operator,
        "SANDBOX_PORT_8080": str(port),
        "SANDBOX_PORT_8081": str(port),
        "WATCH_NAMESPACE": "default",
    }
    process = stage.run(stage.command)
    try:
        processes.until_healthy(process, port)
        process.terminate()
        assert process.wait(30) == 0, f"{operator} ended with {process.returncode}"
    finally:
        process.kill()
    sys.stdout.write(f"started: {operator}\n")
    sys.stdout.flush()


def main(work: Path, kubeconfig: Path) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(work)], check=True)
    stage = build(
        ROOT / "examples/operators/Containerfile", ROOT, work, frozenset({"tools", "packages", "code", "operator"})
    )
    there = stage.root / "kubeconfig"
    shutil.copy(kubeconfig, there)
    there.chmod(0o644)
    # The checkout is not in an image, though this machine's root, over which the stage lies, has it.
    program = "import examples; print(examples.__file__)"
    process = stage.run(["python", "-c", program])
    assert process.wait(60) == 0
    stage.values["KUBECONFIG"] = "/kubeconfig"
    for operator in OPERATORS:
        run(stage, operator)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
