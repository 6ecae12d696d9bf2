"""Reads a folder of bundles into the catalog store: ``python -m sandbox.catalog.loader STORE CATALOG FOLDER``.

A process of its own, so that 15 MB of YAML neither block the API server nor stay in its memory. Only packages whose files
changed are read; each is there for clients as soon as it has been read. Prints one line for each package that can not be.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

from .description import describe, icon, labels
from .manifests import Object, csv_of, dependencies, provided, required
from .store import Bundle, CatalogStore, Package

#: Goes into the stamps: a change here reads every package again.
FORMAT = "1"


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


def read(catalog: str, folder: Path) -> tuple[Package, str, list[Bundle]]:
    """A package, its default channel and its bundles. Only bundles that are stored can be installed, so only they count."""
    meta = json.loads((folder / "package.json").read_text(encoding="utf-8"))
    csvs = {entry["name"]: (csv_of(folder / entry["path"]), folder / entry["path"]) for entry in meta["bundles"]}
    bundles: list[Bundle] = []
    channels: list[Object] = []
    for channel in sorted(meta["channels"], key=lambda channel: str(channel["name"])):
        members = stored_members(channel, set(csvs))
        for position, entry in enumerate(members):
            csv, place = csvs[entry["name"]]
            bundles.append(_bundle(catalog, meta["name"], channel["name"], position, entry, csv, place))
        if members:
            channels.append(_channel(channel["name"], members, csvs[members[0]["name"]][0]))
    if not channels:
        raise ValueError(f"{folder}: none of its bundles is in a channel")
    names = [channel["name"] for channel in channels]
    default = meta.get("defaultChannel") if meta.get("defaultChannel") in names else names[0]
    head = next(channel for channel in channels if channel["name"] == default)
    csv = csvs[head["currentCSV"]][0]
    image = icon(csv)
    tag = f'"{meta["name"]}.{default}.{head["currentCSV"]}"' if image else ""
    status = {
        "provider": head["currentCSVDesc"]["provider"],
        "packageName": meta["name"],
        "channels": channels,
        "defaultChannel": default,
    }
    if meta.get("deprecation"):
        status["deprecation"] = {"message": str(meta["deprecation"].get("message", ""))}
    data, media_type = image or (None, "")
    body = json.dumps(status, separators=(",", ":")).encode()
    return Package(catalog, meta["name"], labels(csv), body, data, media_type, tag), str(default), bundles


def stored_members(channel: Object, stored: set[str]) -> list[Object]:
    """The channel's stored entries from its head down, with ``replaces`` led past the entries that are not stored."""
    entries = {entry["name"]: entry for entry in channel["entries"]}
    replaced = {entry.get("replaces") for entry in channel["entries"]}
    heads = [channel["head"]] if channel.get("head") in entries else [name for name in entries if name not in replaced]
    ordered: list[str] = []
    for head in heads:
        name = head
        while name in entries and name not in ordered:
            ordered.append(name)
            name = entries[name].get("replaces", "")
    ordered += [name for name in entries if name not in ordered]
    return [
        {**entries[name], "replaces": _stored_ancestor(entries, name, stored)} for name in ordered if name in stored
    ]


def _stored_ancestor(entries: dict[str, Object], name: str, stored: set[str]) -> str:
    seen = {name}
    current = str(entries[name].get("replaces", ""))
    while current in entries and current not in stored and current not in seen:
        seen.add(current)
        current = str(entries[current].get("replaces", ""))
    return current if current in stored else ""


def _channel(name: str, members: list[Object], head: Object) -> Object:
    entries = []
    for member in members:
        entry: Object = {"name": member["name"], "version": str(member.get("version", ""))}
        if member.get("deprecation"):
            entry["deprecation"] = member["deprecation"]
        entries.append(entry)
    return {"name": str(name), "currentCSV": members[0]["name"], "currentCSVDesc": describe(head), "entries": entries}


def _bundle(catalog: str, package: str, channel: str, position: int, entry: Object, csv: Object, place: Path) -> Bundle:
    apis, packages = dependencies(place)
    needs = tuple(sorted({*required(csv), *apis} - provided(csv), key=str))
    return Bundle(
        catalog=catalog,
        package=package,
        channel=str(channel),
        position=position,
        name=entry["name"],
        version=str((csv.get("spec") or {}).get("version") or entry.get("version", "")),
        folder=str(place.resolve()),
        replaces=entry["replaces"],
        skips=tuple(entry.get("skips") or (csv.get("spec") or {}).get("skips") or ()),
        skip_range=str(
            entry.get("skipRange") or ((csv.get("metadata") or {}).get("annotations") or {}).get("olm.skipRange", "")
        ),
        provides=provided(csv),
        needs_apis=needs,
        needs_packages=tuple(packages),
    )


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
            store.replace(Package(catalog, path.name, {}, b"{}", None, "", ""), now, "", [], error=problem)
    return problems


def main(arguments: list[str]) -> int:
    """0 when the folder was read, with or without bad packages."""
    path, catalog, folder = arguments
    os.nice(5)
    store = CatalogStore(Path(path))
    for problem in load(store, catalog, Path(folder)):
        print(problem, flush=True)  # noqa: T201 - this is a command
    store.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
