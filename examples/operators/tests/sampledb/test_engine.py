"""The database really runs: the engine's process, and the Jobs that talk to it, as the kubelet starts them."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from secrets import token_hex

import pytest

from examples.operators.sampledb import engine, resp
from examples.operators.sampledb.backup import prune
from examples.operators.sampledb.records import changes
from examples.operators.sampledb.restore import MARK, bring_in

ROOT = Path(__file__).resolve().parents[4]
PASSWORD = 'a "quoted" pass\\word'


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Pod:
    """Starts roles of the engine's image with the environment that the operator gives them."""

    def __init__(self, folder: Path):
        self.port = free_port()
        self.folder = folder
        self.environment = {
            **os.environ,
            "SAMPLEDB_SERVICE": "my-db",
            "SAMPLEDB_NAMESPACE": "demo",
            "MY_DB_SERVICE_HOST": "127.0.0.1",
            "MY_DB_SERVICE_PORT": str(self.port),
            "SANDBOX_PORT_6379": str(self.port),
            "SANDBOX_MOUNT__DATA": str(folder / "data"),
            "SANDBOX_MOUNT__SNAPSHOTS": str(folder / "snapshots"),
            "SAMPLEDB_PASSWORD": PASSWORD,
            "SAMPLEDB_USERS": json.dumps([{"name": "read-er", "role": "reader", "keys": ["cart:*"]}]),
            "SAMPLEDB_PASSWORD_READ_ER": "reader-secret",
            "SAMPLEDB_CONFIG": json.dumps({"maxmemory-policy": "allkeys-lru", "dir": "/tmp"}),
            "POD_NAME": "my-db-0",
        }
        self._engine: subprocess.Popen[bytes] | None = None

    def start(self, **more: str) -> None:
        command = [sys.executable, "-m", "examples.operators.sampledb", "engine"]
        with (self.folder / "engine.log").open("ab") as log:
            self._engine = subprocess.Popen(command, cwd=ROOT, env={**self.environment, **more}, stdout=log, stderr=log)

    def stop(self) -> None:
        if self._engine:
            self._engine.send_signal(signal.SIGTERM)
            try:
                self._engine.wait(10)
            except subprocess.TimeoutExpired:
                self._engine.kill()
                self._engine.wait()
                raise

    def run(self, role: str, **more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "examples.operators.sampledb", role]
        return subprocess.run(
            command, cwd=ROOT, env={**self.environment, **more}, capture_output=True, text=True, timeout=60
        )

    def connect(self) -> resp.RespConnection:
        return resp.wait("127.0.0.1", self.port, PASSWORD, 20)


@pytest.fixture
def pod(tmp_path: Path) -> Iterator[Pod]:
    found = Pod(tmp_path)
    found.start()
    yield found
    found.stop()


def test_it_keeps_data_through_a_restart(pod: Pod) -> None:
    with pod.connect() as database:
        database.call("SET", "kept", "yes")
    pod.stop()
    pod.start()
    with pod.connect() as database:
        assert database.call("GET", "kept") == b"yes"


def test_settings_are_taken_but_for_those_of_the_operator(pod: Pod) -> None:
    with pod.connect() as database:
        assert database.call("CONFIG", "GET", "maxmemory-policy") == [b"maxmemory-policy", b"allkeys-lru"]
        assert database.call("CONFIG", "GET", "dir") == [b"dir", str(pod.folder / "data").encode()]
    assert "'dir' belongs to the operator" in (pod.folder / "engine.log").read_text()


def test_only_its_owner_reads_the_configuration(pod: Pod) -> None:
    pod.connect().close()
    path = pod.folder / "data" / "engine.conf"
    assert path.stat().st_mode & 0o077 == 0
    assert "reader-secret" not in path.read_text()


def test_a_reader_reads_its_keys_only(pod: Pod) -> None:
    with pod.connect() as database:
        database.call("SET", "cart:1", "x")
        database.call("AUTH", "read-er", "reader-secret")
        assert database.call("GET", "cart:1") == b"x"
        with pytest.raises(resp.RefusedError, match="NOPERM"):
            database.call("SET", "cart:1", "y")
        with pytest.raises(resp.RefusedError, match="NOPERM"):
            database.call("GET", "other")


def test_the_init_script_runs_once(pod: Pod) -> None:
    script = {"SAMPLEDB_INIT_SCRIPT": '# first\nSET greeting "Hello there"\n\nINCR counter\n'}
    first = pod.run("initjob", **script)
    assert first.returncode == 0, first.stdout
    record = json.loads(first.stdout.splitlines()[-1])
    assert record["commands"] == 2
    assert record["version"].count(".") == 2
    again = pod.run("initjob", **script)
    assert json.loads(again.stdout.splitlines()[-1])["commands"] == 0
    with pod.connect() as database:
        assert database.call("GET", "greeting") == b"Hello there"
        assert database.call("GET", "counter") == b"1"


