"""The backups of docs/deploy.md, by the page's own commands: taken during writes, restored, and read by the
console.
"""

import os
import re
import shlex
import sqlite3
import subprocess
import sys
from pathlib import Path

from tests import postgres
from tests.deploy.manifests import ROOT

PAGE = (ROOT / "docs/deploy.md").read_text()
COMMAND = re.search(r"^    python3 (-c \"import sqlite3;.*\")$", PAGE, re.MULTILINE)
#: What the page runs in the Pod of PostgreSQL.
DUMP, RESTORE = (
    re.search(rf"^    kubectl .* -- ({word} [^<>]*) [<>] console\.dump$", PAGE, re.MULTILINE)
    for word in ("pg_dump", "pg_restore")
)


def manage(folder: Path, *words: str, url: str = "") -> str:
    environment = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    environment |= {"DATABASE_URL": url} if url else {}
    done = subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env={**environment, "DATA_DIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_backup_that_was_taken_while_somebody_writes_is_whole(tmp_path: Path) -> None:
    assert COMMAND, "docs/deploy.md says how"
    data = tmp_path / ".data"
    manage(data, "prepare", "--verbosity", "0")
    write = "INSERT INTO signin_attempt (address, at) VALUES (?, '2026-01-01')"
    writer = sqlite3.connect(data / "console.sqlite3", isolation_level=None)
    for number in range(200):
        writer.execute(write, (f"kept-{number}",))
    # Committed writes that aren't in the main file yet, and an open transaction, which isn't part of the backup.
    assert (data / "console.sqlite3-wal").stat().st_size > 0
    other = sqlite3.connect(data / "console.sqlite3", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    other.execute(write, ("half",))
    subprocess.run([sys.executable, *shlex.split(COMMAND[1])], cwd=tmp_path, check=True)
    other.execute("COMMIT")
    writer.execute(write, ("later",))
    writer.close()
    other.close()
    # As the page says: stopped, the copy in its place, what belongs to the old one removed, started.
    (tmp_path / "console-backup.sqlite3").replace(data / "console.sqlite3")
    for name in ("console.sqlite3-wal", "console.sqlite3-shm", "migrated"):
        (data / name).unlink(missing_ok=True)
    assert "No migrations to apply" in manage(data, "prepare")
    back = sqlite3.connect(data / "console.sqlite3")
    assert back.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert {row[0] for row in back.execute("SELECT address FROM signin_attempt")} == {f"kept-{n}" for n in range(200)}
    back.close()


def test_postgresql_is_dumped_and_restored(tmp_path: Path) -> None:
    """As in the cluster: the role and the database are called console.

    What was written after the dump is gone again.
    """
    postgres.needed()
    assert DUMP and RESTORE, "docs/deploy.md says how"
    with postgres.server() as admin:
        host = admin.partition("host=")[2]
        environment = {**os.environ, "PGHOST": host}

        def run(*words: str, given: bytes = b"") -> bytes:
            done = subprocess.run(words, env=environment, input=given, capture_output=True, check=False)
            assert done.returncode == 0, done.stderr.decode()
            return done.stdout

        def ask(question: str) -> list[str]:
            return run("psql", "-U", "console", "-d", "console", "-tAc", question).decode().split()

        run("createdb", "-U", "console", "console")
        url = f"postgres://console@/console?host={host}"
        manage(tmp_path, "prepare", "--verbosity", "0", url=url)
        ask("INSERT INTO signin_attempt (address, at) SELECT 'kept-' || n, now() FROM generate_series(1, 200) n")
        dump = run(*shlex.split(DUMP[1]))
        ask("INSERT INTO signin_attempt (address, at) VALUES ('later', now()); DROP TABLE resources_step CASCADE")
        run(*shlex.split(RESTORE[1]), given=dump)
        assert "No migrations to apply" in manage(tmp_path, "prepare", url=url)
        assert sorted(ask("SELECT address FROM signin_attempt")) == sorted(f"kept-{number}" for number in range(1, 201))
        assert ask("SELECT count(*) FROM resources_step") == ["0"]
