"""Backups by Pods of a CronJob, and new databases that begin with one: all of it really runs."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest

from examples.operators.tests.places import condition, phase, says
from examples.operators.tests.sampledb.clusters import Databases
from tests.eventually import until

SNAPSHOTS = "sampledb-snapshots"


@pytest.fixture(scope="module")
def library(installed: Databases) -> Iterator[Databases]:
    """Databases with one that is backed up every minute, and by the tests meanwhile."""
    backup = {"enabled": True, "schedule": "* * * * *", "retention": 2}
    installed.create("books", backup=backup, initScript='HSET book:1 title "Emil"\nINCR runs', deletionPolicy="Delete")
    installed.ready("books")
    yield installed
    installed.delete("books")


def written(library: Databases, count: int = 1) -> list[str]:
    """The names of so many backups more. A name says the second, so each waits for one of its own."""
    names = []
    for _ in range(count):
        before = library.get("books")["status"].get("lastBackup") or {}
        until(lambda old=before: time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()) > old.get("time", ""))
        library.back_up("books")
        found = library.until("books", lambda item, old=before: item["status"].get("lastBackup", old) != old)
        names.append(found["status"]["lastBackup"]["name"])
    return names


def test_a_backup_is_written_by_a_pod_that_reads_a_config_map_and_a_secret(library: Databases) -> None:
    before = library.get("books")
    assert condition(before, "BackedUp")["reason"] in ("Scheduled", "BackupWritten")
    (name,) = written(library)
    found = library.until("books", says("BackedUp", "BackupWritten"))
    last = found["status"]["lastBackup"]
    record = json.loads(library.snapshots()[name])
    assert (record["database"], record["kind"], record["version"]) == ("books", "backup", "7.2")
    assert {key: record[key] for key in ("name", "time", "keys", "bytes")} == last
    assert last["keys"] == 3
    spec = library.api.get(library.path("cronjobs", "books-backup")).json["spec"]
    assert (spec["schedule"], spec["concurrencyPolicy"]) == ("* * * * *", "Forbid")
    (container,) = spec["jobTemplate"]["spec"]["template"]["spec"]["containers"]
    sources = {entry["name"]: entry["valueFrom"] for entry in container["env"] if "valueFrom" in entry}
    assert sources["SAMPLEDB_PORT"] == {"configMapKeyRef": {"name": "books-connection", "key": "port"}}
    assert sources["SAMPLEDB_PASSWORD"] == {"secretKeyRef": {"name": "books-credentials", "key": "password"}}
    events = library.events(found["metadata"]["uid"], "BackupWritten")
    assert events["BackupWritten"].startswith("Wrote 3 keys to books-backup-")


def test_the_oldest_backups_go_from_the_volume_and_from_the_list(library: Databases) -> None:
    names = written(library, 3)

    def both() -> bool:
        files = {path.name for path in library.volume(SNAPSHOTS).glob("books-backup-*.rdb")}
        return (
            files == {snapshot for snapshot in library.snapshots() if snapshot.startswith("books-backup-")}
            and len(files) == 2
        )

    assert until(both)
    assert names[0] not in library.snapshots()


def test_a_new_database_begins_with_the_newest_backup_of_another(library: Databases) -> None:
    library.call("books", "SET", "late", "but in")
    written(library)
    library.create("copy", restoreFrom={"database": "books"}, initScript="INCR runs", deletionPolicy="Delete")
    found = library.ready("copy")
    assert found["status"]["restoredFrom"] in library.snapshots()
    assert library.call("copy", "HGET", "book:1", "title") == b"Emil"
    assert library.call("copy", "GET", "late") == b"but in"
    assert library.call("copy", "GET", "runs") == b"1", "a restored database is not set up again"
    assert "copy-restore" in library.api.get(library.path("jobs", "copy-restore")).json["metadata"]["name"]
    events = library.events(found["metadata"]["uid"], "RestoreStarted", "Restored")
    assert events["RestoreStarted"] == "Filling the volume from the newest backup of books"
    # What comes after the restore is kept, and never overwritten by it.
    library.call("copy", "SET", "late", "changed")
    library.kill_pod("copy-0")
    alone = {"propagationPolicy": "Orphan"}  # its Pod stays, and with it a claim on the volume
    assert library.api.delete(library.path("jobs", "copy-restore"), alone).status == 200
    library.api.until_gone(library.path("jobs", "copy-restore"))
    library.ready("copy")
    assert library.call("copy", "GET", "late") == b"changed"
    assert library.api.get(library.path("jobs", "copy-restore")).status == 404
    library.delete("copy")
    library.gone("copy")
    assert library.left("copy") == library.pods("copy", "restore") == []


@pytest.mark.parametrize("append_only", [True, False])
def test_the_last_snapshot_brings_a_deleted_database_back(library: Databases, append_only: bool) -> None:
    name = f"phoenix-{str(append_only).lower()}"
    library.create(name, initScript="SET fire yes", appendOnly=append_only)
    library.ready(name)
    library.delete(name)
    library.gone(name)
    (snapshot,) = [item for item in library.snapshots() if item.startswith(f"{name}-snapshot-")]
    library.create(
        name, restoreFrom={"snapshot": snapshot}, appendOnly=append_only, deletionPolicy="Delete", version="7.2"
    )
    found = library.ready(name)
    assert found["status"]["restoredFrom"] == snapshot
    assert library.call(name, "GET", "fire") == b"yes"
    library.delete(name)


def test_a_full_volume_fails_a_backup_with_a_reason_and_the_next_try_works(library: Databases) -> None:
    library.until("books", says("BackedUp", "BackupWritten"))
    folder = library.volume(SNAPSHOTS)
    now = time.time()
    stamps = [time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now + second)) for second in range(40)]
    full = [folder / f".books-backup-{stamp}.rdb.part" for stamp in stamps]
    for path in full:
        path.symlink_to("/dev/full")
    library.back_up("books")
    found = library.until("books", says("BackedUp", "BackupFailed"))
    assert "bytes to the volume sampledb-snapshots: No space left on device" in condition(found, "BackedUp")["message"]
    assert found["status"]["phase"] == "Ready"
    for path in full:
        path.unlink(missing_ok=True)
    library.until("books", says("BackedUp", "BackupWritten"))
    assert not list(folder.glob(".*.part"))
    library.events(found["metadata"]["uid"], "BackupFailed")


def failed(library: Databases, name: str, **spec: Any) -> str:
    """What a database says that can't be restored; the first try is enough to know."""
    library.create(name, **spec)
    found = library.until(name, lambda item: "try failed" in condition(item, "Ready").get("message", ""))
    assert found["status"]["phase"] == "Restoring"
    library.delete(name)
    library.gone(name)
    assert library.left(name) == []
    return str(condition(found, "Ready")["message"])


