"""Reads one of the console's own catalogs into the database: opens it, whatever its kind, and makes rows of its drafts.

Rows are written as they come, under the next generation, which isn't visible; at the end one short transaction makes it
current. So a catalog of 50 MB takes little memory and holds no locks, and a failed reading keeps the old contents.
Unchanged rows aren't written again.

How a kind of catalog is opened: operatorhub/admin/catalog_kinds.py. In the index a package is described by the newest
version of its default channel.
"""

import logging
from collections.abc import Container, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import KubeError
from kube.reader import read
from kube.types.meta import ObjectMeta
from kube.types.olm import CSVDescription
from operatorhub.admin import catalog_kinds, catalogs
from operatorhub.admin.catalog_kinds import OpenedCatalog
from operatorhub.bundle import bundles
from operatorhub.indexing import index, rows
from operatorhub.indexing.index import clean_icon
from operatorhub.models import Catalog, Icon, Package, PackageGraph, StoredBundle
from operatorhub.sources.drafts import BundleDraft, ChannelEntry, Draft, DraftProblem, Graph, PackageDraft, SourceError

log = logging.getLogger("operatorhub.indexing.refresh")
_CHUNK = 200
_FLUSH = 4 * 1024 * 1024
_MOST_PROBLEMS = 200


@dataclass(slots=True, kw_only=True)
class _Reading:
    """What was read so far. `unchanged`: keys of rows that did not change; `icons`: digests by package."""

    catalog: Catalog
    known: dict[tuple[str, str], tuple[int, str]]
    unchanged: list[int] = field(default_factory=list)
    fresh: list[StoredBundle] = field(default_factory=list)
    weight: int = 0
    seen: set[tuple[str, str]] = field(default_factory=set)
    graphs: list[Graph] = field(default_factory=list)
    icons: dict[str, str] = field(default_factory=dict)
    problems: list[tuple[str, str]] = field(default_factory=list)

    @property
    def generation(self) -> int:
        return self.catalog.generation + 1


def refresh(row: Catalog, client: ClusterClient, *, force: bool = False) -> bool:
    """Bring one catalog up to date; False if another process is reading it, or if it failed: then `error` has the
    reason.

    Errors in the catalog are recorded, not raised.
    """
    if not catalogs.claim(row):
        return False
    row.refresh_from_db()
    try:
        digests = frozenset(bundles.stored_bundles(row).values_list("digest", flat=True))
        with open_catalog(row, client, force=force, digests=digests) as source:
            if source.digest and source.digest == row.digest and row.generation and not force:
                _done(row, {})
                return True
            take(row, source, client)
    except (SourceError, KubeError, OSError, ValueError) as error:
        log.warning("catalog %s of %s can't be read: %s", row, row.cluster, error)
        _done(row, {"state": Catalog.FAILED, "error": str(error).replace("\0", "")})
        return False
    except BaseException:
        _done(
            row,
            {
                "state": Catalog.FAILED,
                "error": _("The console failed to read the catalog. The console's log has details."),
            },
        )
        raise
    return True


def take(row: Catalog, source: OpenedCatalog, client: ClusterClient) -> None:
    """Everything the opened source gives becomes the catalog's."""
    found = _read(row, source.drafts)
    if not found.graphs:
        first = next((f"{place}: {words}" for place, words in found.problems), "")
        raise SourceError(_("No packages found. %(first)s") % {"first": first})
    values = {
        "digest": source.digest,
        "problems": [
            [part.replace("\0", "")[:2000] for part in problem] for problem in found.problems[:_MOST_PROBLEMS]
        ],
        "packages": len(found.graphs),
        "bundles": len(found.seen),
        "generation": found.generation,
    }
    if source.title and not row.title:
        values["title"] = source.title[:512]
    with transaction.atomic():
        for start in range(0, len(found.unchanged), _CHUNK):
            StoredBundle.objects.filter(pk__in=found.unchanged[start : start + _CHUNK]).update(
                generation=found.generation
            )
        Catalog.objects.filter(pk=row.pk).update(**values)
    row.refresh_from_db()
    StoredBundle.objects.filter(catalog=row, generation__lt=row.generation).delete()
    PackageGraph.objects.filter(catalog=row, generation__lt=row.generation).delete()
    changed = not row.describes and write_packages(row, found.graphs, found.icons, client)
    _done(row, {})
    if changed:
        catalogs.bump(row.cluster)
    log.info(
        "catalog %s of %s: %d packages, %d versions, %d left out",
        row,
        row.cluster,
        row.packages,
        row.bundles,
        len(found.problems),
    )


def take_folder(row: Catalog, path: Path, client: ClusterClient) -> None:
    """Read an upload that is unpacked in a temporary folder. Raises SourceError."""
    take(row, catalog_kinds.open_folder(path, stays=False), client)


def _done(row: Catalog, values: dict[str, object]) -> None:
    updates = {"state": Catalog.READY, "error": "", "busy_until": None, "refreshed_at": timezone.now(), **values}
    Catalog.objects.filter(pk=row.pk).update(**updates)


def _read(row: Catalog, drafts: Iterable[Draft]) -> _Reading:
    for model in (StoredBundle, PackageGraph):
        # A reading that was cut short left these.
        model.objects.filter(catalog=row, generation__gt=row.generation).delete()
    known = bundles.stored_bundles(row).values_list("package", "name", "pk", "digest")
    found = _Reading(catalog=row, known={(package, name): (key, digest) for package, name, key, digest in known})
    for draft in drafts:
        if isinstance(draft, DraftProblem):
            found.problems.append((draft.place, draft.words))
        elif isinstance(draft, BundleDraft):
            _bundle(found, draft)
        else:
            _package(found, draft)
    _flush(found)
    PackageGraph.objects.bulk_create(
        (
            PackageGraph(catalog=row, generation=found.generation, package=graph.package, data=bundles.pack(graph))
            for graph in found.graphs
        ),
        batch_size=_CHUNK,
    )
    return found


