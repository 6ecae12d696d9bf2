"""One SQLite file behind the store: what survives ``kill -9``.

WAL with ``synchronous=NORMAL``: a commit costs tens of microseconds and outlives the process (a power cut may lose the
last moments, which a sandbox may). The journal is only ever read at the start.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec

SCHEMA = """
CREATE TABLE IF NOT EXISTS objects (
    resource TEXT, namespace TEXT, name TEXT, version INTEGER, labels BLOB, uid TEXT, data BLOB,
    PRIMARY KEY (resource, namespace, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS deletions (resource TEXT PRIMARY KEY, version INTEGER);
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT);
"""
Row = tuple[str, str, str, int, bytes, dict[str, str], str]


class Journal:
    """Writes go to an open transaction; ``commit`` ends it. ``path`` None: nothing is kept."""

    def __init__(self, path: Path | None):
        self._database: sqlite3.Connection | None = None
        if path is None:
            return
        self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        path.chmod(0o600)
        self._database.execute("PRAGMA journal_mode=WAL")
        self._database.execute("PRAGMA synchronous=NORMAL")
        self._database.execute("PRAGMA cache_size=-2000")
        self._database.executescript(SCHEMA)
        self._open = False
        self._version = 0

    def load(self) -> Iterator[Row]:
        """Every object."""
        if self._database is None:
            return
        decode = msgspec.json.Decoder(dict[str, str]).decode
        query = "SELECT resource, namespace, name, version, data, labels, uid FROM objects"
        for resource, namespace, name, version, data, labels, uid in self._database.execute(query):
            yield resource, namespace, name, version, data, decode(labels) if labels else {}, uid

    def deletions(self) -> list[tuple[str, int]]:
        """Version of the last deletion of each resource."""
        if self._database is None:
            return []
        return list(self._database.execute("SELECT resource, version FROM deletions"))

    def version(self) -> int:
        """The last version handed out."""
        return int(self.meta("version") or 0)

    def meta(self, key: str) -> str:
        """A remembered value, empty when unknown."""
        if self._database is None:
            return ""
        row = self._database.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def set_meta(self, key: str, value: str) -> None:
        """Remembers a value at the next commit."""
        if self._database is not None:
            self._begin()
            self._database.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def _begin(self) -> None:
        if self._database is not None and not self._open:
            self._database.execute("BEGIN")
            self._open = True

    def put(
        self, resource: str, namespace: str, name: str, version: int, data: bytes, labels: dict[str, str], uid: str
    ) -> None:
        if self._database is None:
            return
        self._begin()
        encoded = msgspec.json.encode(labels) if labels else None
        self._database.execute(
            "INSERT OR REPLACE INTO objects (resource, namespace, name, version, labels, uid, data) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (resource, namespace, name, version, encoded, uid, data),
        )

    def remove(self, resource: str, namespace: str, name: str, version: int) -> None:
        if self._database is None:
            return
        self._begin()
        self._database.execute(
            "DELETE FROM objects WHERE resource = ? AND namespace = ? AND name = ?", (resource, namespace, name)
        )
        self._database.execute("INSERT OR REPLACE INTO deletions VALUES (?, ?)", (resource, version))

    def commit(self, version: int) -> None:
        """Ends the transaction; ``version`` is the store's counter."""
        if self._database is None:
            return
        if version != self._version:
            self.set_meta("version", str(version))
            self._version = version
        if self._open:
            self._database.execute("COMMIT")
            self._open = False

    def close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None
