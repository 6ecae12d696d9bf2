"""Builds the catalog index from the cluster's PackageManifests, and fetches the packages' icons.

The answer is megabytes (7 MB for 268 packages): it is decoded package by package into the few fields that are kept.
Packages that did not change are not written. The package server leaves icons out of its answers and gives them one by
one: they are fetched after the packages are shown, and shared by content (60 packages of one vendor have one icon).

Icons are untrusted input: the declared type is ignored, and what the bytes really are decides. There are three defences
against scripts in an SVG: they are removed here, the response's policy forbids them (operatorhub/views/catalog.py), and
<img> doesn't run them. Raster images are scaled down to the size that pages show (publishers ship up to half a megabyte
for a square of 40 pixels).
"""

import hashlib
import io
import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import quote

import msgspec
import re2
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from PIL import Image, UnidentifiedImageError

from kube import answers, limits
from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import KubeObject, name_of, namespace_of
from kube.reader import read
from kube.types.cluster import NodeStatus
from kube.types.meta import ObjectMeta
from kube.types.olm import AppLink, CSVDescription, Deprecation
from operatorhub.indexing import rows
from operatorhub.models import Icon, Index, Package
from operatorhub.sources import packagemanifests
from untrusted import json_bounds

# Pixels: twice the 48 of the package page, for dense screens.
THUMBNAIL_SIDE = 96
# Smaller icons stay as they are.
_MIN_THUMBNAIL_BYTES = 4 * 1024

_SVG_HEAD_BYTES = 16 * 1024
_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"\0\0\1\0", "image/x-icon"),
)
# By RE2: Python's own goes back and tries again, for minutes over half a megabyte of "href=" and spaces.
_LATIN = re2.Options()
_LATIN.encoding = re2.Options.Encoding.LATIN1
_SVG = re2.compile(
    rb"(?si)^(?:\xef\xbb\xbf)?(?:<\?xml.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>|\s)*<(?:\w+:)?svg[\s>]",
    _LATIN,
)
_ELEMENT = rb"(?:\w+:)?(?:script|foreignObject|iframe|object|embed)"
_ELEMENTS = re2.compile(rb"(?si)<%b\b(?:[^>]*/>|.*?(?:</%b\s*>|\z))" % (_ELEMENT, _ELEMENT), _LATIN)
_HANDLERS = re2.compile(rb"(?i)\son[a-z]+\s*=\s*(\"[^\"]*\"|'[^']*'|[^\s>]+)", _LATIN)
_DOCTYPE = re2.compile(rb"(?si)<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>", _LATIN)
_LINKS = re2.compile(rb"(?i)(href\s*=\s*[\"']?)\s*(?:javascript|data:text)[^\"'\s>]*", _LATIN)


log = logging.getLogger("operatorhub.indexing.index")
_GROUP = f"/apis/{packagemanifests.GROUP}/v1"
PATH = f"{_GROUP}/packagemanifests"
BUSY = timedelta(seconds=120)
NO_ICON = "-"
_CHUNK = 200
# Columns that others fill: they stay when a package is written again.
_KEPT = ("id", "cluster", "icon", "webhooks", "rights", "judged")
Rows = dict[tuple[str, str, str], Package]


class _Meta(msgspec.Struct):
    name: str
    namespace: str = ""
    labels: dict[str, Any] | None = None


class _Channel(msgspec.Struct):
    name: str
    current_csv: str = msgspec.field(name="currentCSV", default="")
    desc: dict[str, Any] | None = msgspec.field(name="currentCSVDesc", default=None)


class _Status(msgspec.Struct, rename="camel"):
    catalog_source: str
    catalog_source_namespace: str
    catalog_source_display_name: str = ""
    provider: Any = None
    default_channel: str = ""
    channels: list[_Channel] | None = None
    deprecation: Any = None


class _Manifest(msgspec.Struct):
    metadata: _Meta
    status: _Status


class _List(msgspec.Struct):
    items: list[msgspec.Raw] | None = None


@dataclass(frozen=True, slots=True)
class BuildOutcome:
    """What a build did: packages written, removed, and how many there are now."""

    written: int
    removed: int
    total: int


