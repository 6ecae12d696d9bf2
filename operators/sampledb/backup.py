"""The Job that copies a database's data into the snapshot volume, and removes backups that are too old.

The data comes over the network as a follower gets it, so the Job needs no access to the database's volume. A file appears
under its final name only when it is complete. The last line of output is a JSON record for the operator.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import time
from pathlib import Path

from . import resp
from .target import Target, folder

log = logging.getLogger("sampledb.backup")


def data_of(connection: resp.Connection) -> tuple[bytes, str]:
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
    """The complete file, written beside its final name first."""
    place.mkdir(parents=True, exist_ok=True)
    partial = place / f".{name}.part"
    partial.write_bytes(data)
    return partial.rename(place / name)


def prune(place: Path, prefix: str, keep: int) -> list[str]:
    """Removes the oldest files that begin with ``prefix`` until ``keep`` are left; returns their names."""
    files = sorted(place.glob(f"{prefix}*"))
    doomed = files[: max(0, len(files) - keep)]
    for path in doomed:
        path.unlink()
    return [path.name for path in doomed]


def main() -> int:
    """0 when the copy is there; 1 with the reason in the log."""
    target = Target.from_environment()
    kind = os.environ.get("SAMPLEDB_COPY", "backup")
    place = folder("/snapshots")
    moment = time.gmtime()
    try:
        with target.connect(30.0) as connection:
            keys = connection.call("DBSIZE")
            data, suffix = data_of(connection)
    except (OSError, resp.RefusedError) as error:
        log.error("could not copy %s: %s", target.name, error)
        return 1
    prefix = f"{target.name}-{kind}-"
    path = write(place, prefix + time.strftime("%Y%m%dT%H%M%SZ", moment) + suffix, data)
    log.info("wrote %s keys, %s bytes to %s", keys, len(data), path)
    if retention := int(os.environ.get("SAMPLEDB_RETENTION", "0")):
        for name in prune(place, prefix, retention):
            log.info("removed the old backup %s", name)
    record = {
        "name": path.name,
        "kind": kind,
        "database": target.name,
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", moment),
        "keys": keys,
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    print(json.dumps(record), flush=True)
    return 0