def test_a_bad_script_names_its_line(pod: Pod) -> None:
    done = pod.run("initjob", SAMPLEDB_INIT_SCRIPT="SET a b\nNONSENSE x\n")
    assert done.returncode == 1
    assert "line 2 of initScript, 'NONSENSE x'" in done.stdout
    wrong_type = pod.run("initjob", SAMPLEDB_INIT_SCRIPT="SET a b\nLPUSH a c\nSET c d\n")
    assert "line 2 of initScript, 'LPUSH a c': WRONGTYPE" in wrong_type.stdout
    again = pod.run("initjob", SAMPLEDB_INIT_SCRIPT="SET a c\n")
    assert json.loads(again.stdout.splitlines()[-1])["commands"] == 1, "what failed does not count as set up"
    with pod.connect() as database:
        assert database.call("GET", "a") == b"c"


def test_a_backup_is_a_complete_file(pod: Pod) -> None:
    with pod.connect() as database:
        for number in range(100):
            database.call("SET", f"key:{number}", "x" * 100)
    done = pod.run("backup", SAMPLEDB_COPY="snapshot")
    assert done.returncode == 0, done.stdout
    record = json.loads(done.stdout.splitlines()[-1])
    path = pod.folder / "snapshots" / record["name"]
    assert record["keys"] == 100
    assert path.stat().st_size == record["bytes"]
    assert path.read_bytes().startswith(b"REDIS")
    assert path.name.startswith("my-db-snapshot-")


