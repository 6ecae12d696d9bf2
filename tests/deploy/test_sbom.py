"""What the image contains is listed for those who check it: the packages of both lock files, and none for tests."""

import json
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.conftest import ROOT


def _components(file: Path) -> dict[str, Any]:
    document = json.loads(file.read_text())
    assert document["bomFormat"] == "CycloneDX"
    return {component["name"]: component for component in document["components"]}


def test_the_packages_of_both_lock_files(tmp_path: Path) -> None:
    subprocess.run(["make", "--silent", "sbom", f"SBOM={tmp_path}"], cwd=ROOT, check=True, timeout=120)
    python = _components(tmp_path / "python.cdx.json")
    assert python["django"]["version"] == version("django")
    assert python["kubernetes"]["purl"].startswith("pkg:pypi/kubernetes@")
    assert "pytest" not in python
    front_end = _components(tmp_path / "front-end.cdx.json")
    assert "happy-dom" not in front_end
    assert (
        front_end["htmx.org"]["version"] == json.loads((ROOT / "package.json").read_text())["dependencies"]["htmx.org"]
    )
