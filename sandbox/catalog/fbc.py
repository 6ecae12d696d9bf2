"""Reads a File-Based Catalog: a file or a folder of JSON or YAML with olm.package, olm.channel and olm.bundle blobs.

Bundles that carry their objects inline (olm.bundle.object) can be installed; their objects are written to one JSON file
each. Of a bundle that only names its image there is a description at most: it is shown, and installing it says why it
can not be. Source of the format: https://olm.operatorframework.io/docs/reference/file-based-catalogs/
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import yaml

from untrusted import yaml_bounds

from .assemble import BundleSource, assemble
from .manifests import Loader, Object, requirements
from .store import CatalogStore, StoredPackage


def files(source: Path) -> list[Path]:
    """The catalog's files, by path."""
    if source.is_file():
        return [source]
    return sorted(path for path in source.rglob("*") if path.suffix in (".json", ".yaml", ".yml") and path.is_file())


def blobs(path: Path) -> Iterator[Object]:
    """The blobs of one file: JSON objects one after the other, or YAML documents. ValueError that names the file."""
    text = path.read_text(encoding="utf-8")
    try:
        if path.suffix != ".json":
            yield from (item for item in yaml_bounds.load_all(text, Loader) if isinstance(item, dict))
            return
        decoder, position = json.JSONDecoder(), 0
        while position < len(text):
            if text[position].isspace():
                position += 1
                continue
            blob, position = decoder.raw_decode(text, position)
            if isinstance(blob, dict):
                yield blob
    except (ValueError, yaml.YAMLError) as error:
        raise ValueError(f"{path}: {error}") from error


def load(store: CatalogStore, catalog: str, source: Path, objects: Path) -> list[str]:
    """Brings the store up to date with the catalog; returns what could not be read.

    ``objects`` is where bundles are written.
    """
    found = files(source)
    now = _stamp(found)
    known = store.stamps(catalog)
    if known and set(known.values()) == {now}:
        return []
    packages: dict[str, list[Object]] = {}
    problems = []
    for path in found:
        try:
            for blob in blobs(path):
                name = blob.get("name") if blob.get("schema") == "olm.package" else blob.get("package")
                if name and str(blob.get("schema", "")).startswith("olm."):
                    packages.setdefault(str(name), []).append(blob)
        except (OSError, ValueError) as error:
            problems.append(str(error))
    store.remove(catalog, known.keys() - packages.keys())
    for name, members in packages.items():
        try:
            meta, sources = _package(name, members, objects)
            package, default, bundles = assemble(catalog, meta, sources)
            store.replace(replace(package, name=name), now, default, bundles)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            problem = f"package {name}: {type(error).__name__}: {error}"
            problems.append(problem)
            store.replace(
                StoredPackage(
                    catalog=catalog, name=name, labels={}, status=b"{}", icon=None, icon_type="", icon_tag=""
                ),
                now,
                "",
                [],
                error=problem,
            )
    return problems


def _stamp(found: list[Path]) -> str:
    digest = hashlib.sha256(b"fbc1")
    for path in found:
        facts = path.stat()
        digest.update(f"{path} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]


def _package(name: str, members: list[Object], objects: Path) -> tuple[Object, dict[str, BundleSource]]:
    """The package as package.json would tell it, and its bundles."""
    meta: Object = {"name": name, "defaultChannel": "", "channels": []}
    sources, icon = {}, None
    for blob in members:
        if blob["schema"] == "olm.package":
            meta["defaultChannel"] = blob.get("defaultChannel", "")
            icon = blob.get("icon")
        elif blob["schema"] == "olm.channel":
            meta["channels"].append({"name": blob["name"], "entries": blob["entries"]})
        elif blob["schema"] == "olm.bundle":
            sources[blob["name"]] = _bundle(blob, objects)
    for blob in members:
        if blob["schema"] == "olm.deprecations":
            _deprecate(meta, blob)
    for source in sources.values():
        if icon and not source.csv["spec"].get("icon"):
            source.csv["spec"]["icon"] = [
                {"base64data": icon.get("base64data", ""), "mediatype": icon.get("mediatype", "")}
            ]
    return meta, sources


def _bundle(blob: Object, objects: Path) -> BundleSource:
    inline, described, version = [], None, ""
    properties = blob.get("properties") or []
    apis, packages = requirements(properties)
    for entry in properties:
        value = entry.get("value") or {}
        if entry["type"] == "olm.bundle.object":
            inline.append(json.loads(base64.b64decode(value["data"])))
        elif entry["type"] == "olm.csv.metadata":
            described = value
        elif entry["type"] == "olm.package":
            version = str(value["version"])
    csv = next((item for item in inline if item.get("kind") == "ClusterServiceVersion"), None)
    if csv is None:
        return BundleSource(_described(blob, described or {}, version), objects / "absent.json", apis, packages)
    objects.mkdir(parents=True, exist_ok=True)
    place = objects / f"{blob['name']}.json"
    place.write_text(json.dumps([csv, *(item for item in inline if item is not csv)]), encoding="utf-8")
    return BundleSource(csv, place, apis, packages)


def _described(blob: Object, described: Object, version: str) -> Object:
    """A CSV from a bundle's olm.csv.metadata."""
    owned = {"customresourcedefinitions": described.get("crdDescriptions") or {}}
    words = ("description", "displayName", "installModes", "keywords", "links", "maintainers", "maturity", "provider")
    spec = {key: described[key] for key in (*words, "minKubeVersion", "nativeAPIs") if key in described}
    images = {"relatedImages": [image for image in blob.get("relatedImages") or [] if image.get("image")]}
    meta = {
        "name": blob["name"],
        "annotations": described.get("annotations") or {},
        "labels": described.get("labels") or {},
    }
    return {"kind": "ClusterServiceVersion", "metadata": meta, "spec": {**spec, **owned, **images, "version": version}}


def _deprecate(meta: Object, blob: Object) -> None:
    """Puts the deprecations of an olm.deprecations blob where they belong."""
    for entry in blob.get("entries") or []:
        about, message = entry["reference"], {"message": entry["message"]}
        if about["schema"] == "olm.package":
            meta["deprecation"] = message
        for channel in meta["channels"]:
            if about["schema"] == "olm.channel" and about.get("name") == channel["name"]:
                channel["deprecation"] = message
            for member in channel["entries"]:
                if about["schema"] == "olm.bundle" and about.get("name") == member["name"]:
                    member["deprecation"] = message