def test_what_can_not_be_restored_is_said(library: Databases) -> None:
    (name,) = written(library)
    place = library.volume(SNAPSHOTS)
    message = failed(library, "lost", restoreFrom={"database": "nobody"})
    assert "there is no snapshot of nobody; there are: " in message
    assert name in message
    assert "7.2, which 6.2 can not read" in failed(library, "old", version="6.2", restoreFrom={"snapshot": name})
    broken = "broken-backup-20260101T000000Z.rdb"
    (place / broken).write_bytes((place / name).read_bytes()[:-9] + b"x" * 9)
    (place / f"{broken}.json").write_bytes((place / f"{name}.json").read_bytes())
    assert f"{broken} is damaged" in failed(library, "bad", restoreFrom={"snapshot": broken})
    for path in place.glob("broken-*"):
        path.unlink()


def test_a_schedule_that_only_the_cluster_can_refuse(library: Databases) -> None:
    library.create("never", backup={"enabled": True, "schedule": "0 0 1 FOO *"}, deletionPolicy="Delete")
    found = library.until("never", says("BackedUp", "ScheduleRefused"))
    assert "FOO" in condition(found, "BackedUp")["message"]
    library.until("never", phase("Ready"))
    library.change("never", backup={"schedule": "0 0 1 FEB *"})
    library.until("never", says("BackedUp", "Scheduled"))
    library.change("never", backup={"enabled": False})
    library.api.until_gone(library.path("cronjobs", "never-backup"))
    library.until("never", lambda item: not condition(item, "BackedUp"))
    library.delete("never")


def test_the_schedule_takes_backups_by_itself(library: Databases) -> None:
    """Last, because a minute has to pass since the first test."""
    scheduled, entered = "batch.kubernetes.io/cronjob-scheduled-timestamp", "samples.operator-console.dev/entered"

    def by_itself(body: Any) -> list[str]:
        notes = [obj["metadata"].get("annotations") or {} for obj in body["items"]]
        return [note[entered] for note in notes if scheduled in note and entered in note]

    names = by_itself(library.api.until(library.path("jobs"), by_itself, 120))
    assert all(name.startswith("books-backup-") for name in names)
