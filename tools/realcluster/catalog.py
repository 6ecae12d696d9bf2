"""The file-based catalog that opm serves: the project's own bundles, and the real ones beside the checkout where they are.

Bundles carry their manifests inline (olm.bundle.object) and no image, so OLM installs them without a registry. Made once per
content and kept in the build cache: 268 packages take a while.
"""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from .build import cache

ROOT = Path(__file__).resolve().parent.parent.parent
OWN = ROOT / "operators" / "packages"
SHARED = ROOT.parent / "shared"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def build(opm: Path, say: Callable[[str], None], more: tuple[Path, ...] = (), *, real: bool = True) -> Path:
    """The folder with `configs` to serve and opm's own `cache`; of our packages, those under ``more``, and with ``real`` ../shared/catalog."""
    packages, script = SHARED / "catalog" / "packages", SHARED / "tools" / "make_fbc.py"
    real = real and packages.is_dir() and script.is_file()
    ours = (OWN, *more)
    target = cache() / f"catalog-{_key(ours, (packages, script) if real else ())}"
    if target.is_dir():
        return target
    say("rendering the catalog …")
    cache().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache(), prefix=".catalog-") as work:
        configs = Path(work) / "made" / "configs"
        (configs / "own").mkdir(parents=True)
        with (configs / "own" / "catalog.json").open("w") as sink:
            for blob in (blob for folder in ours for blob in package_blobs(folder)):
                sink.write(json.dumps(blob) + "\n")
        if real:
            command = [sys.executable, str(script), str(packages), str(configs / "community")]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        subprocess.run([str(opm), "validate", str(configs)], check=True, capture_output=True)
        # opm builds its cache here, so that serving begins at once.
        subprocess.run(
            [str(opm), "serve", str(configs), "--cache-dir", str(Path(work) / "made" / "cache"), "--cache-only"],
            check=True,
            capture_output=True,
        )
        shutil.move(Path(work) / "made", target)
    return target


def _key(ours: tuple[Path, ...], shared: tuple[Path, ...]) -> str:
    seen = hashlib.sha256(Path(__file__).read_bytes())
    for place in (*ours, *shared):
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.is_file():
                seen.update(f"{path.relative_to(place.parent)}\0{path.stat().st_size}\0".encode())
                # The shared bundles never change; ours do while they are being written.
                seen.update(path.read_bytes() if place in ours else b"")
    return seen.hexdigest()[:16]


def package_blobs(packages: Path) -> Iterator[dict[str, Any]]:
    """The packages under a folder (laid out as operators/packages) as olm.package, olm.channel and olm.bundle."""
    for folder in sorted(path.parent for path in packages.glob("*/package.json")):
        meta = json.loads((folder / "package.json").read_text())
        name = meta["name"]
        yield {"schema": "olm.package", "name": name, "defaultChannel": meta["defaultChannel"]}
        stored = {bundle["name"] for bundle in meta["bundles"]}
        for channel in meta["channels"]:
            entries = [
                {key: entry[key] for key in ("name", "replaces", "skips", "skipRange") if key in entry}
                for entry in channel["entries"]
                if entry["name"] in stored
            ]
            yield {"schema": "olm.channel", "name": channel["name"], "package": name, "entries": entries}
        for bundle in meta["bundles"]:
            yield _bundle(name, bundle["name"], folder / bundle["path"])


def _bundle(package: str, name: str, folder: Path) -> dict[str, Any]:
    objects = [obj for path in _manifests(folder) for obj in yaml.load_all(path.read_text(), _LOADER) if obj]
    version = next(obj["spec"]["version"] for obj in objects if obj["kind"] == "ClusterServiceVersion")
    properties: list[dict[str, Any]] = [
        {"type": "olm.package", "value": {"packageName": package, "version": str(version)}}
    ]
    for obj in objects:
        if obj["kind"] == "CustomResourceDefinition":
            for served in obj["spec"]["versions"]:
                value = {
                    "group": obj["spec"]["group"],
                    "kind": obj["spec"]["names"]["kind"],
                    "version": served["name"],
                }
                properties.append({"type": "olm.gvk", "value": value})
    properties += _more_properties(folder / "metadata")
    for obj in objects:
        data = base64.b64encode(json.dumps(obj, default=str).encode()).decode()
        properties.append({"type": "olm.bundle.object", "value": {"data": data}})
    return {"schema": "olm.bundle", "name": name, "package": package, "image": "", "properties": properties}


def _more_properties(metadata: Path) -> Iterator[dict[str, Any]]:
    """Those of properties.yaml as they are; dependencies become requirements, as opm renders them."""
    for name, required in (("properties", False), ("dependencies", True)):
        path = metadata / f"{name}.yaml"
        for one in (yaml.safe_load(path.read_text()) or {}).get(name, []) if path.exists() else []:
            value = dict(one["value"])
            if required and one["type"] == "olm.package":
                value = {"packageName": value["packageName"], "versionRange": value["version"]}
            word = one["type"] if not required or one["type"] == "olm.constraint" else f"{one['type']}.required"
            yield {"type": word, "value": value}


def _manifests(folder: Path) -> list[Path]:
    return [folder / "csv.yaml", *sorted((folder / "crds").glob("*")), *sorted((folder / "manifests").glob("*"))]
