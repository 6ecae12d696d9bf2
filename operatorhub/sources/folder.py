"""Folders: of a file-based catalog (its files are named here, fbc.py reads them), or of bundles in one of three
layouts.

`<package>/package.json` with `<version>/csv.yaml`, `crds/`, `manifests/`, `metadata/`;
`<package>/<version>/manifests/`, as community repositories have it; and a single bundle. Bundles are read on first use
(`contents`), so that a folder of 100 MB is indexed in a second.
"""

import fnmatch
import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from kube.reader import ApiType, Text, read
from kube.types.olm import ClusterServiceVersion, Deprecation
from operatorhub.csv import strings
from operatorhub.sources.drafts import (
    BundleDraft,
    Channel,
    ChannelEntry,
    Contents,
    Draft,
    DraftProblem,
    Graph,
    PackageDraft,
    SourceError,
    bundle_stamp,
    bundle_version,
    csv_of_folder,
    is_bundle,
    newest_first,
    read_bundle,
)
from untrusted import json_bounds

_FBC = (".json", ".yaml", ".yml")


class _CatalogFile(ApiType, frozen=True):
    """catalog.json"""

    display_name: Text = ""


class _PackageFileEntry(ApiType, frozen=True):
    name: Text = ""
    version: Text = ""
    replaces: Text = ""
    skips: tuple[str, ...] = ()
    skip_range: Text = ""
    deprecation: Deprecation = Deprecation()


class _PackageFileChannel(ApiType, frozen=True):
    """`head`: the entry that comes first."""

    name: Text = ""
    head: Text = ""
    entries: tuple[_PackageFileEntry, ...] = ()
    deprecation: Deprecation = Deprecation()


class _PackageFileBundle(ApiType, frozen=True):
    """`path`: of its folder, from the package's."""

    name: Text = ""
    version: Text = ""
    path: Text = ""
    image: Text = ""


class _PackageFile(ApiType, frozen=True):
    """package.json"""

    name: Text = ""
    default_channel: Text = ""
    channels: tuple[_PackageFileChannel, ...] = ()
    bundles: tuple[_PackageFileBundle, ...] = ()
    deprecation: Deprecation = Deprecation()


def title(folder: Path) -> str:
    """The name in the folder's catalog.json; '' without one."""
    try:
        return read(json_bounds.loads((folder / "catalog.json").read_bytes()), _CatalogFile).display_name
    except (OSError, ValueError):
        return ""


def has_bundles(folder: Path) -> bool:
    """Whether this is a folder of bundles; else it may be one of a file-based catalog."""
    return bool(package_folders(folder) or bundle_folders(folder))


def package_folders(folder: Path) -> list[Path]:
    """Those with a package.json: the folder itself, or folders in it."""
    if (folder / "package.json").is_file():
        return [folder]
    return sorted(path.parent for path in folder.glob("*/package.json"))


def bundle_folders(folder: Path) -> list[Path]:
    """Bundles without a package.json: the folder itself, or folders one or two levels deep."""
    if is_bundle(folder):
        return [folder]
    found = (path.parent for pattern in ("*/manifests", "*/*/manifests") for path in folder.glob(pattern))
    return sorted({path for path in found if path.is_dir() and is_bundle(path)})


def drafts(folder: Path, *, whole: bool) -> Iterator[Draft]:
    """Everything in a folder of bundles. `whole`: with the bundles' contents, for a folder that will not stay."""
    if packages := package_folders(folder):
        for path in packages:
            yield from _package(folder, path, whole)
        return
    yield from _loose(folder, bundle_folders(folder), whole)


def contents(folder: Path, place: str) -> Contents:
    """One bundle's contents. Raises SourceError when it is not there any more, or outside of the folder."""
    return read_bundle(_inside(folder, place))[0]


def _inside(folder: Path, place: str) -> Path:
    path = (folder / place).resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_dir():
        words = _("Folder %(place)s is no longer in the catalog. Refresh the catalog.")
        raise SourceError(words % {"place": place})
    return path


def csv_of(folder: Path, place: str) -> Mapping[str, Any]:
    """One bundle's CSV alone, {} when it has none or it can't be read: no CRDs are parsed on the way.

    Raises SourceError as contents() does.
    """
    return csv_of_folder(_inside(folder, place))


def fbc_files(folder: Path) -> list[Path]:
    """The files of a file-based catalog, in their order, without what .indexignore leaves out.

    Links out of the folder are not followed.
    """
    root = folder.resolve()
    rules: dict[Path, tuple[str, ...]] = {}
    found: list[Path] = []
    for place, folders, names in os.walk(folder):
        here = Path(place)
        try:
            lines = (here / ".indexignore").read_text().splitlines()
        except (OSError, UnicodeDecodeError):
            lines = []
        rules[here] = tuple(line.strip() for line in lines if line.strip() and not line.startswith("#"))
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and not _ignored(here / name, folder, rules)
        )
        for name in sorted(names):
            path = here / name
            if (
                path.suffix in _FBC
                and not name.startswith(".")
                and not _ignored(path, folder, rules)
                and path.resolve().is_relative_to(root)
            ):
                found.append(path)
    return found


