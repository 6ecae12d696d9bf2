"""File-based catalogs: olm.package, olm.channel, olm.bundle, olm.deprecations and OpenShift's lifecycle metadata, as
JSON objects in a row or as YAML documents divided by `---`.

A catalog may be larger than the memory it may take, so one document is in memory at a time and bundles are yielded as
they come; packages at the end, when all their channels are known. A document that can't be read is reported with its
file and line, and left out.
https://olm.operatorframework.io/docs/reference/file-based-catalogs/
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

import msgspec
from django.utils.translation import gettext as _

from kube import limits
from kube.reader import ApiType, Text, read
from kube.types.olm import Icon, Property
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
    SupportPhase,
    VersionLifecycle,
    bundle_version,
    contents,
    newest_first,
)
from resources import yamltext
from untrusted import json_bounds

# Bytes read at once. The largest known bundles with their manifests inside are 6 MB; gRPC's limit for OLM is 4 MB.
_CHUNK = 1024 * 1024
# A string at once, so that braces in it do not count; a lone quote is a string that isn't closed yet.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}"]', re.S)
_LIFECYCLE = "io.openshift.operators.lifecycles.v1alpha1"
# Versions of a package and of a platform; phases and platforms of a version; characters of a name.
_MAX_LIFECYCLES, _MAX_PHASES, _MAX_WORD = 200, 20, 100
_DIVIDER = re.compile(rb"---(\s|$)")

# olm.csv.metadata: what catalogs keep of a CSV instead of all of it.
_ABOUT = (
    "apiServiceDefinitions",
    "description",
    "displayName",
    "icon",
    "installModes",
    "keywords",
    "labels",
    "links",
    "maintainers",
    "maturity",
    "minKubeVersion",
    "nativeAPIs",
    "provider",
)


class _BlobHead(ApiType, frozen=True):
    """A blob of any schema."""

    schema: Text = ""
    name: Text = ""
    package: Text = ""


class _PackageBlob(ApiType, frozen=True):
    default_channel: Text = ""
    icon: Icon = Icon()


class _ChannelBlobEntry(ApiType, frozen=True):
    name: Text = ""
    replaces: Text = ""
    skips: tuple[str, ...] = ()
    skip_range: Text = ""


class _ChannelBlob(ApiType, frozen=True):
    entries: tuple[_ChannelBlobEntry, ...] = ()


class _BundleBlob(_BlobHead, frozen=True):
    image: Text = ""
    properties: tuple[dict[str, Any], ...] = ()
    related_images: tuple[dict[str, Any], ...] = ()


class _BundleObject(ApiType, frozen=True):
    data: str = ""


class _CsvMetadata(ApiType, frozen=True):
    """Also by the name that a CSV has for the same."""

    annotations: dict[str, Any] = {}
    labels: dict[str, Any] = {}
    crd_descriptions: dict[str, Any] = {}
    customresourcedefinitions: dict[str, Any] = {}


class _DeprecationEntry(ApiType, frozen=True):
    reference: _BlobHead = _BlobHead()
    message: Text = ""


class _DeprecationsBlob(ApiType, frozen=True):
    entries: tuple[_DeprecationEntry, ...] = ()


class _PlatformEntry(ApiType, frozen=True):
    name: Text = ""
    versions: tuple[Text, ...] = ()


class _PhaseEntry(ApiType, frozen=True):
    name: Text = ""
    start_date: Text = ""
    end_date: Text = ""


class _LifecycleEntry(ApiType, frozen=True):
    name: Text = ""
    phases: tuple[_PhaseEntry, ...] = ()
    platform_compatibility: tuple[_PlatformEntry, ...] = ()


class _LifecycleBlob(ApiType, frozen=True):
    """https://github.com/openshift/console/blob/main/pkg/olm/lifecycle.go"""

    versions: tuple[_LifecycleEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class Blob:
    """`value` {} and `problem` in words where it can't be read.

    `raw`: the bytes it was made of; `line`: where it begins.
    """

    line: int
    raw: bytes
    value: Mapping[str, Any]
    problem: str = ""


@dataclass(slots=True, kw_only=True)
class _Catalog:
    """State collected until the end of the catalog.

    `channels`: package → (name, entries); `versions`: bundles by package; deprecations by package, schema and name;
    `lifecycles` by package.
    """

    packages: dict[str, _PackageBlob] = field(default_factory=dict)
    channels: dict[str, list[tuple[str, list[ChannelEntry]]]] = field(default_factory=dict)
    versions: dict[str, dict[str, str]] = field(default_factory=dict)
    deprecations: dict[tuple[str, str, str], str] = field(default_factory=dict)
    lifecycles: dict[str, tuple[VersionLifecycle, ...]] = field(default_factory=dict)
    known: Container[str] = ()


def drafts(files: Iterable[tuple[str, BinaryIO]], known: Container[str] = ()) -> Iterator[Draft]:
    """Everything in the files of one catalog; each with the name it is called by in problems.

    Bundles whose digest is `known` come without contents.
    """
    catalog = _Catalog(known=known)
    for name, stream in files:
        for blob in read_blobs(stream):
            place = f"{name}:{blob.line}" if name else _("line %(line)d") % {"line": blob.line}
            if blob.problem:
                yield DraftProblem(place, blob.problem)
                continue
            try:
                yield from _blob_drafts(catalog, blob, place)
            except (ValueError, TypeError, RecursionError) as error:
                yield DraftProblem(place, str(error))
    yield from _package_drafts(catalog)


def bundle(value: Mapping[str, Any], digest: str) -> tuple[BundleDraft, list[str]]:
    """One olm.bundle, and what could not be read of it.

    Without manifests and metadata in it `contents` stays None: they are in its image.
    """
    blob = read(value, _BundleBlob)
    bad: list[str] = []
    objects: list[Any] = []
    about: Mapping[str, Any] = {}
    for prop in (read(raw, Property) for raw in blob.properties):
        if prop.type == "olm.bundle.object":
            objects += _manifests(read(prop.value, _BundleObject).data, bad)
        elif prop.type == "olm.csv.metadata":
            about = prop.value
    rest = tuple(prop for prop in blob.properties if prop.get("type") not in ("olm.bundle.object", "olm.csv.metadata"))
    images = blob.related_images
    found: Contents | None = contents(objects, rest, images)
    if found is not None and not found.csv:
        found = replace(found, csv=_partial(blob.name, about, rest), partial=True) if about else None
    # Where nothing of the manifests is known the version still is.
    version = bundle_version(found or Contents(csv={}, properties=rest))
    draft = BundleDraft(
        package=blob.package,
        name=blob.name,
        version=version,
        digest=digest,
        image=blob.image,
        place="",
        contents=found or Contents(csv={}, crds=(), others=(), properties=rest, related_images=images, partial=True),
    )
    return draft, bad


def _blob_drafts(catalog: _Catalog, blob: Blob, place: str) -> Iterator[Draft]:
    value = blob.value
    meta = read(value, _BlobHead)
    schema, name, package = meta.schema, meta.name, meta.package
    if not schema:
        yield DraftProblem(place, _("this blob has no schema, so it isn't part of a file-based catalog"))
    elif schema == "olm.package" and name:
        if name in catalog.packages:
            yield DraftProblem(place, _("the package %(name)s is a duplicate") % {"name": name})
        else:
            catalog.packages[name] = read(value, _PackageBlob)
    elif schema == "olm.channel" and name and package:
        catalog.channels.setdefault(package, []).append(
            (name, [_entry(entry) for entry in read(value, _ChannelBlob).entries])
        )
    elif schema == "olm.bundle" and name and package:
        if name in catalog.versions.setdefault(package, {}):
            yield DraftProblem(place, _("the bundle %(name)s is a duplicate") % {"name": name})
            return
        digest = hashlib.sha256(blob.raw).hexdigest()
        draft, bad = (_known_bundle(value, digest), []) if digest in catalog.known else bundle(value, digest)
        catalog.versions[package][name] = draft.version
        yield from (DraftProblem(place, f"{name}: {words}") for words in bad)
        yield draft
    elif schema == "olm.deprecations" and package:
        for entry in read(value, _DeprecationsBlob).entries:
            catalog.deprecations[(package, entry.reference.schema, entry.reference.name)] = entry.message
    elif schema == _LIFECYCLE and package:
        if package in catalog.lifecycles:
            # OKD's console shows neither: which one holds isn't known.
            catalog.lifecycles[package] = ()
            yield DraftProblem(place, _("the lifecycle of the package %(name)s is a duplicate") % {"name": package})
        else:
            entries = read(value, _LifecycleBlob).versions[:_MAX_LIFECYCLES]
            catalog.lifecycles[package] = tuple(map(_version_lifecycle, entries))
    elif schema in ("olm.package", "olm.channel", "olm.bundle", "olm.deprecations"):
        yield DraftProblem(place, _("this %(schema)s has no name or no package") % {"schema": schema})


def _known_bundle(value: Mapping[str, Any], digest: str) -> BundleDraft:
    """A bundle that was read before: nothing in it is decoded."""
    blob = read(value, _BundleBlob)
    return BundleDraft(
        package=blob.package,
        name=blob.name,
        version=bundle_version(Contents(csv={}, properties=blob.properties)),
        digest=digest,
        image=blob.image,
    )


def _manifests(encoded: str, bad: list[str]) -> list[Any]:
    """The manifest in an olm.bundle.object: base64 of JSON or YAML."""
    try:
        data = base64.b64decode("".join(encoded.split()), validate=True)
        return [json_bounds.load(data)]
    except binascii.Error as error:
        bad.append(_("a manifest isn't valid base64: %(error)s") % {"error": error})
    except msgspec.DecodeError:
        try:
            return [found for _line, found in yamltext.documents(data.decode())]
        except (yamltext.YamlProblem, ValueError) as error:
            bad.append(_("a manifest is neither JSON nor YAML: %(error)s") % {"error": error})
    return []


def _partial(name: str, about: Mapping[str, Any], properties: tuple[Mapping[str, Any], ...]) -> Mapping[str, Any]:
    """A CSV of what olm.csv.metadata says: all but the install strategy and the webhooks."""
    spec: dict[str, Any] = {key: about[key] for key in _ABOUT if about.get(key)}
    metadata = read(about, _CsvMetadata)
    if definitions := metadata.crd_descriptions or metadata.customresourcedefinitions:
        spec["customresourcedefinitions"] = definitions
    if version := bundle_version(Contents(csv={}, properties=properties)):
        spec["version"] = version
    return {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {"name": name, "annotations": metadata.annotations, "labels": metadata.labels},
        "spec": spec,
    }


def _version_lifecycle(entry: _LifecycleEntry) -> VersionLifecycle:
    platforms = {
        platform.name[:_MAX_WORD]: tuple(version[:_MAX_WORD] for version in platform.versions[:_MAX_LIFECYCLES])
        for platform in entry.platform_compatibility[:_MAX_PHASES]
    }
    phases = (
        SupportPhase(phase.name[:_MAX_WORD], phase.start_date[:_MAX_WORD], phase.end_date[:_MAX_WORD])
        for phase in entry.phases[:_MAX_PHASES]
    )
    return VersionLifecycle(entry.name[:_MAX_WORD], platforms, tuple(phases))


def _entry(entry: _ChannelBlobEntry) -> ChannelEntry:
    return ChannelEntry(
        name=entry.name,
        version="",
        replaces=entry.replaces,
        skips=strings(entry.skips),
        skip_range=entry.skip_range,
    )


def _package_drafts(catalog: _Catalog) -> Iterator[Draft]:
    for name in sorted(catalog.channels.keys() | catalog.versions.keys()):
        if name not in catalog.packages:
            yield DraftProblem(
                name, _("channels or bundles refer to this package, but the catalog has no olm.package for it")
            )
    for name, definition in sorted(catalog.packages.items()):
        default, known = definition.default_channel, catalog.versions.get(name, {})
        channels = [
            Channel(
                channel,
                newest_first(
                    replace(
                        entry,
                        version=known.get(entry.name, ""),
                        deprecated=catalog.deprecations.get((name, "olm.bundle", entry.name), ""),
                    )
                    for entry in entries
                ),
                catalog.deprecations.get((name, "olm.channel", channel), ""),
            )
            for channel, entries in catalog.channels.get(name, [])
        ]
        ordered = tuple(sorted(channels, key=lambda channel: (channel.name != default, channel.name)))
        graph = Graph(
            package=name,
            default=default,
            channels=ordered,
            edges_known=True,
            deprecated=catalog.deprecations.get((name, "olm.package", ""), ""),
            lifecycle=catalog.lifecycles.get(name, ()),
        )
        yield PackageDraft(graph, definition.icon.data)


def read_blobs(stream: BinaryIO) -> Iterator[Blob]:
    """Every document of the stream. JSON where it begins with a brace, else YAML."""
    first = stream.read(_CHUNK)
    if first.startswith(b"\xef\xbb\xbf"):
        first = first[3:]
    yield from _json_blobs(first, stream) if first.lstrip()[:1] == b"{" else _yaml_blobs(first, stream)


def _json_blobs(buffer: bytes, stream: BinaryIO) -> Iterator[Blob]:
    line, ended = 1, False
    while True:
        start = buffer.find(b"{")
        if start < 0 and not ended:
            more = stream.read(_CHUNK)
            buffer, ended = buffer + more, not more
            continue
        between = buffer[:start] if start >= 0 else buffer
        if between.strip():
            at = line + between[: len(between) - len(between.lstrip())].count(b"\n")
            yield Blob(at, between[:100], {}, f"this is no JSON: {between.strip()[:60].decode(errors='replace')}")
        line += between.count(b"\n")
        if start < 0:
            return
        end, buffer, ended = _object_end(buffer[start:], stream, ended)
        if end:
            yield _json_blob(line, buffer[:end])
        else:
            # Its braces do not close: the next object begins where a line begins with one.
            found = buffer.find(b"\n{", 1)
            end = found + 1 if found >= 0 else len(buffer)
            yield Blob(
                line,
                buffer[:100],
                {},
                f"the object that begins here does not end, or is larger than {limits.CATALOG_BLOB.value // 2**20} MiB",
            )
        line += buffer.count(b"\n", 0, end)
        buffer = buffer[end:]


def _object_end(buffer: bytes, stream: BinaryIO, ended: bool) -> tuple[int, bytes, bool]:
    """Where the object that begins the buffer ends, 0 when it does not; the buffer, longer by what was read; and
    whether that was all.
    """
    depth = place = 0
    while True:
        for token in _TOKEN.finditer(buffer, place):
            word = buffer[token.start() : token.start() + 1]
            if word == b'"' and token.end() - token.start() == 1:
                place = token.start()
                break
            place = token.end()
            depth += (word == b"{") - (word == b"}")
            if not depth:
                return place, buffer, ended
        else:
            place = len(buffer)
        if ended or len(buffer) > limits.CATALOG_BLOB.value:
            return 0, buffer, ended
        more = stream.read(_CHUNK)
        buffer, ended = buffer + more, not more


def _json_blob(line: int, raw: bytes) -> Blob:
    try:
        value = json_bounds.load(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        return Blob(line, raw[:100], {}, str(error))
    return Blob(line, raw, value)


def _yaml_blobs(first: bytes, stream: BinaryIO) -> Iterator[Blob]:
    lines: list[bytes] = []
    size, begins = 0, 1
    for number, line in enumerate(_lines(first, stream), 1):
        if _DIVIDER.match(line):
            yield from _document_blobs(begins, lines, size)
            lines, size, begins = [line], len(line), number
        else:
            size += len(line)
            if size <= limits.CATALOG_BLOB.value:
                lines.append(line)
    yield from _document_blobs(begins, lines, size)


def _lines(first: bytes, stream: BinaryIO) -> Iterator[bytes]:
    rest = first
    while rest:
        *whole, rest = rest.split(b"\n")
        yield from (line + b"\n" for line in whole)
        more = stream.read(_CHUNK)
        if not more:
            break
        rest += more
    if rest:
        yield rest


def _document_blobs(line: int, lines: list[bytes], size: int) -> Iterator[Blob]:
    raw = b"".join(lines)
    if size > limits.CATALOG_BLOB.value:
        yield Blob(
            line,
            raw[:100],
            {},
            f"the document that begins here is larger than {limits.CATALOG_BLOB.value // 2**20} MiB",
        )
        return
    try:
        for _line, value in yamltext.documents(raw.decode()):
            yield Blob(line, raw, value) if isinstance(value, dict) else Blob(line, raw[:100], {}, "this is no object")
    except (yamltext.YamlProblem, ValueError) as error:
        at = line + max(getattr(error, "line", 0) - 1, 0)
        yield Blob(at, raw[:100], {}, str(error))
