"""The Python of the images (deploy/Containerfile), where this machine has it, and environments made of its packages.

Newer Pythons are stricter (3.13: X.509), and the images have fewer packages, and these without what
deploy/slim.py removes: tests on the development environment see none of this.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV = ROOT / ".venv/bin/uv"
#: What the images install (deploy/Containerfile).
IMAGE_GROUPS = ("--no-default-groups", "--group", "tracing")


def image_version() -> str:
    """Major and minor version, "3.13", of the images."""
    return re.findall(r"/python:(\d+\.\d+)\.\d+-", (ROOT / "deploy/Containerfile").read_text())[-1]


def image_python() -> Path | None:
    """IMAGE_PYTHON, else the program on PATH, else pyenv's newest of that version; None where there is none."""
    version = image_version()
    if given := os.environ.get("IMAGE_PYTHON"):
        return Path(given)
    built = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python3"))
    found = [Path(path) for path in (shutil.which(f"python{version}"),) if path] + built[::-1]
    # A shim of pyenv is on PATH also where its version isn't chosen: ask each program.
    return next((path for path in found if _version(path) == version), None)


def _version(python: Path) -> str:
    asked = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([str(python), "-c", asked], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def install(python: Path, folder: Path, *groups: str) -> None:
    """An environment in `folder` with the packages that uv.lock pins. Raises CalledProcessError."""
    # A link to the cache, where it is on the same disk, takes seconds and no room.
    values = {**os.environ, "UV_PROJECT_ENVIRONMENT": str(folder), "UV_PYTHON_DOWNLOADS": "never"}
    command = [str(UV), "sync", "--frozen", "--quiet", "--python", str(python), *groups]
    for last in (False, True):  # a registry that stumbled is asked again
        done = subprocess.run(command, cwd=ROOT, env=values, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return
        if last:
            raise RuntimeError(f"uv sync failed:\n{done.stderr[-2000:]}")
