"""S6: a full disk. What is answered with an error is never there later, and with room again the cluster works again."""

import itertools
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.journal import Journal, JournalError
from sandbox.store import Store, StoreEntry
from tests.api import Api
from tests.eventually import until
from tests.processes import answers, running

LARGE = b'"' + b"x" * 200_000 + b'"'


def put(store: Store, name: str, data: bytes = b"{}") -> None:
    store.put("things", StoreEntry(namespace="n", name=name, version=store.next_version(), data=data, labels={}))


def database(journal: Journal) -> sqlite3.Connection:
    found = journal._database
    assert found is not None
    return found


def fill(journal: Journal) -> None:
    """As a full disk: the file can't grow."""
    (pages,) = database(journal).execute("PRAGMA page_count").fetchone()
    database(journal).execute(f"PRAGMA max_page_count={pages + 3}")


def stored_names(path: Path) -> list[str]:
    """Names on the disk, as a new process finds them."""
    journal = Journal(path)
    found = [entry.name for entry in Store(journal).scan("things")]
    journal.close()
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cluster.db"


def test_s6_a_write_that_fails_alone_changes_nothing(path: Path) -> None:
    """Memory and disk stay the same, so the process keeps running, and takes writes as soon as there is room."""
    journal = Journal(path)
    store = Store(journal)
    put(store, "before")
    fill(journal)
    with pytest.raises(JournalError):
        put(store, "large", LARGE)
    assert [entry.name for entry in store.scan("things")] == ["before"]
    assert not store.diverged.is_set()
    database(journal).execute("PRAGMA max_page_count=1000000")
    put(store, "after", LARGE)
    store.close()
    assert stored_names(path) == ["after", "before"]


async def test_s6_a_lost_transaction_ends_the_process(path: Path) -> None:
    """The first write of a request is in memory when the second fails: no later commit may store it, and no request
    succeeds.
    """
    journal = Journal(path)
    store = Store(journal)
    store.commit()
    fill(journal)
    put(store, "first")
    with pytest.raises(JournalError):
        put(store, "second", LARGE)
    assert store.diverged.is_set()
    with pytest.raises(JournalError):
        store.commit()
    put(store, "third")
    assert stored_names(path) == []


@pytest.mark.parametrize("then", ["put", "commit"])
async def test_s6_a_transaction_that_sqlite_ended_is_noticed(path: Path, then: str) -> None:
    journal = Journal(path)
    store = Store(journal)
    store.commit()
    put(store, "first")
    # SQLite sometimes rolls back on its own on a full disk.
    database(journal).execute("ROLLBACK")
    with pytest.raises(JournalError):
        put(store, "second") if then == "put" else store.commit()
    assert store.diverged.is_set()
    assert stored_names(path) == []


SUPERVISED = 'mount -t tmpfs -o size=12m tmpfs "$1"; shift; while :; do "$@"; sleep 0.2; done'


def test_s6_the_cluster_works_again_when_there_is_room_again(tmp_path: Path) -> None:
    """On a real disk of 12 MB in a mount namespace of its own, with a restart as by the supervisor."""
    data = tmp_path / "data"
    data.mkdir()
    unshare = ["unshare", "--mount", "sh", "-c"]
    if not shutil.which("unshare") or subprocess.run([*unshare, "mount -t tmpfs x /mnt"], check=False).returncode:
        pytest.skip("needs a mount namespace: root, and unshare")
    serve = [sys.executable, "-m", "sandbox", "serve", "--data", str(data), "--no-olm", "--parent", str(os.getpid())]
    log = tmp_path / "log"
    with running(
        [*unshare, SUPERVISED, "sh", str(data), *serve], log, lambda: "ready" in log.read_text(), 60
    ) as process:
        disk = Path(f"/proc/{process.pid}/root{data}")
        api = Api(disk / "kubeconfig")
        path = "/api/v1/namespaces/default/configmaps"
        fill_up(disk / "filler")
        made, refused = write_until_refused(api, path)
        (disk / "filler").unlink()
        again(disk)
        names = {item["metadata"]["name"] for item in api.get(path).json["items"]}
        assert made <= names and refused not in names
        assert api.post(path, config_map("after")).status == 201
    assert "is the disk full?" in log.read_text()


def config_map(name: str) -> dict[str, object]:
    return {"metadata": {"name": name}, "data": {"a": "x" * 100_000}}


def fill_up(path: Path) -> None:
    with path.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12):
            try:
                while True:
                    file.write(b"x" * size)
            except OSError:
                continue


def write_until_refused(api: Api, path: str) -> tuple[set[str], str]:
    """Names that were answered 201, and the first that was not."""
    made: set[str] = set()
    for number in itertools.count():
        try:
            status = api.post(path, config_map(f"map-{number}")).status
        except OSError:  # it ended before it could answer
            status = 0
        if status != 201:
            return made, f"map-{number}"
        made.add(f"map-{number}")
        assert number < 200, "the disk is never full"
    raise AssertionError


def again(disk: Path) -> None:
    server = next(line for line in (disk / "kubeconfig").read_text().splitlines() if "server:" in line)
    url = server.split("server:")[1].strip().replace("https://", "http://")
    until(lambda: answers(f"{url}/readyz"), "it comes back", seconds=60)