def stamp(paths: Iterable[Path]) -> str:
    """Changes when one of the files does."""
    parts = []
    for path in paths:
        facts = path.stat()
        parts.append(f"{path} {facts.st_size} {facts.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _ignored(path: Path, top: Path, rules: Mapping[Path, tuple[str, ...]]) -> bool:
    """As .gitignore: a pattern without a slash fits names at any depth, one with a slash begins at its file; the
    last that fits decides.
    """
    ignored = False
    for parent in (
        top,
        *(ancestor for ancestor in reversed(path.parents) if ancestor.is_relative_to(top) and ancestor != top),
    ):
        for rule in rules.get(parent, ()):
            pattern = rule.removeprefix("!").rstrip("/")
            relative = str(path.relative_to(parent))
            fits = (
                fnmatch.fnmatch(relative, pattern.lstrip("/"))
                if "/" in pattern
                else fnmatch.fnmatch(path.name, pattern)
            )
            if fits:
                ignored = not rule.startswith("!")
    return ignored


def _package(folder: Path, path: Path, whole: bool) -> Iterator[Draft]:
    try:
        package = read(json_bounds.load((path / "package.json").read_bytes()), _PackageFile)
        if not package.name:
            raise ValueError(_("the name is missing"))
    except (OSError, ValueError, msgspec.DecodeError, RecursionError) as error:
        yield DraftProblem(f"{path.name}/package.json", str(error))
        return
    default = package.default_channel
    channels = sorted(map(_channel, package.channels), key=lambda channel: channel.name != default)
    yield PackageDraft(
        Graph(
            package=package.name,
            default=default,
            channels=tuple(channels),
            edges_known=True,
            deprecated=package.deprecation.message,
        )
    )
    for bundle in package.bundles:
        yield from _bundle(folder, path / (bundle.path or "."), package.name, bundle, whole)


def _channel(channel: _PackageFileChannel) -> Channel:
    entries = newest_first(
        ChannelEntry(
            name=entry.name,
            version=entry.version,
            replaces=entry.replaces,
            skips=strings(entry.skips),
            skip_range=entry.skip_range,
            deprecated=entry.deprecation.message,
        )
        for entry in channel.entries
    )
    if channel.head:
        entries = tuple(sorted(entries, key=lambda entry: entry.name != channel.head))
    return Channel(channel.name, entries, channel.deprecation.message)


def _bundle(folder: Path, path: Path, package: str, bundle: _PackageFileBundle, whole: bool) -> Iterator[Draft]:
    try:
        there = path.resolve().is_relative_to(folder.resolve()) and is_bundle(path)
    except (OSError, ValueError, RuntimeError):
        # No name of a file: too long, with a NUL, a link to itself. One package's fault stops no other.
        there = False
    if not there:
        yield DraftProblem(str(path), _("no bundle"))
        return
    found = None
    if whole:
        found, _about, bad = read_bundle(path)
        yield from (DraftProblem(f"{path.relative_to(folder)}/{problem.place}", problem.words) for problem in bad)
    yield BundleDraft(
        package=package,
        name=bundle.name,
        version=bundle.version,
        digest=bundle_stamp(path),
        image=bundle.image,
        place="" if whole else str(path.relative_to(folder)),
        contents=found,
    )


def _loose(folder: Path, paths: list[Path], whole: bool) -> Iterator[Draft]:
    """Bundles without a package.json: their annotations name the package and the channels, their CSVs the edges."""
    packages: dict[str, dict[str, list[ChannelEntry]]] = {}
    defaults: dict[str, str] = {}
    for path in paths:
        found, annotations, bad = read_bundle(path)
        place = str(path.relative_to(folder))
        yield from (DraftProblem(f"{place}/{problem.place}", problem.words) for problem in bad)
        entry = _entry(found)
        name = entry.name
        if not name:
            yield DraftProblem(place, _("no ClusterServiceVersion found"))
            continue
        package = annotations.package or name.partition(".")[0]
        for channel in [part.strip() for part in annotations.channels.split(",") if part.strip()] or ["default"]:
            packages.setdefault(package, {}).setdefault(channel, []).append(entry)
        if annotations.default_channel:
            defaults[package] = annotations.default_channel
        yield BundleDraft(
            package=package,
            name=name,
            version=entry.version,
            digest=bundle_stamp(path),
            image="",
            place="" if whole else place,
            contents=found if whole else None,
        )
    for package, channels in packages.items():
        default = defaults.get(package, sorted(channels)[0])
        made = [Channel(name, newest_first(entries)) for name, entries in sorted(channels.items())]
        yield PackageDraft(
            Graph(
                package=package,
                default=default,
                channels=tuple(sorted(made, key=lambda channel: channel.name != default)),
                edges_known=True,
            )
        )


def _entry(found: Contents) -> ChannelEntry:
    csv = read(found.csv, ClusterServiceVersion)
    return ChannelEntry(
        name=csv.metadata.name,
        version=bundle_version(found),
        replaces=csv.spec.replaces,
        skips=strings(csv.spec.skips),
        skip_range=csv.metadata.annotations.get("olm.skipRange", "").strip(),
    )
