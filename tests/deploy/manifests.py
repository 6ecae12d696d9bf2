"""What `kubectl kustomize` makes of an overlay of deploy/, as objects, and where the parts of a program stand in
them.
"""

import shutil
import subprocess
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tools.realcluster.build import ALL, cache

ROOT = Path(__file__).resolve().parent.parent.parent
OVERLAYS = sorted(path.parent.name for path in (ROOT / "deploy/overlays").glob("*/kustomization.yaml"))
Object = dict[str, Any]


def kubectl() -> str:
    """kubectl on PATH, or the real cluster's where that was built once; the test is skipped where there is none."""
    found = shutil.which("kubectl")
    built = next(cache() / item.key() / "kubectl" for item in ALL if item.name == "kubernetes")
    if found is None and built.is_file():
        found = str(built)
    if found is None:
        pytest.skip("needs kubectl on PATH")
    return found


@lru_cache
def text(overlay: str, root: Path = ROOT) -> str:
    """The overlay's manifests as one YAML text."""
    done = subprocess.run(
        [kubectl(), "kustomize", str(root / "deploy/overlays" / overlay)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def objects(overlay: str, namespace: str = "okd-style") -> list[Object]:
    """The overlay's objects, in a namespace (and with cluster-wide names) of the test's own."""
    return [document for document in yaml.safe_load_all(text(overlay).replace("okd-style", namespace)) if document]


def named(found: list[Object], kind: str, name: str) -> Object:
    """The only object of that kind whose name is `name`, or `name` and a hash of its content."""
    same = [
        item
        for item in found
        if item["kind"] == kind
        and (item["metadata"]["name"] == name or item["metadata"]["name"].rpartition("-")[0] == name)
    ]
    exact = [item for item in same if item["metadata"]["name"] == name]
    (obj,) = exact or same
    return obj


def template(obj: Object) -> Object | None:
    """The Pod template of a workload; None for anything else."""
    found = (obj.get("spec") or {}).get("template")
    return found if isinstance(found, dict) and "spec" in found else None


def containers(pod: Object) -> list[Object]:
    """Of a template, the ones that run before included."""
    return [*pod["spec"].get("initContainers", []), *pod["spec"]["containers"]]