def fingerprint(sources: Iterable[Any]) -> str:
    """The state of the CatalogSources in 64 characters; it changes whenever one of them does."""
    parts = sorted(
        f"{namespace_of(source)}/{name_of(source)}/{source['metadata'].get('uid')}/{source['metadata'].get('resourceVersion')}"
        for source in sources
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def build(client: ClusterClient) -> BuildOutcome | None:
    """Bring the index up to date.

    Returns None if another process is building it. Raises KubeError; the reason is stored for the page too.
    """
    if not _begin(client.name):
        return None
    try:
        found = _sources(client)
        outcome = _write(client.name, {} if found is None else _rows(client), fingerprint(found or ()))
        Index.objects.filter(cluster=client.name).update(
            places=places(client, {namespace_of(item) for item in found or ()})
        )
    except KubeError as error:
        Index.objects.filter(cluster=client.name).update(error=str(error), busy_until=None, built_at=timezone.now())
        raise
    except BaseException:
        Index.objects.filter(cluster=client.name).update(busy_until=None)
        raise
    log.info(
        "catalog index of %s: %d packages, %d written, %d removed",
        client.name,
        outcome.total,
        outcome.written,
        outcome.removed,
    )
    return outcome


def _sources(client: ClusterClient) -> list[KubeObject] | None:
    """The CatalogSources; None on a cluster without OLM, which has no packages of its own and is not broken for
    that.
    """
    try:
        type_ = client.find("operators.coreos.com", "v1alpha1", "catalogsources")
    except NotFound:
        return None
    return client.list(type_).items


def fetch_icons(client: ClusterClient) -> int:
    """Get the icons that are not known yet.

    Returns how many packages got theirs; those whose icon can't be had get none.
    """
    done = 0
    for package in Package.objects.filter(cluster=client.name, icon="", source="packagemanifest").iterator():
        if fetch_icon(client, package) is not None:
            done += 1
    if done:
        Index.objects.filter(cluster=client.name).update(revision=F("revision") + 1)
    return done


def fetch_icon(client: ClusterClient, package: Package) -> Icon | None:
    """One package's icon, from the package server. Raises KubeError except NotFound."""
    path = f"{_GROUP}/namespaces/{quote(package.namespace)}/packagemanifests/{quote(package.name)}/icon"
    try:
        found = clean_icon(client.raw("GET", path, accept="image/*, */*"))
    except NotFound:
        found = None
    Package.objects.filter(pk=package.pk).update(icon=found.digest if found else NO_ICON)
    if found is None:
        return None
    icon, _ = Icon.objects.get_or_create(
        digest=found.digest, defaults={"media_type": found.media_type, "data": found.data}
    )
    return icon


@dataclass(frozen=True, slots=True)
class CleanIcon:
    """`digest` is of `data`, in hex."""

    digest: str
    media_type: str
    data: bytes


def clean_icon(data: bytes) -> CleanIcon | None:
    """The icon, safe to serve; None for what is empty, too large, or no image that browsers show."""
    if not data or len(data) > limits.ICON.value:
        return None
    media_type = next((kind for magic, kind in _MAGIC if data.startswith(magic)), "")
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        media_type = "image/webp"
    if not media_type:
        # An SVG says so at its head; no regular expression runs over half a megabyte of untrusted input.
        if not _SVG.match(data[:_SVG_HEAD_BYTES]):
            return None
        media_type, data = "image/svg+xml", _safe_svg(data)
    elif smaller := thumbnail(data):
        media_type, data = "image/webp", smaller
    return CleanIcon(hashlib.sha256(data).hexdigest()[:32], media_type, data)


def _safe_svg(data: bytes) -> bytes:
    """The drawing without scripts."""
    # A document type can define entities that hide what the next lines look for; some drawings need theirs (Adobe's),
    # and keep it.
    if b"<!ENTITY" not in data:
        data = _DOCTYPE.sub(b"", data, count=1)
    harmless: bytes = _LINKS.sub(rb"\1#", _HANDLERS.sub(b"", _ELEMENTS.sub(b"", data)))
    return harmless


def thumbnail(data: bytes) -> bytes | None:
    """The picture as WebP within THUMBNAIL_SIDE x THUMBNAIL_SIDE pixels.

    None if that isn't smaller, or the picture can't be read: it stays as it is.
    """
    if len(data) <= _MIN_THUMBNAIL_BYTES:
        return None
    try:
        with Image.open(io.BytesIO(data), formats=("PNG", "JPEG", "GIF", "WEBP")) as image:
            if image.width * image.height > limits.ICON_PIXELS.value:
                return None
            image.load()
            picture = image.convert("RGBA")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError):
        return None
    picture.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE), Image.Resampling.LANCZOS)
    target = io.BytesIO()
    picture.save(target, "WEBP", quality=85, method=4)
    return target.getvalue() if target.tell() < len(data) else None


def _begin(cluster: str) -> bool:
    """True for the one that may build now."""
    now = timezone.now()
    Index.objects.get_or_create(cluster=cluster)
    free = Q(busy_until=None) | Q(busy_until__lt=now)
    return bool(Index.objects.filter(free, cluster=cluster).update(busy_until=now + BUSY))