def test_a_backup_finds_the_volume_full(pod: Pod) -> None:
    """A limit on the size of files stands for the volume's: writing fails in the same place."""
    with pod.connect() as database:
        database.call("SET", "key", token_hex(5000))
    program = (
        "import resource as r, runpy; r.setrlimit(r.RLIMIT_FSIZE, (1000, 1000));"
        " runpy.run_module('examples.operators.sampledb', run_name='__main__')"
    )
    command = [sys.executable, "-c", program, "backup"]
    done = subprocess.run(command, cwd=ROOT, env=pod.environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1, done.stdout
    assert "bytes to the volume sampledb-snapshots: File too large" in done.stdout
    left = [path.name for path in (pod.folder / "snapshots").iterdir()]
    assert left == [".my-db.lock"], "no half a file, and no record of one"


def test_backups_of_one_second_are_two_files_with_a_record_each(pod: Pod) -> None:
    """The schedule's, and those that people ask for at that very moment; the oldest goes meanwhile."""
    with pod.connect() as database:
        database.call("SET", "key", "x")
    with ThreadPoolExecutor() as pool:
        done = [*pool.map(lambda _: pod.run("backup", SAMPLEDB_RETENTION="2", SAMPLEDB_VERSION="7.2"), range(4))]
    assert [item.returncode for item in done] == [0] * 4, [item.stdout for item in done]
    records = [json.loads(item.stdout.splitlines()[-1]) for item in done]
    names = sorted(record["name"] for record in records)
    assert len(set(names)) == 4
    left = {path.name for path in (pod.folder / "snapshots").iterdir() if not path.name.startswith(".")}
    assert left == {*names[2:], *(f"{name}.json" for name in names[2:])}
    assert sorted(gone for record in records for gone in record["removed"]) == names[:2]


@pytest.mark.parametrize("append_only", ["yes", "no"])
def test_a_restored_engine_begins_with_the_data(pod: Pod, tmp_path: Path, append_only: str) -> None:
    with pod.connect() as database:
        database.call("SET", "kept", "yes")
    assert pod.run("backup", SAMPLEDB_VERSION="7.2").returncode == 0
    heir = Pod(tmp_path / "heir")
    heir.folder.mkdir()
    heir.environment |= {"SANDBOX_MOUNT__SNAPSHOTS": str(pod.folder / "snapshots"), "SAMPLEDB_APPEND_ONLY": append_only}
    for _ in range(2):
        done = heir.run("restore", SAMPLEDB_SOURCE="my-db", SAMPLEDB_VERSION="8.0")
        assert done.returncode == 0, done.stdout
        assert json.loads(done.stdout.splitlines()[-1])["name"].startswith("my-db-backup-")
    heir.start()
    try:
        with heir.connect() as database:
            assert database.call("GET", "kept") == b"yes"
    finally:
        heir.stop()


def test_a_volume_that_holds_data_is_not_written_over(pod: Pod) -> None:
    pod.connect().close()
    assert pod.run("backup").returncode == 0
    done = pod.run("restore", SAMPLEDB_SOURCE="my-db")
    assert done.returncode == 1
    assert "the volume holds data already, which would be lost" in done.stdout


def test_a_restore_that_was_killed_is_done_again(tmp_path: Path) -> None:
    (tmp_path / MARK).write_text(json.dumps({"name": "x", "done": False}))
    (tmp_path / "dump.rdb").write_bytes(b"half")
    assert bring_in(b"whole", "x", tmp_path)
    assert (tmp_path / "dump.rdb").read_bytes() == (tmp_path / "appendonly.aof").read_bytes() == b"whole"
    (tmp_path / "dump.rdb").write_bytes(b"newer")
    assert not bring_in(b"whole", "x", tmp_path)
    assert (tmp_path / "dump.rdb").read_bytes() == b"newer"


def test_an_upgrade_writes_to_disk(pod: Pod) -> None:
    pod.connect().close()
    done = pod.run("upgrade", SAMPLEDB_VERSION="8.0")
    assert done.returncode == 0, done.stdout
    assert (pod.folder / "data" / "dump.rdb").exists()


def test_a_follower_gets_the_leaders_data(pod: Pod, tmp_path: Path) -> None:
    follower = Pod(tmp_path / "follower")
    follower.folder.mkdir()
    follower.environment |= {"POD_NAME": "my-db-1", "MY_DB_SERVICE_PORT": str(pod.port)}
    # Redis refuses to end while it writes its first append-only file, which it does right after it has synchronized.
    follower.start(SAMPLEDB_APPEND_ONLY="no")
    try:
        with pod.connect() as leader:
            leader.call("SET", "shared", "yes")
            assert leader.call("WAIT", 1, 20_000) == 1
        with follower.connect() as database:
            assert database.call("GET", "shared") == b"yes"
            with pytest.raises(resp.RefusedError, match="READONLY"):
                database.call("SET", "a", "b")
    finally:
        follower.stop()


def test_a_pod_that_belongs_to_no_database_follows_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of any name: that of a Deployment's Pod may end with digits, as a StatefulSet's do."""
    monkeypatch.delenv("SAMPLEDB_SERVICE", raising=False)
    monkeypatch.setenv("POD_NAME", "guest-796142")
    assert engine.leader() is None


def test_old_backups_go_and_nobody_elses(tmp_path: Path) -> None:
    mine = [f"db-backup-2026110{day}T000000Z.rdb" for day in range(1, 6)]
    others = [
        "db-snapshot-20200101T000000Z.rdb",
        "db-backup-2-backup-20200101T000000Z.rdb",
        "notes-about-db-backup-1.txt",
    ]
    left_over = ".db-backup-20261109T000000Z.rdb.part"
    for name in (*mine, *others, left_over, f"{mine[0]}.json", f"{mine[4]}.json"):
        (tmp_path / name).touch()
    assert prune(tmp_path, "db", 2) == mine[:3]
    assert {path.name for path in tmp_path.iterdir()} == {*mine[3:], *others, f"{mine[4]}.json"}


def test_a_backup_tells_what_the_volume_holds(pod: Pod) -> None:
    """So the list is right again when the words of another one were lost."""
    with pod.connect() as database:
        database.call("SET", "key", "x")
    done = [pod.run("backup", SAMPLEDB_RETENTION="2", SAMPLEDB_VERSION="7.2") for _ in range(4)]
    records = [json.loads(item.stdout.splitlines()[-1]) for item in done]
    names = [record["name"] for record in records]
    # The second and the third weren't recorded, and a snapshot was written meanwhile.
    other = {"name": "my-db-snapshot-1.rdb", "kind": "snapshot", "database": "my-db", "time": "2026-01-01T00:00:00Z"}
    listed = {names[0]: json.dumps(records[0]), other["name"]: json.dumps(other), "notes": "of a person"}
    found = changes(listed, records[3])
    assert {name for name, text in found.items() if text is None} == {names[0], names[1]}
    assert {name for name, text in found.items() if text} == {names[2], names[3]}
    assert json.loads(found[names[2]] or "")["sha256"] == records[2]["sha256"]
    # One that is read late takes nothing away that is newer.
    late = changes({names[3]: json.dumps(records[3])}, records[0])
    assert late[names[0]] and names[3] not in late


def test_an_unknown_role_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "examples.operators.sampledb", "x"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "there is no role 'x'" in done.stderr


def test_no_server_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(engine, "find_server", lambda: None)
    monkeypatch.setattr(engine, "serve_in_memory", lambda port: (_ for _ in ()).throw(ImportError()))
    monkeypatch.setenv("SANDBOX_MOUNT__DATA", str(tmp_path))
    assert engine.main() == 1
