"""What a catalog's source yields: its packages' graphs and its bundles, one by one, and the problems; and how the files
of a bundle are read.

The sources are independent of each other, of the database and of the user: they read, and yield these.

A bundle is a folder of YAML and JSON in one of two layouts: `manifests/` and `metadata/` of operator-sdk
(https://olm.operatorframework.io/docs/tasks/creating-operator-bundle/), or `csv.yaml`, `crds/`, `manifests/`,
`metadata/`. What can't be read is named, the rest is taken.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from kube import limits
from kube.objects import items, mapping
from kube.reader import ApiType, Text, read
from kube.types.olm import CSVDescription, PackageProperty
from operatorhub.csv import is_version as is_version
from operatorhub.csv import version_key as version_key
from resources import yamltext
from untrusted import bundle_metadata, json_bounds

_SUFFIXES = (".yaml", ".yml", ".json")
_ANNOTATION = "operators.operatorframework.io.bundle."


class BundleAnnotations(ApiType, frozen=True):
    """Of `metadata/`. `channels`: with commas between them."""

    package: Text = msgspec.field(default="", name=f"{_ANNOTATION}package.v1")
    channels: Text = msgspec.field(default="", name=f"{_ANNOTATION}channels.v1")
    default_channel: Text = msgspec.field(default="", name=f"{_ANNOTATION}channel.default.v1")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelEntry:
    """A version in a channel, as FBC's olm.channel names it. `deprecated`: the message, '' when it is not."""

    name: str
    version: str
    replaces: str = ""
    skips: tuple[str, ...] = ()
    skip_range: str = ""
    deprecated: str = ""


@dataclass(frozen=True, slots=True)
class Channel:
    """`entries`: newest first."""

    name: str
    entries: tuple[ChannelEntry, ...]
    deprecated: str = ""


@dataclass(frozen=True, slots=True)
class SupportPhase:
    """`start`, `end`: the first and the last day, YYYY-MM-DD."""

    name: str
    start: str
    end: str


