"""What the image contains is listed for those who check it: the packages of both lock files, and none for tests."""

import json
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.conftest import ROOT


def _packages(file: Path) -> set[tuple[str, str]]:
    """(name, version). uv.lock may have a package in several versions, each for other versions of Python."""
    document: dict[str, Any] = json.loads(file.read_text())
    assert document["bomFormat"] == "CycloneDX"
    return {(component["name"], component["version"]) for component in document["components"]}


def test_the_packages_of_both_lock_files(tmp_path: Path) -> None:
    subprocess.run(["make", "--silent", "sbom", f"SBOM={tmp_path}"], cwd=ROOT, check=True, timeout=120)
    python = _packages(tmp_path / "python.cdx.json")
    assert {(name, version(name)) for name in ("django", "kubernetes", "celery")} <= python
    # Nor what only `make run` needs.
    assert not {"pytest", "babel", "kopf", "fakeredis"} & {name for name, _version in python}
    front_end = _packages(tmp_path / "front-end.cdx.json")
    assert ("htmx.org", json.loads((ROOT / "package.json").read_text())["dependencies"]["htmx.org"]) in front_end
    assert "happy-dom" not in {name for name, _version in front_end}
