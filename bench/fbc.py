"""A folder of bundles as one file-based catalog with everything inline: what a large catalog weighs.

`python -m bench.fbc FOLDER FILE`.
"""

import base64
import json
import sys
from pathlib import Path
from typing import Any

import django

from operatorhub.sources import folder
from operatorhub.sources.drafts import BundleDraft, Contents, PackageDraft


def _bundle(one: BundleDraft, whole: Contents) -> dict[str, Any]:
    properties: list[dict[str, Any]] = [
        {"type": "olm.package", "value": {"packageName": one.package, "version": one.version}}
    ]
    for obj in (whole.csv, *whole.crds, *whole.others):
        data = base64.b64encode(json.dumps(obj).encode()).decode()
        properties.append({"type": "olm.bundle.object", "value": {"data": data}})
    return {"schema": "olm.bundle", "name": one.name, "package": one.package, "image": "", "properties": properties}


def _package(one: PackageDraft) -> list[dict[str, Any]]:
    graph = one.graph
    channels = [
        {
            "schema": "olm.channel",
            "package": graph.package,
            "name": channel.name,
            "entries": [
                {"name": entry.name, "replaces": entry.replaces, "skips": list(entry.skips)}
                for entry in channel.entries
            ],
        }
        for channel in graph.channels
    ]
    return [{"schema": "olm.package", "name": graph.package, "defaultChannel": graph.default}, *channels]


def main(source: Path, target: Path) -> None:
    django.setup()
    with target.open("w") as sink:
        for one in folder.drafts(source, whole=False):
            if isinstance(one, PackageDraft):
                sink.writelines(f"{json.dumps(blob)}\n" for blob in _package(one))
            elif isinstance(one, BundleDraft):
                sink.write(f"{json.dumps(_bundle(one, folder.contents(source, one.place)))}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