@dataclass(frozen=True, slots=True)
class VersionLifecycle:
    """What the publisher states of a minor version, such as "1.2".

    `platforms`: by the name of a platform ("openshift"), its versions on which this one runs. `phases`: of support.
    """

    version: str
    platforms: dict[str, tuple[str, ...]]
    phases: tuple[SupportPhase, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Graph:
    """A package's channels, its default one first.

    `edges_known` False: only names and versions are known. `missing`: versions that the cluster's catalog doesn't have,
    although another source of it names them. `problems`: what is odd, in words. `lifecycle`: () where the catalog has
    none, or can't be read by the console.
    """

    package: str
    default: str
    channels: tuple[Channel, ...]
    edges_known: bool
    deprecated: str = ""
    missing: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    lifecycle: tuple[VersionLifecycle, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What a bundle is made of.

    `partial`: the CSV holds what the catalog says of it, its manifests are in the image only.
    """

    csv: Mapping[str, Any]
    crds: tuple[Mapping[str, Any], ...] = ()
    others: tuple[Mapping[str, Any], ...] = ()
    properties: tuple[Mapping[str, Any], ...] = ()
    related_images: tuple[Mapping[str, Any], ...] = ()
    partial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleDraft:
    """A version.

    `contents` None: read on first use, from `place` or from `image`. `digest` changes when the version does.
    """

    package: str
    name: str
    version: str
    digest: str
    image: str = ""
    place: str = ""
    contents: Contents | None = None


@dataclass(frozen=True, slots=True)
class PackageDraft:
    """A package: its graph, and the icon its catalog gives."""

    graph: Graph
    icon: bytes = b""


@dataclass(frozen=True, slots=True)
class DraftProblem:
    """What could not be read and was left out: where it stands, and why."""

    place: str
    words: str


Draft = BundleDraft | PackageDraft | DraftProblem


class SourceError(Exception):
    """A source as a whole can't be read: what happened to which place, and what to do."""


def contents(
    documents: Iterable[Any],
    properties: tuple[Mapping[str, Any], ...] = (),
    related_images: tuple[Mapping[str, Any], ...] = (),
) -> Contents:
    """The manifests of a bundle, sorted: its CSV, the CRDs, all others. Without a CSV `csv` is {}."""
    csv: Mapping[str, Any] = {}
    crds: list[Mapping[str, Any]] = []
    others: list[Mapping[str, Any]] = []
    for document in documents:
        if not isinstance(document, Mapping) or not isinstance(document.get("kind"), str):
            continue
        if document["kind"] == "ClusterServiceVersion" and not csv:
            csv = document
        elif document["kind"] == "CustomResourceDefinition":
            crds.append(document)
        else:
            others.append(document)
    images = related_images or tuple(items(mapping(csv.get("spec")).get("relatedImages")))
    return Contents(csv=csv, crds=tuple(crds), others=tuple(others), properties=properties, related_images=images)


def bundle_version(bundle_contents: Contents) -> str:
    """As its properties say, else as its CSV does."""
    for prop in bundle_contents.properties:
        if prop.get("type") == "olm.package":
            return read(prop.get("value"), PackageProperty).version
    return read(bundle_contents.csv.get("spec"), CSVDescription).version


def problems(graph: Graph) -> tuple[str, ...]:
    """Problems of a graph, localized: edges to nowhere, cycles, several heads, invalid versions."""
    found: list[str] = []
    for channel in graph.channels:
        names = {entry.name for entry in channel.entries}
        found += _channel_problems(channel, names) if channel.entries else [_no_versions(channel.name)]
    if graph.default and graph.default not in {channel.name for channel in graph.channels}:
        words = _("The default channel “%(name)s” doesn't exist.")
        found.append(words % {"name": graph.default})
    return tuple(found)


def _no_versions(channel: str) -> str:
    return _("The channel “%(name)s” has no version.") % {"name": channel}


def _channel_problems(channel: Channel, names: set[str]) -> Iterator[str]:
    below = {entry.replaces for entry in channel.entries} | {name for entry in channel.entries for name in entry.skips}
    heads = [entry.name for entry in channel.entries if entry.name not in below]
    for entry in channel.entries:
        if not is_version(entry.version) and entry.version:
            words = _("“%(version)s” of %(name)s isn't a semantic version.")
            yield words % {"version": entry.version, "name": entry.name}
    if not heads:
        yield _("The channel “%(name)s” has a cycle: each of its versions replaces another version.") % {
            "name": channel.name
        }
    elif len(heads) > 1:
        words = _("The channel “%(name)s” has several newest versions: %(heads)s.")
        yield words % {"name": channel.name, "heads": ", ".join(heads[:5])}
    elif (
        missing := [entry.replaces for entry in channel.entries if entry.replaces and entry.replaces not in names]
    ) and len(missing) > 1:
        words = _("The channel “%(name)s” has gaps: %(names)s are replaced but missing.")
        yield words % {"name": channel.name, "names": ", ".join(missing[:5])}


def newest_first(entries: Iterable[ChannelEntry]) -> tuple[ChannelEntry, ...]:
    """By version where all are semantic ones; else as the edges run, the heads first. Never trusts the edges to end."""
    given = tuple(entries)
    if all(is_version(entry.version) for entry in given):
        return tuple(sorted(given, key=lambda entry: version_key(entry.version), reverse=True))
    by_name = {entry.name: entry for entry in given}
    below = {entry.replaces for entry in given}
    order: dict[str, ChannelEntry] = {}
    for head in (*(entry for entry in given if entry.name not in below), *given):
        current: ChannelEntry | None = head
        while current is not None and current.name not in order:
            order[current.name] = current
            current = by_name.get(current.replaces)
    return tuple(order.values())


def read_documents(path: Path) -> list[Any]:
    """All documents of a file. Raises YamlProblem, OSError, ValueError."""
    # A manifest is an object of the cluster, which takes 1.5 MB; comments and a CSV in YAML may be more.
    if path.stat().st_size > limits.MANIFEST_FILE.value:
        raise ValueError(f"larger than {limits.MANIFEST_FILE.value // 2**20} MiB")
    data = path.read_bytes()
    if path.suffix == ".json":
        try:
            return [json_bounds.load(data)]
        except json_bounds.TooDeep:
            raise
        except msgspec.DecodeError:
            pass  # several documents, or YAML under the wrong name
    return [value for _line, value in yamltext.documents(data.decode())]


def is_bundle(folder: Path) -> bool:
    """Whether a folder looks like one of the two layouts."""
    return (folder / "csv.yaml").is_file() or (folder / "manifests").is_dir()


def read_bundle(folder: Path) -> tuple[Contents, BundleAnnotations, list[DraftProblem]]:
    """The contents, the annotations of `metadata/`, and what could not be read."""
    found: list[Any] = []
    bad: list[DraftProblem] = []
    for path in _files(folder):
        found += _tried(path, folder, bad)
    # opm reads files of every name there; what is called neither YAML nor JSON need not be any.
    files = (
        _tried(path, folder, bad if path.suffix in _SUFFIXES else [])
        for path in sorted(folder.glob("metadata/*"))
        if path.is_file()
    )
    metadata = bundle_metadata.merge(next(iter(documents), None) for documents in files)
    annotations = read(metadata.annotations, BundleAnnotations)
    return contents(found, tuple(metadata.properties)), annotations, bad


def csv_of_folder(folder: Path) -> Mapping[str, Any]:
    """The CSV alone; {} when there is none that can be read."""
    for path in _files(folder):
        # Only a file that speaks of one is parsed: CRDs are the larger ones.
        try:
            if path.name != "csv.yaml" and b"ClusterServiceVersion" not in path.read_bytes():
                continue
        except OSError:
            continue
        if found := contents(_tried(path, folder, [])).csv:
            return found
    return {}


def bundle_stamp(folder: Path) -> str:
    """Changes when a file of the bundle does: names, sizes and times."""
    digest = hashlib.sha256()
    for path in (*_files(folder), *sorted(folder.glob("metadata/*"))):
        facts = path.stat()
        digest.update(f"{path.relative_to(folder)} {facts.st_size} {facts.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _files(folder: Path) -> Iterator[Path]:
    if (folder / "csv.yaml").is_file():
        yield folder / "csv.yaml"
    for place in ("crds", "manifests"):
        yield from (path for path in sorted((folder / place).glob("*")) if path.suffix in _SUFFIXES and path.is_file())


def _tried(path: Path, folder: Path, bad: list[DraftProblem]) -> list[Any]:
    try:
        return read_documents(path)
    except (yamltext.YamlProblem, OSError, ValueError) as error:
        bad.append(DraftProblem(str(path.relative_to(folder)), str(error)))
        return []
