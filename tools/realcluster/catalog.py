"""The file-based catalogs that opm serves: the project's own bundles, the real ones beside the checkout where they
are, and more folders.

Bundles carry their manifests inline (olm.bundle.object) and no image, so OLM installs them without a registry. Each is
made once per content and kept in the build cache: 268 packages take a while. They are named as the sandbox names its
catalogs.
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
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from sandbox.catalog.manifests import metadata_properties

from .build import ALL, Module, cache

ROOT = Path(__file__).resolve().parent.parent.parent
OWN = ROOT / "examples" / "operators" / "packages"
SHARED = ROOT.parent / "shared"
MAKE_FBC = SHARED / "tools" / "make_fbc.py"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Catalog:
    """``folder``: with `configs` to serve and opm's own `cache`."""

    folder: Path
    title: str
    publisher: str


def about(folder: Path) -> dict[str, str]:
    """What the folder's catalog.json says of it: name, displayName, publisher."""
    path = folder / "catalog.json"
    return dict(json.loads(path.read_text())) if path.exists() else {}


def build(
    opm: Path, say: Callable[[str], None], more: tuple[Path, ...] = (), work: Path | None = None
) -> dict[str, Catalog]:
    """Each catalog by name.

    ``more``: folders of bundles to add. ``work``: where Argo CD's package is made if none is beside us.
    """
    folders = [OWN, *([SHARED / "catalog" / "packages"] if MAKE_FBC.is_file() else []), *more]
    if work is not None and not any((folder / "argocd-operator").is_dir() for folder in folders):
        folders.append(argocd_package(cache() / _argocd_bundle().key() / "manifests", work))
    found: dict[str, Catalog] = {}
    for folder in folders:
        packages = [path.parent.name for path in folder.glob("*/package.json")]
        base = about(folder).get("name") or (f"{packages[0]}-catalog" if len(packages) == 1 else "community-catalog")
        name = next(item for item in (base, *(f"{base}-{number}" for number in range(2, 9))) if item not in found)
        description = about(folder)
        title = description.get("displayName", "Community Operators")
        publisher = description.get("publisher", "OperatorHub.io")
        found[name] = Catalog(_build(opm, folder, say), title, publisher)
    return found


def argocd_package(manifests: Path, target: Path) -> Path:
    """The bundle that comes with the Argo CD operator's own module, as a folder of packages like
    examples/operators/packages.
    """
    csv_text = (manifests / "argocd-operator.clusterserviceversion.yaml").read_text()
    csv = yaml.safe_load(csv_text)
    name, version = csv["metadata"]["name"], str(csv["spec"]["version"])
    bundle = target / "argocd-operator" / version
    (bundle / "manifests").mkdir(parents=True, exist_ok=True)
    (bundle / "csv.yaml").write_text(csv_text)
    for path in manifests.glob("*.yaml"):
        if "clusterserviceversion" not in path.name:
            shutil.copyfile(path, bundle / "manifests" / path.name)
    package = {
        "name": "argocd-operator",
        "displayName": csv["spec"]["displayName"],
        "defaultChannel": "alpha",
        "channels": [{"name": "alpha", "head": name, "entries": [{"name": name, "version": version}]}],
        "bundles": [{"name": name, "version": version, "path": version}],
    }
    (target / "argocd-operator" / "package.json").write_text(json.dumps(package))
    # The name that the tutorials use.
    (target / "catalog.json").write_text(json.dumps({"name": "community-catalog"}))
    return target


def _argocd_bundle() -> Module:
    return next(module for module in ALL if module.name == "argocd-bundle")


def _build(opm: Path, source: Path, say: Callable[[str], None]) -> Path:
    target = cache() / f"catalog-{_key(source)}"
    if target.is_dir():
        return target
    say(f"rendering the catalog of {source.parent.name}/{source.name} …")
    cache().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache(), prefix=".catalog-") as work:
        configs = Path(work) / "made" / "configs"
        if source.is_relative_to(SHARED):
            command = [sys.executable, str(MAKE_FBC), str(source), str(configs)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        else:
            configs.mkdir(parents=True)
            lines = [json.dumps(blob) + "\n" for blob in package_blobs(source)]
            (configs / "catalog.json").write_text("".join(lines))
        subprocess.run([str(opm), "validate", str(configs)], check=True, capture_output=True)
        # opm builds its cache here, so that serving begins at once.
        command = [str(opm), "serve", str(configs), f"--cache-dir={Path(work) / 'made' / 'cache'}", "--cache-only"]
        subprocess.run([*command, "--pprof-addr="], check=True, capture_output=True)
        shutil.move(Path(work) / "made", target)
    return target


def _key(source: Path) -> str:
    seen = hashlib.sha256(Path(__file__).read_bytes())
    shared = source.is_relative_to(SHARED)
    for path in sorted(path for path in source.rglob("*") if path.is_file()):
        seen.update(f"{path.relative_to(source)}\0{path.stat().st_size}\0".encode())
        # The shared bundles never change; ours do while they are being written.
        seen.update(b"" if shared else path.read_bytes())
    return seen.hexdigest()[:16]


def package_blobs(packages: Path) -> Iterator[dict[str, Any]]:
    """The packages under a folder (laid out as examples/operators/packages) as olm.package, olm.channel and
    olm.bundle.
    """
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
        if entries := list(_deprecations(meta)):
            yield {"schema": "olm.deprecations", "package": name, "entries": entries}


def _deprecations(meta: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The entries of olm.deprecations: of the package, its channels and its bundles, each named once."""
    about: dict[tuple[str, str], dict[str, str]] = {("olm.package", ""): meta.get("deprecation") or {}}
    for channel in meta["channels"]:
        about["olm.channel", channel["name"]] = channel.get("deprecation") or {}
        about |= {
            ("olm.bundle", entry["name"]): entry["deprecation"]
            for entry in channel["entries"]
            if "deprecation" in entry
        }
    for (schema, name), deprecation in about.items():
        if deprecation:
            reference = {"schema": schema, "name": name} if name else {"schema": schema}
            yield {"reference": reference, "message": deprecation["message"]}


def _bundle(package: str, name: str, folder: Path) -> dict[str, Any]:
    objects = [obj for path in _manifests(folder) for obj in yaml.load_all(path.read_text(), _LOADER) if obj]
    version = _csv(objects)["spec"]["version"]
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
    for prop in _more_properties(folder, _csv(objects)):
        if prop not in properties:
            properties.append(prop)
    for obj in objects:
        data = base64.b64encode(json.dumps(obj, default=str).encode()).decode()
        properties.append({"type": "olm.bundle.object", "value": {"data": data}})
    return {"schema": "olm.bundle", "name": name, "package": package, "image": "", "properties": properties}


def _csv(objects: list[dict[str, Any]]) -> dict[str, Any]:
    return next(obj for obj in objects if obj["kind"] == "ClusterServiceVersion")


def _more_properties(folder: Path, csv: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Those of the bundle's metadata; kinds that the CSV requires become requirements, as opm renders them."""
    yield from map(dict, metadata_properties(folder))
    required_kinds = (csv["spec"].get("customresourcedefinitions") or {}).get("required") or []
    for crd in required_kinds:
        value = {"group": crd["name"].partition(".")[2], "kind": crd["kind"], "version": crd["version"]}
        yield {"type": "olm.gvk.required", "value": value}


def _manifests(folder: Path) -> list[Path]:
    return [folder / "csv.yaml", *sorted((folder / "crds").glob("*")), *sorted((folder / "manifests").glob("*"))]
