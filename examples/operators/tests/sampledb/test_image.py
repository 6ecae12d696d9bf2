"""The images of examples/operators/Containerfile, as far as they can be tried without a container engine: what is
copied in is enough.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from examples.operators.sampledb.__main__ import ROLES
from tests.deploy.image import steps

ROOT = Path(__file__).resolve().parents[4]
CONTAINERFILE = ROOT / "examples" / "operators" / "Containerfile"


def copied(stage: str, folder: Path) -> Path:
    """A folder with what a stage copies from the checkout."""
    current = ""
    for word, rest in steps(CONTAINERFILE.read_text()):
        if word == "FROM":
            current = rest.partition(" AS ")[2]
        elif word == "COPY" and current == stage and not rest.startswith("--from="):
            *sources, target = rest.split()
            for source in sources:
                place = folder / target / (Path(source).name if target.endswith("/") else "")
                place.parent.mkdir(parents=True, exist_ok=True)
                if (ROOT / source).is_dir():
                    shutil.copytree(ROOT / source, place, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copy(ROOT / source, place)
    return folder


@pytest.mark.parametrize("role", ROLES)
def test_the_engines_roles_need_no_package(tmp_path: Path, role: str) -> None:
    place = copied("sampledb-engine", tmp_path)
    # -S: without site-packages, as the engine's image is.
    command = [
        sys.executable,
        "-S",
        "-B",
        "-c",
        f"import examples.operators.sampledb.__main__, examples.operators.sampledb.{role}",
    ]
    done = subprocess.run(command, cwd=place, env={"PATH": os.defpath}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_operator_imports_what_its_image_installs_and_nothing_else(tmp_path: Path) -> None:
    place = copied("code", tmp_path)
    others = ("django", "redis", "celery", "psutil", "sandbox", "kube", "console")
    program = (
        f"import sys; import examples.operators.sampledb.operator; print([one for one in {others} if one in"
        " sys.modules])"
    )
    done = subprocess.run([sys.executable, "-B", "-c", program], cwd=place, capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_the_pods_run_as_the_user_of_the_image() -> None:
    text = CONTAINERFILE.read_text()
    users = [rest for word, rest in steps(text) if word == "USER"]
    assert users[0] == "root" and set(users[1:]) == {"10001"}, "root only where the engine's image is made"
    csv = yaml.safe_load((ROOT / "examples/operators/packages/sampledb/1.0.0/csv.yaml").read_text())
    (deployment,) = csv["spec"]["install"]["spec"]["deployments"]
    (container,) = deployment["spec"]["template"]["spec"]["containers"]
    assert container["securityContext"]["runAsNonRoot"], "a number, so the kubelet can tell"
