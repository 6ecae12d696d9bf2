"""The catalogs' contents in one SQLite file, so that a second start reads no YAML and nothing large stays in memory.

Written by the loader (another process), read by the package API and the resolver. A package is replaced in one
transaction; its stamp (the newest file time and the sizes of its folder) says whether it has to be read again.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .manifests import Api, PackageRequirement

Object = dict[str, Any]

_TABLES = """
CREATE TABLE IF NOT EXISTS package (
  catalog TEXT NOT NULL, name TEXT NOT NULL, stamp TEXT NOT NULL, default_channel TEXT NOT NULL, error TEXT NOT NULL,
  labels TEXT NOT NULL, status BLOB NOT NULL, icon BLOB, icon_type TEXT, icon_tag TEXT,
  PRIMARY KEY (catalog, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS bundle (
  catalog TEXT NOT NULL, package TEXT NOT NULL, channel TEXT NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL,
  version TEXT NOT NULL, folder TEXT NOT NULL, replaces TEXT NOT NULL, skips TEXT NOT NULL, skip_range TEXT NOT NULL,
  needs TEXT NOT NULL,
  PRIMARY KEY (catalog, package, channel, position)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS provides (
  catalog TEXT NOT NULL, package TEXT NOT NULL, bundle TEXT NOT NULL,
  api_group TEXT NOT NULL, api_version TEXT NOT NULL, api_kind TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS provides_api ON provides (api_group, api_version, api_kind);
CREATE INDEX IF NOT EXISTS provides_package ON provides (catalog, package);
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelBundle:
    """One bundle as a member of one channel. ``position`` counts from the channel's head."""

    catalog: str
    package: str
    channel: str
    position: int
    name: str
    version: str
    folder: str
    replaces: str
    skips: tuple[str, ...]
    skip_range: str
    provides: frozenset[Api]
    needs_apis: tuple[Api, ...]
    needs_packages: tuple[PackageRequirement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPackage:
    """A package as the package API shows it; ``status`` is JSON without icons."""

    catalog: str
    name: str
    labels: dict[str, str]
    status: bytes
    icon: bytes | None
    icon_type: str
    icon_tag: str


class CatalogStore:
    """The SQLite file. Each process has its own connection."""

    def __init__(self, path: Path):
        self._db = sqlite3.connect(path, timeout=30, isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.execute("PRAGMA cache_size=-512")
        self._db.executescript(_TABLES)
        #: By catalog and package, as long as the file stays as it is.
        self._deprecations: dict[tuple[str, str], Object] = {}
        self._bundles: dict[tuple[str, str], list[ChannelBundle]] = {}
        self._state: tuple[int, int] = (-1, -1)

    def close(self) -> None:
        """Closes the connection."""
        self._db.close()

    # What the loader writes.

    def stamps(self, catalog: str) -> dict[str, str]:
        """Package name → stamp of what was read."""
        return dict(self._db.execute("SELECT name, stamp FROM package WHERE catalog = ?", (catalog,)))

    def replace(
        self,
        package: StoredPackage,
        stamp: str,
        default_channel: str,
        bundles: Iterable[ChannelBundle],
        error: str = "",
    ) -> None:
        """Puts one package in place of what was known of it.

        ``error`` says why it could not be read (then it has no bundles).
        """
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._remove(package.catalog, package.name)
            head = (package.catalog, package.name, stamp, default_channel, error, json.dumps(package.labels))
            image = (package.icon, package.icon_type, package.icon_tag)
            row = (*head, zlib.compress(package.status, 6), *image)
            self._db.execute("INSERT INTO package VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            provides = set()
            for bundle in bundles:
                self._db.execute("INSERT INTO bundle VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", _bundle_row(bundle))
                provides |= {(bundle.catalog, bundle.package, bundle.name, *_row(api)) for api in bundle.provides}
            self._db.executemany("INSERT INTO provides VALUES (?, ?, ?, ?, ?, ?)", sorted(provides))
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise

    def remove(self, catalog: str, names: Iterable[str]) -> None:
        """Forgets packages."""
        for name in names:
            self._remove(catalog, name)

    def remove_other_catalogs(self, keep: Iterable[str]) -> None:
        """Forgets the catalogs that are no longer configured."""
        known = {row[0] for row in self._db.execute("SELECT DISTINCT catalog FROM package")}
        for catalog in known - set(keep):
            self.remove(catalog, list(self.stamps(catalog)))

    def _remove(self, catalog: str, name: str) -> None:
        self._db.execute("DELETE FROM package WHERE catalog = ? AND name = ?", (catalog, name))
        self._db.execute("DELETE FROM bundle WHERE catalog = ? AND package = ?", (catalog, name))
        self._db.execute("DELETE FROM provides WHERE catalog = ? AND package = ?", (catalog, name))

    # What the package API reads.

    def packages(self, catalog: str, name: str = "") -> Iterator[StoredPackage]:
        """The packages of a catalog that could be read, by name, without icons."""
        sql = "SELECT catalog, name, labels, status, icon_type, icon_tag FROM package WHERE catalog = ? AND error = ''"
        rows = self._db.execute(
            sql + (" AND name = ?" if name else " ORDER BY name"), (catalog, name) if name else (catalog,)
        )
        for row in rows:
            yield StoredPackage(
                catalog=row[0],
                name=row[1],
                labels=json.loads(row[2]),
                status=zlib.decompress(row[3]),
                icon=None,
                icon_type=row[4] or "",
                icon_tag=row[5] or "",
            )

    def icon(self, catalog: str, name: str) -> tuple[bytes, str, str] | None:
        """Image, media type and entity tag; None when the package has no icon."""
        sql = "SELECT icon, icon_type, icon_tag FROM package WHERE catalog = ? AND name = ? AND icon IS NOT NULL"
        row = self._db.execute(sql, (catalog, name)).fetchone()
        return (bytes(row[0]), str(row[1]), str(row[2])) if row else None

    def counts(self, catalog: str) -> tuple[int, int]:
        """The numbers of readable and of unreadable packages."""
        row = self._db.execute(
            "SELECT COUNT(*), COALESCE(SUM(error != ''), 0) FROM package WHERE catalog = ?", (catalog,)
        ).fetchone()
        return int(row[0]) - int(row[1]), int(row[1])

    # What the resolver reads.

    def deprecations(self, catalog: str, package: str) -> Object:
        """The deprecations of a package, its channels and their entries, as in a PackageManifest's status."""
        self._forget_what_changed()
        key = (catalog, package)
        if key not in self._deprecations:
            found = next(self.packages(catalog, package), None) if package else None
            self._deprecations[key] = _deprecated_only(json.loads(found.status)) if found else {}
        return self._deprecations[key]

    def _forget_what_changed(self) -> None:
        """Drops the cache when the file has changed."""
        # https://www.sqlite.org/pragma.html#pragma_data_version: changes of other connections; total_changes: of this
        # one.
        state = (self._db.execute("PRAGMA data_version").fetchone()[0], self._db.total_changes)
        if state != self._state:
            self._state = state
            self._deprecations.clear()
            self._bundles.clear()

    def default_channel(self, catalog: str, package: str) -> str:
        """The default channel; empty when the package doesn't exist."""
        row = self._db.execute(
            "SELECT default_channel FROM package WHERE catalog = ? AND name = ?", (catalog, package)
        ).fetchone()
        return str(row[0]) if row else ""

    def bundles(self, catalog: str, package: str, channel: str = "") -> list[ChannelBundle]:
        """A package's bundles, from each channel's head; of all channels when none is named."""
        self._forget_what_changed()
        key = (catalog, package)
        if key not in self._bundles:
            sql = "SELECT * FROM bundle WHERE catalog = ? AND package = ? ORDER BY channel, position"
            self._bundles[key] = [self._bundle(row) for row in self._db.execute(sql, key).fetchall()]
        return [bundle for bundle in self._bundles[key] if channel in ("", bundle.channel)]

    def providers(self, catalog: str, api: Api) -> list[ChannelBundle]:
        """Bundles that provide a kind: the default channel's first, from its head."""
        sql = (
            "SELECT DISTINCT package, bundle FROM provides WHERE api_group = ? AND api_version = ? AND api_kind = ? AND"
            " catalog = ?"
        )
        found = []
        for package, name in self._db.execute(sql, (*_row(api), catalog)).fetchall():
            default = self.default_channel(catalog, package)
            of_name = [bundle for bundle in self.bundles(catalog, package) if bundle.name == name]
            found += sorted(of_name, key=lambda bundle: bundle.channel != default)[:1]
        return sorted(found, key=lambda bundle: (bundle.package, bundle.position))

    def _bundle(self, row: tuple[Any, ...]) -> ChannelBundle:
        apis, packages = json.loads(row[10])
        provides = self._db.execute(
            "SELECT api_group, api_version, api_kind FROM provides WHERE catalog = ? AND package = ? AND bundle = ?",
            (row[0], row[1], row[4]),
        )
        catalog, package, channel, position, name, version, folder, replaces = row[:8]
        return ChannelBundle(
            catalog=catalog,
            package=package,
            channel=channel,
            position=position,
            name=name,
            version=version,
            folder=folder,
            replaces=replaces,
            skips=tuple(json.loads(row[8])),
            skip_range=row[9],
            provides=frozenset(Api(*api) for api in provides),
            needs_apis=tuple(Api(*api) for api in apis),
            needs_packages=tuple(PackageRequirement(*package) for package in packages),
        )


def _bundle_row(bundle: ChannelBundle) -> tuple[str | int, ...]:
    needs = [[_row(api) for api in bundle.needs_apis], [[p.name, p.range] for p in bundle.needs_packages]]
    head = (bundle.catalog, bundle.package, bundle.channel, bundle.position, bundle.name, bundle.version, bundle.folder)
    return (*head, bundle.replaces, json.dumps(bundle.skips), bundle.skip_range, json.dumps(needs))


def _row(api: Api) -> tuple[str, str, str]:
    return api.group, api.version, api.kind


def _deprecated_only(status: Object) -> Object:
    """The deprecations in a PackageManifest's status, with the names of what is deprecated."""
    channels = []
    for channel in status.get("channels") or []:
        entries = [entry for entry in channel.get("entries") or [] if entry.get("deprecation")]
        if entries or channel.get("deprecation"):
            about = {"name": channel["name"], "deprecation": channel.get("deprecation")}
            channels.append({**about, "entries": [{key: e[key] for key in ("name", "deprecation")} for e in entries]})
    return {"deprecation": status.get("deprecation"), "channels": channels}
