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


def _bundle(draft: BundleDraft, whole: Contents) -> dict[str, Any]:
    properties: list[dict[str, Any]] = [
        {"type": "olm.package", "value": {"packageName": draft.package, "version": draft.version}}
    ]
    for obj in (whole.csv, *whole.crds, *whole.others):
        data = base64.b64encode(json.dumps(obj).encode()).decode()
        properties.append({"type": "olm.bundle.object", "value": {"data": data}})
    return {"schema": "olm.bundle", "name": draft.name, "package": draft.package, "image": "", "properties": properties}


def _package(draft: PackageDraft) -> list[dict[str, Any]]:
    graph = draft.graph
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
        for draft in folder.drafts(source, whole=False):
            if isinstance(draft, PackageDraft):
                sink.writelines(f"{json.dumps(blob)}\n" for blob in _package(draft))
            elif isinstance(draft, BundleDraft):
                sink.write(f"{json.dumps(_bundle(draft, folder.contents(source, draft.place)))}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
