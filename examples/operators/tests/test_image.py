"""The stage `operator` of examples/operators/Containerfile: its steps work from a clean context, and every operator
starts from it.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from examples.operators.tests.image import OPERATORS
from examples.operators.tests.places import ROOT
from tests.api import Api
from tests.deploy.pods import unshare


@pytest.mark.timeout(400)
def test_its_steps_work_and_every_operator_starts(tmp_path: Path, api: Api) -> None:
    mounts = (
        "mkdir -p u w m && mount -t tmpfs tmpfs u && mkdir u/u u/w && mount -t overlay o -o"
        " lowerdir=/,upperdir=u/u,workdir=u/w m"
    )
    tried = subprocess.run([*unshare(), "sh", "-c", mounts], cwd=tmp_path, capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"needs overlay mounts: {tried.stderr.strip()}")
    work = tmp_path / "work"
    work.mkdir()
    command = [*unshare(), sys.executable, "-m", "examples.operators.tests.image", str(work), str(api.kubeconfig)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
    assert "\n/app/examples/__init__.py\n" in done.stdout
    assert [line.removeprefix("started: ") for line in done.stdout.splitlines() if line.startswith("started: ")] == [
        *OPERATORS
    ]
