"""The console's own catalogs: which there are, when each is read again, and who can change them.

Those of the setting CATALOG_FOLDERS come and go with it. `<namespace>/<name>=<path>` DESCRIBES the CatalogSource of
that name: its packages are the CatalogSource's own, and the folder gives what PackageManifests do not hold;
`<name>=<path>` is a catalog of its own.

These catalogs aren't objects of the cluster, so its RBAC doesn't protect them. Users who can create CatalogSources in
all namespaces can already make the cluster read any image, so they can make the console read one. Without OLM only a
console that listens only on localhost allows it. The same holds for folders: elsewhere a path would show the server's
files to its users.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from django.conf import settings
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from console.web.access import can
from kube.client import ClusterClient
from kube.errors import Forbidden, NotFound
from operatorhub import olm
from operatorhub.models import Catalog, Index, Package

OWN, CLUSTER = "~", "-"
# Longer than any reading may take; a worker that died leaves the catalog busy until then.
BUSY = timedelta(seconds=300)
# The schedule comes a little earlier or later.
_SLACK = timedelta(seconds=15)
_UNSAFE = re.compile(r"[^a-z0-9.-]+")


@dataclass(frozen=True, slots=True)
class Given:
    """One entry of CATALOG_FOLDERS. `describes`: '' for a catalog of its own."""

    name: str
    describes: str
    path: str


def given(entries: Iterable[str]) -> tuple[Given, ...]:
    """What stands in the setting; an entry without a name is left out (console/settings.py refuses it)."""
    found = []
    for entry in entries:
        place, _sign, path = entry.partition("=")
        if place and path:
            found.append(Given(slug(place), place if "/" in place else "", path))
    return tuple(found)


def slug(name: str) -> str:
    """A name for an address, of any text."""
    return _UNSAFE.sub("-", name.lower()).strip("-.")[:253] or "catalog"


def sync(cluster: str, *, own_only: bool = False) -> None:
    """Make the rows of given folders those of the setting.

    `own_only`: without those that describe the default cluster's CatalogSources.
    """
    entries = given(settings.CATALOG_FOLDERS)
    wanted = {entry.name: entry for entry in entries if not (own_only and entry.describes)}
    gone = Catalog.objects.filter(cluster=cluster, given=True).exclude(name__in=wanted)
    for row in gone:
        remove(row)
    for name, source in wanted.items():
        values = {
            "kind": Catalog.FOLDER,
            "location": source.path,
            "describes": source.describes,
            "given": True,
            "interval": 300,
        }
        Catalog.objects.update_or_create(
            cluster=cluster,
            namespace=OWN,
            name=name,
            defaults=values,
            create_defaults={**values, "title": source.describes},
        )


def add(cluster: str, typed: Mapping[str, Any]) -> Catalog:
    """The catalog, not read yet. `typed`: the cleaned data of catalog_forms.OwnCatalogForm."""
    return Catalog.objects.create(
        cluster=cluster,
        kind=typed["from"],
        namespace=OWN,
        name=typed["name"],
        title=typed["title"][:512],
        location=typed["location"],
        interval=typed["interval"],
    )


def describe(cluster: str, namespace: str, name: str, title: str, image: str) -> Catalog:
    """The catalog that reads a CatalogSource's image, made where there is none."""
    values = {"kind": Catalog.IMAGE, "location": image, "describes": f"{namespace}/{name}", "interval": 3600}
    row, _made = Catalog.objects.update_or_create(
        cluster=cluster,
        namespace=OWN,
        name=slug(f"{namespace}-{name}"),
        defaults=values,
        create_defaults={**values, "title": title},
    )
    return row


def due(cluster: str) -> tuple[Catalog, ...]:
    """Those whose time has come, never read ones first."""
    now = timezone.now()
    rows = (
        Catalog.objects.filter(cluster=cluster)
        .exclude(kind=Catalog.UPLOAD)
        .order_by(F("refreshed_at").asc(nulls_first=True))
    )
    return tuple(row for row in rows if _is_due(row, now))


def _is_due(row: Catalog, now: datetime) -> bool:
    if row.refreshed_at is None or _cut_short(row):
        return True
    if not row.interval:
        return False
    # A catalog that has never been read is retried on each visit.
    never = row.state == Catalog.FAILED and not row.generation
    return never or row.refreshed_at + timedelta(seconds=row.interval) - _SLACK <= now


def _cut_short(row: Catalog) -> bool:
    """Whether its reader died: it is being read, but its time is over."""
    return row.state == Catalog.READING and row.busy_until is not None and row.busy_until < timezone.now()


def claim(row: Catalog) -> bool:
    """True for the one that may read it now."""
    now = timezone.now()
    mine = Catalog.objects.filter(pk=row.pk).exclude(busy_until__gt=now)
    return bool(mine.update(busy_until=now + BUSY, state=Catalog.READING))


def remove(row: Catalog) -> None:
    """The catalog, what was read of it, and its packages."""
    if not row.describes:
        Package.objects.filter(cluster=row.cluster, namespace=row.namespace, catalog=row.name).delete()
    row.delete()
    bump(row.cluster)


def bump(cluster: str) -> None:
    """Readers of the index are to read again."""
    Index.objects.get_or_create(cluster=cluster)
    Index.objects.filter(cluster=cluster).update(revision=F("revision") + 1)


def shown(location: str) -> str:
    """The address without who asks and with what password; nor the words after a question mark, which may be a
    token.
    """
    parts = urlsplit(location) if "://" in location else None
    if parts is None:
        return location
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "…" if parts.query else "", ""))


def change_refusal(client: ClusterClient) -> str:
    """Why this user can't add, refresh or remove the console's own catalogs; '' if they can."""
    try:
        answer = can(client, "create", olm.type_of(client, olm.SOURCES))
    except NotFound:
        if settings.LOCAL_ONLY and not client.config.session:
            return ""
        return _(
            "This cluster has no OLM to check who can add catalogs, so only a console that listens only "
            "on localhost allows it."
        )
    if answer.allowed:
        return ""
    return answer.reason or _(
        "Changing the console's own catalogs requires permission to create CatalogSources in all namespaces."
    )


def check_can_name(client: ClusterClient) -> None:
    """Raises Forbidden if the user can't make the console read an address or image, which it does from its own network
    with its own registry credentials. Requires the permission to make the cluster do the same: create CatalogSources
    or, without OLM, CustomResourceDefinitions. Without sign-in all users share the console's identity and have it.
    """
    if not client.config.session:
        return
    try:
        answer = can(client, "create", olm.type_of(client, olm.SOURCES))
    except NotFound:
        answer = can(client, "create", client.find("apiextensions.k8s.io", "", "customresourcedefinitions"))
    if not answer.allowed:
        raise Forbidden(
            answer.reason
            or _(
                "Entering addresses and images requires permission to create CatalogSources in all namespaces. Select"
                " files instead."
            )
        )


def hide_folders(client: ClusterClient, rows: Iterable[Catalog]) -> None:
    """Takes folders of the server out of rows that are about to be shown, texts included, for a reader who can't
    change these catalogs.
    """
    found = [row for row in rows if row.kind == Catalog.FOLDER and row.location]
    if not found or not change_refusal(client):
        return
    for row in found:
        row.error = row.error.replace(row.location, "…")
        row.problems = [[str(part).replace(row.location, "…") for part in problem] for problem in row.problems]
        row.location = ""
