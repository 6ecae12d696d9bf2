"""The Job that copies a database's data into the snapshot volume, and removes backups that are too old.

The data comes over the network as a follower gets it, so the Job needs no access to the database's volume. A file
appears under its final name only when it is complete. The last line of output is a JSON record for the operator.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import logging
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from . import resp
from .database import SNAPSHOTS
from .target import DatabaseTarget, folder

log = logging.getLogger("sampledb.backup")


def data_of(connection: resp.RespConnection) -> tuple[bytes, str]:
    """All data and the suffix that names its format: the engine's own, or one DUMP a line where it can not do that."""
    try:
        return connection.transfer(), ".rdb"
    except resp.RefusedError:
        keys = connection.call("KEYS", "*")
        assert isinstance(keys, list)
        lines = []
        for key in keys:
            assert isinstance(key, bytes)
            value = connection.call("DUMP", key)
            assert isinstance(value, bytes)
            lines.append(json.dumps({"key": key.hex(), "dump": value.hex()}))
        return "\n".join(lines).encode(), ".jsonl"


def write(place: Path, name: str, data: bytes) -> Path:
    """The complete file, written beside its final name first; what a failed or killed try left there goes. OSError."""
    place.mkdir(parents=True, exist_ok=True)
    partial = place / f".{name}.part"
    try:
        with partial.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        partial.unlink(missing_ok=True)
        raise
    return partial.rename(place / name)


@contextlib.contextmanager
def alone(place: Path, database: str) -> Iterator[int]:
    """One writer of a database's copies at a time, and the second that its copy is named by. OSError.

    One that is asked for by hand may come in the same second as the schedule's. No second is given twice, not even when
    its copy is gone already: the operator would take the new one for the one that it saw removed. Each is later than
    the last, whatever the clocks of the machines say, for the oldest goes first. The lock ends with its process,
    however that ends.
    """
    place.mkdir(parents=True, exist_ok=True)
    with (place / f".{database}.lock").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        moment = max(int(time.time()), int(file.read() or 0) + 1)
        file.truncate(0)
        file.write(str(moment))
        file.flush()
        yield moment


def file_away(place: Path, record: dict[str, object], data: bytes, suffix: str, moment: int) -> Path:
    """The copy with its record beside it, under a name that says the second; ``name`` and ``time`` are added to the
    record. OSError, with neither left.
    """
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(moment))
    name = f"{record['database']}-{record['kind']}-{stamp}{suffix}"
    record |= {"name": name, "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))}
    beside = write(place, record_of(place / name).name, json.dumps(record).encode())
    try:
        return write(place, name, data)
    except OSError:
        beside.unlink()
        raise


def of_database(place: Path, database: str, kinds: str = "backup|snapshot") -> list[Path]:
    """The files of one database, oldest first.

    Whole names are compared: ``shop`` must not lose what ``shop-backup-2`` wrote.
    """
    pattern = re.compile(rf"{re.escape(database)}-(?:{kinds})-(\d{{8}}T\d{{6}}Z)\.(?:rdb|jsonl)")
    found = [(match[1], path) for path in place.glob("*") if (match := pattern.fullmatch(path.name))]
    return [path for _, path in sorted(found)]


def prune(place: Path, database: str, keep: int) -> list[str]:
    """Removes the oldest backups of a database until ``keep`` are left; returns their names."""
    doomed = of_database(place, database, "backup")[:-keep]
    for path in doomed:
        path.unlink()
        record_of(path).unlink(missing_ok=True)
    for partial in place.glob(f".{database}-backup-*.part"):
        partial.unlink()  # its writer was killed: who writes is alone
    return [path.name for path in doomed]


def prune_same(place: Path, database: str, life: str, newest: str) -> list[str]:
    """Removes the snapshots that were written of this life of a database before the newest one: its Pod was killed
    before it was recorded.
    """
    doomed = [
        path
        for path in of_database(place, database, "snapshot")
        if path.name != newest and noted(path).get("life") == life
    ]
    for path in doomed:
        path.unlink()
        record_of(path).unlink(missing_ok=True)
    return [path.name for path in doomed]


def noted(path: Path) -> dict[str, Any]:
    """The record beside a copy; empty when there is none that can be read."""
    try:
        return dict(json.loads(record_of(path).read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return {}


def record_of(path: Path) -> Path:
    """The file beside a copy that says what is in it."""
    return path.with_name(f"{path.name}.json")


def main() -> int:
    """0 when the copy is there; 1 with the reason in the log."""
    target = DatabaseTarget.from_environment()
    kind = os.environ.get("SAMPLEDB_COPY", "backup")
    place = folder("/snapshots")
    try:
        with target.connect(30.0) as connection:
            keys = connection.call("DBSIZE")
            data, suffix = data_of(connection)
    except (OSError, resp.RefusedError) as error:
        log.error("could not copy %s: %s", target.name, error)
        return 1
    record: dict[str, object] = {
        "kind": kind,
        "database": target.name,
        "version": os.environ.get("SAMPLEDB_VERSION", ""),
        "keys": keys,
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    if life := os.environ.get("SAMPLEDB_LIFE"):
        record["life"] = life
    removed: list[str] = []
    try:
        with alone(place, target.name) as moment:
            path = file_away(place, record, data, suffix, moment)
            log.info("wrote %s keys, %s bytes to %s", keys, len(data), path)
            if retention := int(os.environ.get("SAMPLEDB_RETENTION", "0")):
                removed = prune(place, target.name, retention)
            if life:
                removed += prune_same(place, target.name, life, path.name)
            all_of_it = [noted(backup) for backup in of_database(place, target.name, "backup")]
    except OSError as error:
        log.error("could not write %s bytes to the volume %s: %s", len(data), SNAPSHOTS, error.strerror or error)
        return 1
    for old in removed:
        log.info("removed the old copy %s", old)
    backups = [item for item in all_of_it if item.get("name")]
    print(json.dumps({**record, "removed": removed, "backups": backups}), flush=True)
    return 0