def places(client: ClusterClient, homes: set[str]) -> list[str] | None:
    """The namespaces whose catalogs are offered everywhere: those that are offered in a namespace which has none.

    None where that can't be seen.

    OLM's package server knows them by an option of its own (olm upstream, openshift-marketplace on OpenShift); nothing
    in the cluster's objects says it.
    """
    probe = next((item for item in ("default", "kube-public", "kube-system") if item not in homes), "")
    if not probe:
        return None
    try:
        # A table has the metadata only: 130 KB instead of megabytes.
        rows_of_probe = client.table(client.find(packagemanifests.GROUP, "v1", "packagemanifests"), probe).rows
    except KubeError:
        return None
    labels = (read(row.object.get("metadata"), ObjectMeta).labels for row in rows_of_probe)
    return sorted({label.get("catalog-namespace", "") for label in labels} - {"", probe})


def nodes(client: ClusterClient) -> frozenset[str] | None:
    """The os/arch pairs of the cluster's nodes; None if the console can't list them or there are none: then no package
    is hidden.
    """
    try:
        found = client.list(client.find("", "v1", "nodes"), limit=500).items
    except (Forbidden, NotFound):
        return None
    infos = (read(node.get("status"), NodeStatus).node_info for node in found)
    pairs = {
        f"{info.operating_system}/{info.architecture}" for info in infos if info.operating_system and info.architecture
    }
    return frozenset(pairs) or None


def _rows(client: ClusterClient) -> Rows:
    """The packages as the cluster has them, by (namespace, catalog, name).

    One that can't be read is left out and named in the log.
    """
    body = client.raw("GET", PATH)
    machines = nodes(client)
    found: Rows = {}
    for raw in answers.decode_as(body, _List).items or ():
        try:
            row = package_row(client.name, json_bounds.load_as(bytes(raw), _Manifest), machines)
        except msgspec.DecodeError as error:
            log.warning("a PackageManifest of %s can't be read and is left out: %s", client.name, error)
            continue
        # Of a global catalog the package server may answer once a namespace; the catalog's own place is the one that
        # counts.
        found[(row.namespace, row.catalog, row.name)] = row
    return found


def package_row(cluster: str, manifest: _Manifest, nodes: frozenset[str] | None = None) -> Package:
    """What is kept of one PackageManifest."""
    status = manifest.status
    channels = status.channels or []
    channel = next(
        (candidate for candidate in channels if candidate.name == status.default_channel),
        channels[0] if channels else None,
    )
    return rows.row(
        cluster,
        (status.catalog_source_namespace, status.catalog_source, manifest.metadata.name),
        read(channel.desc if channel else None, CSVDescription),
        read({"labels": manifest.metadata.labels}, ObjectMeta).labels,
        nodes,
        default=status.default_channel,
        channel=channel.name if channel else "",
        csv=channel.current_csv if channel else "",
        catalog_title=status.catalog_source_display_name,
        provider=read(status.provider, AppLink).name,
        deprecation=read(status.deprecation, Deprecation).message,
        deprecated=bool(status.deprecation),
    )


def _write(cluster: str, rows: Rows, sources: str) -> BuildOutcome:
    """Make the PackageManifests' part of the table equal to `rows`."""
    mine = Q(cluster=cluster) & ~Q(namespace__in=("~", "-"))
    with transaction.atomic():
        outcome, stale = write(mine, rows)
        Package.objects.filter(pk__in=stale).update(icon="")
        step = 1 if outcome.written or outcome.removed else 0
        Index.objects.filter(cluster=cluster).update(
            revision=F("revision") + step, sources=sources, error="", busy_until=None, built_at=timezone.now()
        )
    return outcome


def write(mine: Q, rows: Rows) -> tuple[BuildOutcome, list[int]]:
    """Make the packages that `mine` selects equal to `rows`, touching only what differs.

    Also the keys of those that have another version now.
    """
    known = {
        (namespace, catalog, name): (key, digest, version)
        for key, namespace, catalog, name, digest, version in Package.objects.filter(mine).values_list(
            "pk", "namespace", "catalog", "name", "digest", "csv"
        )
    }
    new = [row for place, row in rows.items() if place not in known]
    changed = [row for place, row in rows.items() if place in known and known[place][1] != row.digest]
    gone = [key for place, (key, _, _) in known.items() if place not in rows]
    fields = [field.name for field in Package._meta.fields if field.name not in _KEPT]
    for row in changed:
        row.pk = known[(row.namespace, row.catalog, row.name)][0]
    Package.objects.bulk_create(new, batch_size=_CHUNK)
    Package.objects.bulk_update(changed, fields, batch_size=_CHUNK)
    for start in range(0, len(gone), _CHUNK):
        Package.objects.filter(pk__in=gone[start : start + _CHUNK]).delete()
    stale = [row.pk for row in changed if known[(row.namespace, row.catalog, row.name)][2] != row.csv]
    return BuildOutcome(len(new) + len(changed), len(gone), len(rows)), stale
