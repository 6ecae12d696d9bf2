"""`manage.py prepare`: the tables, made once, and waited for."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from console.management.commands.prepare import LOCK
from tests import postgres
from tests.eventually import until

ROOT = Path(__file__).resolve().parent.parent.parent


def prepare(data: Path, *words: str, **environment: str) -> "subprocess.Popen[str]":
    here = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    return subprocess.Popen(
        [sys.executable, "manage.py", "prepare", *words],
        cwd=ROOT,
        env={**here, "DATA_DIR": str(data), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_who_waits_changes_nothing_and_says_what_is_missing(tmp_path: Path) -> None:
    waits = prepare(tmp_path, "--wait", "--seconds", "0")
    output = waits.communicate(timeout=90)[0]
    assert waits.returncode != 0
    assert "migrations are still to come: is `manage.py prepare` running?" in output


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a database without tables."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'shared' / 'console.sqlite3'}"
        return
    postgres.needed()
    with postgres.server() as url:
        yield url


@pytest.mark.timeout(300)
def test_three_at_once_make_the_tables_once(database: str, tmp_path: Path) -> None:
    """Each has a folder of its own, as replicas have: what keeps them apart is the database's."""
    waits = prepare(tmp_path / "waits", "--wait", DATABASE_URL=database)
    both = [prepare(tmp_path / str(number), DATABASE_URL=database) for number in range(2)]
    outputs = [item.communicate(timeout=240)[0] for item in both]
    assert [item.returncode for item in both] == [0, 0], outputs
    assert sum("No migrations to apply" in text for text in outputs) == 1, outputs
    waits.communicate(timeout=90)
    assert waits.returncode == 0


def test_who_holds_the_lock_is_waited_for(tmp_path: Path) -> None:
    """On PostgreSQL: a replica that migrates for long delays the other replicas, but no other clients."""
    postgres.needed()
    with postgres.server() as url, psycopg.connect(url.replace("postgres://", "postgresql://", 1)) as holder:
        holder.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        second = prepare(tmp_path, DATABASE_URL=url)
        waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
        until(lambda: holder.execute(waiting).fetchone() == (1,), "the second waits for the lock", seconds=60)
        assert holder.execute("SELECT to_regclass('django_migrations')").fetchone() == (None,)
        holder.execute("SELECT pg_advisory_unlock(%s)", [LOCK])
        output = second.communicate(timeout=90)[0]
    assert second.returncode == 0, output
    assert "Applying" in output


def test_a_database_that_is_not_there_is_named(tmp_path: Path) -> None:
    unreachable = prepare(tmp_path, "--seconds", "0", DATABASE_URL="postgres://console:hidden@127.0.0.1:1/console")
    output = unreachable.communicate(timeout=90)[0]
    assert unreachable.returncode != 0
    assert "the database does not answer" in output and "Check DATABASE_URL" in output
    assert "hidden" not in output
