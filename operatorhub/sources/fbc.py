"""File-based catalogs: olm.package, olm.channel, olm.bundle and olm.deprecations, as a stream of JSON or as YAML
documents.

Bundles are given on as they come, for a catalog may be larger than the memory it may take; packages at the end, when
all their channels are known. A blob that can't be read is named by file and line, and left out.
https://olm.operatorframework.io/docs/reference/file-based-catalogs/
"""

import base64
import binascii
import hashlib
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

import msgspec
from django.utils.translation import gettext as _

from operatorhub.csv import items, mapping, strings, text
from operatorhub.sources import blobs
from operatorhub.sources.drafts import (
    BundleDraft,
    Channel,
    ChannelEntry,
    Contents,
    Draft,
    DraftProblem,
    Graph,
    PackageDraft,
    bundle_version,
    contents,
    newest_first,
)
from resources import yamltext
from untrusted import json_bounds

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


@dataclass(slots=True, kw_only=True)
class _Catalog:
    """State collected until the end of the catalog.

    `channels`: package → (name, entries); `versions`: bundles by package; deprecations by package, schema and name.
    """

    packages: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    channels: dict[str, list[tuple[str, list[ChannelEntry]]]] = field(default_factory=dict)
    versions: dict[str, dict[str, str]] = field(default_factory=dict)
    deprecations: dict[tuple[str, str, str], str] = field(default_factory=dict)
    known: Container[str] = ()


def drafts(files: Iterable[tuple[str, BinaryIO]], known: Container[str] = ()) -> Iterator[Draft]:
    """Everything in the files of one catalog; each with the name it is called by in problems.

    Bundles whose digest is `known` come without contents.
    """
    catalog = _Catalog(known=known)
    for name, stream in files:
        for blob in blobs.read(stream):
            place = f"{name}:{blob.line}" if name else _("line %(line)d") % {"line": blob.line}
            if blob.problem:
                yield DraftProblem(place, blob.problem)
                continue
            try:
                yield from _blob(catalog, blob, place)
            except (ValueError, TypeError, RecursionError) as error:
                yield DraftProblem(place, str(error))
    yield from _packages(catalog)


def _blob(catalog: _Catalog, blob: blobs.Blob, place: str) -> Iterator[Draft]:
    value = blob.value
    schema, name, package = text(value.get("schema")), text(value.get("name")), text(value.get("package"))
    if not schema:
        yield DraftProblem(place, _("this blob has no schema, so it isn't part of a file-based catalog"))
    elif schema == "olm.package" and name:
        if name in catalog.packages:
            yield DraftProblem(place, _("the package %(name)s is a duplicate") % {"name": name})
        else:
            catalog.packages[name] = {key: value.get(key) for key in ("defaultChannel", "icon", "description")}
    elif schema == "olm.channel" and name and package:
        catalog.channels.setdefault(package, []).append((name, [_entry(item) for item in items(value.get("entries"))]))
    elif schema == "olm.bundle" and name and package:
        if name in catalog.versions.setdefault(package, {}):
            yield DraftProblem(place, _("the bundle %(name)s is a duplicate") % {"name": name})
            return
        digest = hashlib.sha256(blob.raw).hexdigest()
        draft, bad = (_same(value, digest), []) if digest in catalog.known else bundle(value, blob.raw)
        catalog.versions[package][name] = draft.version
        yield from (DraftProblem(place, f"{name}: {words}") for words in bad)
        yield draft
    elif schema == "olm.deprecations" and package:
        for entry in items(value.get("entries")):
            what = mapping(entry.get("reference"))
            catalog.deprecations[(package, text(what.get("schema")), text(what.get("name")))] = text(
                entry.get("message")
            )
    elif schema in ("olm.package", "olm.channel", "olm.bundle", "olm.deprecations"):
        yield DraftProblem(place, _("this %(schema)s has no name or no package") % {"schema": schema})


def _same(value: Mapping[str, Any], digest: str) -> BundleDraft:
    """A bundle that was read before: nothing in it is decoded."""
    version = bundle_version(Contents(csv={}, properties=tuple(items(value.get("properties")))))
    return BundleDraft(
        package=text(value["package"]),
        name=text(value["name"]),
        version=version,
        digest=digest,
        image=text(value.get("image")),
    )


def bundle(value: Mapping[str, Any], raw: bytes) -> tuple[BundleDraft, list[str]]:
    """One olm.bundle, and what could not be read of it.

    Without manifests and metadata in it `contents` stays None: they are in its image.
    """
    bad: list[str] = []
    properties = tuple(items(value.get("properties")))
    objects: list[Any] = []
    about: Mapping[str, Any] = {}
    for prop in properties:
        if prop.get("type") == "olm.bundle.object":
            objects += _object(mapping(prop.get("value")), bad)
        elif prop.get("type") == "olm.csv.metadata":
            about = mapping(prop.get("value"))
    rest = tuple(item for item in properties if item.get("type") not in ("olm.bundle.object", "olm.csv.metadata"))
    name, package, images = text(value["name"]), text(value["package"]), tuple(items(value.get("relatedImages")))
    found: Contents | None = contents(objects, rest, images)
    if found is not None and not found.csv:
        found = replace(found, csv=_partial(name, about, rest), partial=True) if about else None
    # Where nothing of the manifests is known the version still is.
    version = bundle_version(found or Contents(csv={}, properties=rest))
    draft = BundleDraft(
        package=package,
        name=name,
        version=version,
        digest=hashlib.sha256(raw).hexdigest(),
        image=text(value.get("image")),
        place="",
        contents=found or Contents(csv={}, crds=(), others=(), properties=rest, related_images=images, partial=True),
    )
    return draft, bad


def _object(value: Mapping[str, Any], bad: list[str]) -> list[Any]:
    """The manifest in an olm.bundle.object: base64 of JSON or YAML."""
    try:
        data = base64.b64decode("".join(text(value.get("data")).split()), validate=True)
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
    if definitions := mapping(about.get("crdDescriptions") or about.get("customresourcedefinitions")):
        spec["customresourcedefinitions"] = definitions
    if version := bundle_version(Contents(csv={}, properties=properties)):
        spec["version"] = version
    meta = {
        "name": name,
        "annotations": dict(mapping(about.get("annotations"))),
        "labels": dict(mapping(about.get("labels"))),
    }
    return {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": meta,
        "spec": spec,
    }


def _entry(item: Mapping[str, Any]) -> ChannelEntry:
    return ChannelEntry(
        name=text(item.get("name")),
        version="",
        replaces=text(item.get("replaces")),
        skips=strings(item.get("skips")),
        skip_range=text(item.get("skipRange")),
    )


def _packages(catalog: _Catalog) -> Iterator[Draft]:
    for name in sorted(catalog.channels.keys() | catalog.versions.keys()):
        if name not in catalog.packages:
            yield DraftProblem(
                name, _("channels or bundles refer to this package, but the catalog has no olm.package for it")
            )
    for name, definition in sorted(catalog.packages.items()):
        default, known = text(definition.get("defaultChannel")), catalog.versions.get(name, {})
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
        )
        yield PackageDraft(graph, _icon(mapping(definition.get("icon"))))


def _icon(icon: Mapping[str, Any]) -> bytes:
    try:
        return base64.b64decode("".join(text(icon.get("base64data")).split()), validate=True)
    except binascii.Error:
        return b""
