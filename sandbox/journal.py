"""One SQLite file behind the store: what survives ``kill -9``.

WAL with ``synchronous=NORMAL``: a commit costs tens of microseconds and outlives the process (a power cut may lose the
last moments, which a sandbox may). The journal is only ever read at the start.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

SCHEMA = """
CREATE TABLE IF NOT EXISTS objects (
    resource TEXT, namespace TEXT, name TEXT, version INTEGER, labels BLOB, uid TEXT, data BLOB,
    PRIMARY KEY (resource, namespace, name)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS deletions (resource TEXT PRIMARY KEY, version INTEGER);
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT);
"""
Row = tuple[str, str, str, int, bytes, dict[str, str], str]


class JournalError(Exception):
    """A write failed, for instance on a full disk; everything since the last commit is undone.

    ``lost``: other writes were among it.
    """

    def __init__(self, problem: str, *, lost: bool):
        super().__init__(problem)
        self.lost = lost


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
        self._writes = 0
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
        self._write("INSERT OR REPLACE INTO meta VALUES (?, ?)", key, value)

    def _write(self, statement: str, *values: Any) -> None:
        """Into the open transaction; JournalError."""
        if self._database is None:
            return
        try:
            # SQLite may have ended the transaction itself (https://sqlite.org/lang_transaction.html, section 3): only
            # it knows.
            if not self._database.in_transaction:
                if self._writes:
                    raise sqlite3.OperationalError("the transaction was rolled back")
                self._database.execute("BEGIN")
            self._database.execute(statement, values)
        except sqlite3.Error as problem:
            raise self._undone(problem, lost=self._writes > 0) from problem
        self._writes += 1

    def _undone(self, problem: sqlite3.Error, *, lost: bool) -> JournalError:
        """Rolls back what is left of the transaction."""
        if self._database is not None and self._database.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                self._database.execute("ROLLBACK")
        self._writes = 0
        return JournalError(str(problem), lost=lost)

    def put(
        self, resource: str, namespace: str, name: str, version: int, data: bytes, labels: dict[str, str], uid: str
    ) -> None:
        encoded = msgspec.json.encode(labels) if labels else None
        self._write(
            "INSERT OR REPLACE INTO objects (resource, namespace, name, version, labels, uid, data) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            *(resource, namespace, name, version, encoded, uid, data),
        )

    def remove(self, resource: str, namespace: str, name: str, version: int) -> None:
        self._write("DELETE FROM objects WHERE resource = ? AND namespace = ? AND name = ?", resource, namespace, name)
        self._write("INSERT OR REPLACE INTO deletions VALUES (?, ?)", resource, version)

    def commit(self, version: int) -> None:
        """Ends the transaction; ``version`` is the store's counter. JournalError."""
        if self._database is None:
            return
        if self._writes and version != self._version:
            self.set_meta("version", str(version))
            self._version = version
        if self._writes:
            try:
                # Fails, too, where SQLite has rolled the transaction back.
                self._database.execute("COMMIT")
            except sqlite3.Error as problem:
                raise self._undone(problem, lost=True) from problem
        self._writes = 0

    def close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None