def _package(found: _Reading, draft: PackageDraft) -> None:
    if not _storable(draft.graph.package):
        found.problems.append((draft.graph.package[:60], _("the name is longer than 253 characters, or isn't text")))
        return
    found.graphs.append(draft.graph)
    if digest := keep_icon(draft.icon):
        found.icons[draft.graph.package] = digest


def _storable(name: str) -> bool:
    """Whether every database takes it: none of ours takes longer names, and PostgreSQL no NUL."""
    return len(name) <= 253 and "\0" not in name


def _bundle(found: _Reading, draft: BundleDraft) -> None:
    place = (draft.package, draft.name)
    if place in found.seen or not draft.name or not all(map(_storable, place)):
        found.problems.append(
            (draft.name[:60] or draft.place, _("the name is missing, too long, or used by another version"))
        )
        return
    found.seen.add(place)
    key, digest = found.known.get(place, (0, ""))
    if digest == draft.digest:
        found.unchanged.append(key)
        return
    csv, manifests = bundles.packed(draft.contents) if draft.contents else (None, None)
    found.fresh.append(
        StoredBundle(
            catalog=found.catalog,
            generation=found.generation,
            package=draft.package,
            name=draft.name,
            version=draft.version.replace("\0", "")[:128],
            image=draft.image.replace("\0", "")[:1024],
            place=draft.place,
            digest=draft.digest,
            csv=csv,
            manifests=manifests,
            partial=bool(draft.contents and draft.contents.partial),
        )
    )
    found.weight += len(csv or b"") + len(manifests or b"")
    if found.weight > _FLUSH or len(found.fresh) >= _CHUNK:
        _flush(found)


def _flush(found: _Reading) -> None:
    StoredBundle.objects.bulk_create(found.fresh)
    found.fresh, found.weight = [], 0


@contextmanager
def open_catalog(
    row: Catalog, client: ClusterClient, *, force: bool = False, digests: Container[str] = ()
) -> Iterator[OpenedCatalog]:
    """The catalog's contents, to be read inside the `with` block.

    What is known already is not fetched again unless `force`; bundles with these digests are not read in full. Raises
    SourceError: what happened to which place; and KubeError.
    """
    known = "" if force or not row.generation else row.digest
    with ExitStack() as stack:
        yield catalog_kinds.BY_VALUE[row.kind].open(row, client, known, digests, stack)


def write_packages(row: Catalog, graphs: list[Graph], drawn: Mapping[str, str], client: ClusterClient) -> bool:
    """Make the index's packages of this catalog equal to `graphs`; True when something changed.

    `drawn`: digests of icons that the catalog gave, by package; others are the CSVs'.
    """
    known = {
        (package, name): key for key, package, name in bundles.stored_bundles(row).values_list("pk", "package", "name")
    }
    nodes = index.nodes(client)
    made: index.Rows = {}
    for graph in graphs:
        head = _head_entry(graph)
        key = known.get((graph.package, head.name)) if head else None
        new_row = _package_row(row, graph, head, _stored_csv(key), nodes)
        made[(new_row.namespace, new_row.catalog, new_row.name)] = new_row
    mine = Q(cluster=row.cluster, namespace=row.namespace, catalog=row.name)
    with transaction.atomic():
        outcome, stale = index.write(mine, made)
        Package.objects.filter(pk__in=stale).update(icon="")
        changed = outcome.written + outcome.removed
        for name, digest in drawn.items():
            changed += Package.objects.filter(mine, name=name).exclude(icon=digest).update(icon=digest)
    for found in Package.objects.filter(mine, icon="").only("pk", "name", "csv"):
        digest = keep_icon(_icon_of_csv(_stored_csv(known.get((found.name, found.csv)))))
        changed += Package.objects.filter(pk=found.pk).update(icon=digest or index.NO_ICON)
    return bool(changed)


def keep_icon(data: bytes) -> str:
    """Sanitizes and stores the icon; returns its digest, '' if it isn't an image."""
    clean = clean_icon(data) if data else None
    if clean is None:
        return ""
    Icon.objects.get_or_create(digest=clean.digest, defaults={"media_type": clean.media_type, "data": clean.data})
    return clean.digest


def _package_row(
    row: Catalog, graph: Graph, head: ChannelEntry | None, csv: Mapping[str, Any], nodes: frozenset[str] | None
) -> Package:
    """One package as a row of the index; `default` is '' if its default channel doesn't exist."""
    channel = graph.channels[0].name if graph.channels else ""
    return rows.row(
        row.cluster,
        (row.namespace, row.name, graph.package),
        bundles.csv_description(csv),
        read(csv.get("metadata"), ObjectMeta).labels,
        nodes,
        default=graph.default if channel == graph.default else "",
        channel=channel,
        csv=head.name if head else "",
        version=head.version if head else "",
        catalog_title=row.title or row.name,
        deprecation=graph.deprecated,
        source=row.kind,
    )


def _head_entry(graph: Graph) -> ChannelEntry | None:
    return graph.channels[0].entries[0] if graph.channels and graph.channels[0].entries else None


def _stored_csv(key: int | None) -> Mapping[str, Any]:
    if key is None:
        return {}
    return bundles.stored_csv(StoredBundle.objects.select_related("catalog").defer("manifests").get(pk=key))


def _icon_of_csv(csv: Mapping[str, Any]) -> bytes:
    icons = read(csv.get("spec"), CSVDescription).icon
    return next((icon.data for icon in icons if icon.data), b"")
