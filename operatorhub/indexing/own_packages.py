"""The packages of a catalog that the console read itself, in the index: each as its default channel's newest version
says.
"""

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Q

from kube.client import ClusterClient
from operatorhub.bundle import storage
from operatorhub.csv import items, mapping, text
from operatorhub.indexing import icons, index, rows
from operatorhub.models import Catalog, Icon, Package, StoredBundle
from operatorhub.sources.drafts import ChannelEntry, Graph


def write(row: Catalog, graphs: list[Graph], drawn: Mapping[str, str], client: ClusterClient) -> bool:
    """Make the index's packages of this catalog equal to `graphs`; True when something changed.

    `drawn`: digests of icons that the catalog gave, by package; others are the CSVs'.
    """
    known = {(package, name): key for key, package, name in storage.bundles(row).values_list("pk", "package", "name")}
    nodes = index.nodes(client)
    made: index.Rows = {}
    for graph in graphs:
        head = _head(graph)
        key = known.get((graph.package, head.name)) if head else None
        new_row = package(row, graph, head, _csv(key), nodes)
        made[(new_row.namespace, new_row.catalog, new_row.name)] = new_row
    mine = Q(cluster=row.cluster, namespace=row.namespace, catalog=row.name)
    with transaction.atomic():
        outcome, stale = index.write(mine, made)
        Package.objects.filter(pk__in=stale).update(icon="")
        changed = outcome.written + outcome.removed
        for name, digest in drawn.items():
            changed += Package.objects.filter(mine, name=name).exclude(icon=digest).update(icon=digest)
    for found in Package.objects.filter(mine, icon="").only("pk", "name", "csv"):
        digest = keep_icon(_icon(_csv(known.get((found.name, found.csv)))))
        changed += Package.objects.filter(pk=found.pk).update(icon=digest or index.NO_ICON)
    return bool(changed)


def keep_icon(data: bytes) -> str:
    """Sanitizes and stores the icon; returns its digest, '' if it isn't an image."""
    clean = icons.clean(data) if data else None
    if clean is None:
        return ""
    Icon.objects.get_or_create(digest=clean.digest, defaults={"media_type": clean.media_type, "data": clean.data})
    return clean.digest


def package(
    row: Catalog, graph: Graph, head: ChannelEntry | None, csv: Mapping[str, Any], nodes: frozenset[str] | None
) -> Package:
    """One package as a row. One whose default channel does not exist has none."""
    channel = graph.channels[0].name if graph.channels else ""
    return rows.row(
        row.cluster,
        (row.namespace, row.name, graph.package),
        rows.desc(csv),
        rows.labels(csv),
        nodes,
        default=graph.default if channel == graph.default else "",
        channel=channel,
        csv=head.name if head else "",
        version=head.version if head else "",
        catalog_title=row.title or row.name,
        deprecation=graph.deprecated,
        source=row.kind,
    )


def _head(graph: Graph) -> ChannelEntry | None:
    return graph.channels[0].entries[0] if graph.channels and graph.channels[0].entries else None


def _csv(key: int | None) -> Mapping[str, Any]:
    if key is None:
        return {}
    return storage.csv_of(StoredBundle.objects.select_related("catalog").defer("manifests").get(pk=key))


def _icon(csv: Mapping[str, Any]) -> bytes:
    for item in items(mapping(csv.get("spec")).get("icon")):
        try:
            return base64.b64decode("".join(text(item.get("base64data")).split()), validate=True)
        except binascii.Error:
            continue
    return b""
