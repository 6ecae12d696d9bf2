"""Writes a folder of bundles as one file-based catalog, a JSON object a line: ``python -m sandbox.olmv1.pack FOLDER
FILE``.

A process of its own, because of the YAML. Bundles carry their objects (olm.bundle.object), so that nothing has to be
pulled. The file's first line is the stamp of what was read: nothing is done when it still fits. Format:
https://olm.operatorframework.io/docs/reference/file-based-catalogs/
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..catalog.loader import package_folders
from ..catalog.manifests import bundle_objects, metadata_properties

Object = dict[str, Any]

FORMAT = "2"


def stamp(folder: Path) -> str:
    """Changes when a file of the folder does."""
    digest = hashlib.sha256(FORMAT.encode())
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        facts = path.stat()
        digest.update(f"{path.relative_to(folder)} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def blobs(package: Path) -> Iterator[Object]:
    """olm.package, olm.channel, olm.bundle and olm.deprecations of one package's folder."""
    meta = json.loads((package / "package.json").read_text(encoding="utf-8"))
    name = meta["name"]
    made = {item["name"]: bundle(name, item["name"], package / item["path"]) for item in meta["bundles"]}
    yield {"schema": "olm.package", "name": name, "defaultChannel": meta["defaultChannel"]}
    for channel in meta["channels"]:
        fields = ("name", "replaces", "skips", "skipRange")
        entries = [{key: entry[key] for key in fields if entry.get(key)} for entry in channel["entries"]]
        yield {"schema": "olm.channel", "package": name, "name": channel["name"], "entries": entries}
    yield from made.values()
    if deprecated := list(_deprecated(meta)):
        yield {"schema": "olm.deprecations", "package": name, "entries": deprecated}


def bundle(package: str, name: str, folder: Path) -> Object:
    """One olm.bundle."""
    objects = bundle_objects(folder)
    version = str(objects[0]["spec"].get("version", ""))
    properties: list[Object] = [{"type": "olm.package", "value": {"packageName": package, "version": version}}]
    for crd in (item for item in objects if item["kind"] == "CustomResourceDefinition"):
        spec = crd["spec"]
        for served in spec["versions"]:
            value = {"group": spec["group"], "kind": spec["names"]["kind"], "version": served["name"]}
            properties.append({"type": "olm.gvk", "value": value})
    properties += map(dict, metadata_properties(folder))
    for obj in objects:
        data = base64.b64encode(json.dumps(obj, separators=(",", ":")).encode()).decode()
        properties.append({"type": "olm.bundle.object", "value": {"data": data}})
    image = f"operator-console.dev/bundles/{package}:{version}"
    return {"schema": "olm.bundle", "package": package, "name": name, "image": image, "properties": properties}


def _deprecated(meta: Object) -> Iterator[Object]:
    def entry(schema: str, name: str, message: str) -> Object:
        return {"reference": {"schema": schema} | ({"name": name} if name else {}), "message": message}

    if meta.get("deprecation"):
        yield entry("olm.package", "", meta["deprecation"]["message"])
    seen = set()
    for channel in meta["channels"]:
        if channel.get("deprecation"):
            yield entry("olm.channel", channel["name"], channel["deprecation"]["message"])
        for item in channel["entries"]:
            if item.get("deprecation") and item["name"] not in seen:
                seen.add(item["name"])
                yield entry("olm.bundle", item["name"], item["deprecation"]["message"])


def main(arguments: list[str]) -> int:
    """0 when the file is written; what could not be read is reported on standard error."""
    folder, target = Path(arguments[0]), Path(arguments[1])
    head = json.dumps({"stamp": stamp(folder)})
    if target.exists() and target.open(encoding="utf-8").readline().rstrip("\n") == head:
        return 0
    os.nice(5)
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_suffix(".new")
    with draft.open("w", encoding="utf-8") as out:
        out.write(head + "\n")
        for package in package_folders(folder):
            try:
                lines = [json.dumps(blob, separators=(",", ":")) for blob in blobs(package)]
            except (OSError, ValueError, KeyError, TypeError) as error:
                # A command's output.
                print(f"package {package.name}: {type(error).__name__}: {error}", file=sys.stderr)  # noqa: T201
                continue
            out.writelines(f"{line}\n" for line in lines)
    draft.replace(target)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
