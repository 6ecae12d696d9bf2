"""The Job that brings a snapshot or a backup into the volume of a new database, before its engine has ever started.

The file is checked against the record beside it, and laid where the engine looks for its data at the first start: as
dump.rdb for an engine without an append-only file, as appendonly.aof for one with it (both engines read a dump at its
beginning).
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from pathlib import Path

from .backup import of_database, record_of, write
from .target import folder
from .versions import older

log = logging.getLogger("sampledb.restore")

#: In the data volume: which file was restored, and whether it is complete.
MARK = "restored.json"
NAMES = ("dump.rdb", "appendonly.aof")


class NoWayError(Exception):
    """The data can't be restored; the message says why."""


def choose(place: Path, snapshot: str, database: str) -> Path:
    """The file that is asked for: by its name, or the newest one of a database."""
    found = [path.name for path in sorted(place.glob("*")) if path.suffix in (".rdb", ".jsonl")]
    if snapshot:
        if snapshot not in found:
            raise NoWayError(f"there is no snapshot {snapshot}; there are: {', '.join(found) or 'none at all'}")
        return place / snapshot
    files = of_database(place, database)
    if not files:
        raise NoWayError(f"there is no snapshot of {database}; there are: {', '.join(found) or 'none at all'}")
    return files[-1]


def checked(path: Path, version: str) -> bytes:
    """The file's content, which is what was written and what this release can read."""
    if path.suffix != ".rdb":
        raise NoWayError(
            f"{path.name} was written by the stand-in for the engine, which has no file that can be brought in"
        )
    data = path.read_bytes()
    if record_of(path).exists():
        record = json.loads(record_of(path).read_text(encoding="utf-8"))
        if hashlib.sha256(data).hexdigest() != record["sha256"]:
            raise NoWayError(f"{path.name} is damaged: its checksum is not the one that was written down")
        if version and older(version, record.get("version", "")):
            raise NoWayError(f"{path.name} comes from {record['version']}, which {version} can not read")
    return data


def bring_in(data: bytes, name: str, volume: Path) -> bool:
    """Lays the data into the volume; False when that was done before. A try that was killed is done again."""
    mark = volume / MARK
    before = json.loads(mark.read_text(encoding="utf-8")) if mark.exists() else None
    if before and before["done"]:
        return False
    if before is None and any((volume / filename).exists() for filename in (*NAMES, "appendonlydir")):
        raise NoWayError("the volume holds data already, which would be lost")
    write(volume, MARK, json.dumps({"name": name, "done": False}).encode())
    for filename in NAMES:
        write(volume, filename, data)
    write(volume, MARK, json.dumps({"name": name, "done": True}).encode())
    return True


def main() -> int:
    """0 when the data are in the volume; 1 with the reason in the log."""
    place, volume = folder("/snapshots"), folder("/data")
    try:
        path = choose(place, os.environ.get("SAMPLEDB_SNAPSHOT", ""), os.environ.get("SAMPLEDB_SOURCE", ""))
        data = checked(path, os.environ.get("SAMPLEDB_VERSION", ""))
        if not bring_in(data, path.name, volume):
            log.info("%s has been brought in before", path.name)
    except NoWayError as error:
        log.error("%s", error)
        return 1
    except OSError as error:
        log.error("could not bring the data in: %s", error.strerror or error)
        return 1
    log.info("brought %s bytes of %s in", len(data), path.name)
    print(json.dumps({"name": path.name, "bytes": len(data)}), flush=True)
    return 0
