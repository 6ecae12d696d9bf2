"""A package's rows from its bundles: channels with their entries, the description of each head, edges.

Pure functions.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from .description import describe, icon, labels
from .manifests import Api, Object, PackageRequirement, provided, required
from .store import ChannelBundle, StoredPackage
from .versions import Version


@dataclass(frozen=True, slots=True)
class BundleSource:
    """A stored bundle: its CSV, where its objects are (a folder or a JSON file), and what its metadata requires."""

    csv: Object
    place: Path
    apis: list[Api]
    packages: list[PackageRequirement]


def assemble(
    catalog: str, meta: Object, sources: dict[str, BundleSource]
) -> tuple[StoredPackage, str, list[ChannelBundle]]:
    """A package, its default channel and its bundles.

    Only bundles that are stored can be installed, so only they count.

    ``meta`` has name, defaultChannel and channels, as package.json does. ValueError when no stored bundle is in a
    channel.
    """
    bundles: list[ChannelBundle] = []
    channels: list[Object] = []
    for channel in sorted(meta["channels"], key=lambda channel: str(channel["name"])):
        members = stored_members(channel, set(sources))
        for position, entry in enumerate(members):
            bundles.append(
                _bundle(
                    catalog=catalog,
                    package=meta["name"],
                    channel=channel["name"],
                    position=position,
                    entry=entry,
                    source=sources[entry["name"]],
                )
            )
        if members:
            channels.append(_channel(channel, members, sources[members[0]["name"]].csv))
    if not channels:
        raise ValueError(f"{meta['name']}: none of its bundles is in a channel")
    names = [channel["name"] for channel in channels]
    default = meta.get("defaultChannel") if meta.get("defaultChannel") in names else names[0]
    head = next(channel for channel in channels if channel["name"] == default)
    csv = sources[head["currentCSV"]].csv
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
    return (
        StoredPackage(
            catalog=catalog,
            name=meta["name"],
            labels=labels(csv),
            status=body,
            icon=data,
            icon_type=media_type,
            icon_tag=tag,
        ),
        str(default),
        bundles,
    )


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


def _channel(channel: Object, members: list[Object], head: Object) -> Object:
    entries = []
    # The head comes first, then the others, the newest first.
    for member in [
        members[0],
        *sorted(members[1:], key=lambda item: Version(str(item.get("version", ""))), reverse=True),
    ]:
        entry: Object = {"name": member["name"], "version": str(member.get("version", ""))}
        if member.get("deprecation"):
            entry["deprecation"] = member["deprecation"]
        entries.append(entry)
    found = {
        "name": str(channel["name"]),
        "currentCSV": members[0]["name"],
        "currentCSVDesc": describe(head),
        "entries": entries,
    }
    return {**found, "deprecation": channel["deprecation"]} if channel.get("deprecation") else found


def _bundle(
    catalog: str, package: str, channel: str, position: int, entry: Object, source: BundleSource
) -> ChannelBundle:
    csv = source.csv
    needs = tuple(sorted({*required(csv), *source.apis} - provided(csv), key=str))
    return ChannelBundle(
        catalog=catalog,
        package=package,
        channel=str(channel),
        position=position,
        name=entry["name"],
        version=str((csv.get("spec") or {}).get("version") or entry.get("version", "")),
        folder=str(source.place.resolve()),
        replaces=entry["replaces"],
        # The channel says what is skipped; what the CSV says of it went into the channel when the catalog was made.
        skips=tuple(entry.get("skips") or ()),
        skip_range=str(entry.get("skipRange") or ""),
        provides=provided(csv),
        needs_apis=needs,
        needs_packages=tuple(source.packages),
    )
