"""Reads a folder of bundles, or a File-Based Catalog, into the catalog store: ``python -m sandbox.catalog.loader
STORE CATALOG FOLDER``.

A process of its own, so that 15 MB of YAML neither block the API server nor stay in its memory. Only packages whose
files changed are read; each is there for clients as soon as it has been read. Prints one line for each package that can
not be.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

from . import fbc
from .assemble import BundleSource, assemble
from .manifests import csv_of, metadata_properties, requirements
from .store import CatalogStore, ChannelBundle, StoredPackage

#: Goes into the stamps: a change here reads every package again.
FORMAT = "2"


def package_folders(folder: Path) -> list[Path]:
    """The packages under a folder, by name."""
    return sorted(path.parent for path in folder.glob("*/package.json"))


def stamp(folder: Path) -> str:
    """Changes when a file of the package does: names, sizes and times of the files that are read here."""
    digest = hashlib.sha256(FORMAT.encode())
    for pattern in ("package.json", "*/csv.yaml", "*/metadata/*"):
        for path in sorted(folder.glob(pattern)):
            facts = path.stat()
            digest.update(f"{path.relative_to(folder)} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]


def read(catalog: str, folder: Path) -> tuple[StoredPackage, str, list[ChannelBundle]]:
    """One package from its folder."""
    meta = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    sources = {}
    for entry in meta["bundles"]:
        place = folder / entry["path"]
        sources[entry["name"]] = BundleSource(csv_of(place), place, *requirements(metadata_properties(place)))
    return assemble(catalog, meta, sources)


def load(store: CatalogStore, catalog: str, folder: Path) -> list[str]:
    """Brings the store up to date with the folder; returns what could not be read."""
    known = store.stamps(catalog)
    present = package_folders(folder)
    problems = []
    store.remove(catalog, known.keys() - {path.name for path in present})
    for path in present:
        now = stamp(path)
        if known.get(path.name) == now:
            continue
        try:
            package, default, bundles = read(catalog, path)
            store.replace(replace(package, name=path.name), now, default, bundles)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            problem = f"package {path.name}: {type(error).__name__}: {error}"
            problems.append(problem)
            store.replace(
                StoredPackage(
                    catalog=catalog, name=path.name, labels={}, status=b"{}", icon=None, icon_type="", icon_tag=""
                ),
                now,
                "",
                [],
                error=problem,
            )
    return problems


def main(arguments: list[str]) -> int:
    """0 when the folder was read, with or without bad packages."""
    path, catalog, folder = arguments
    os.nice(5)
    store = CatalogStore(Path(path))
    source = Path(folder)
    if package_folders(source):
        problems = load(store, catalog, source)
    else:
        problems = fbc.load(store, catalog, source, Path(path).parent / "bundles" / catalog)
    for problem in problems:
        print(problem, flush=True)  # noqa: T201 - this is a command
    store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
