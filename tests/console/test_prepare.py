"""`manage.py prepare`: the tables, made once, and waited for."""

import os
import subprocess
import sys
from pathlib import Path

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
    said = waits.communicate(timeout=90)[0]
    assert waits.returncode != 0
    assert "migrations are still to come: is `manage.py prepare` running?" in said


def test_three_at_once_make_the_tables_once(tmp_path: Path) -> None:
    """On SQLite; on PostgreSQL see tests/deploy/test_production.py."""
    waits = prepare(tmp_path, "--wait")
    both = [prepare(tmp_path) for _ in range(2)]
    said = [one.communicate(timeout=120)[0] for one in both]
    assert [one.returncode for one in both] == [0, 0], said
    assert sum("No migrations to apply" in text for text in said) == 1, said
    waits.communicate(timeout=90)
    assert waits.returncode == 0


def test_a_database_that_is_not_there_is_named(tmp_path: Path) -> None:
    nobody = prepare(tmp_path, "--seconds", "0", DATABASE_URL="postgres://console:hidden@127.0.0.1:1/console")
    said = nobody.communicate(timeout=90)[0]
    assert nobody.returncode != 0
    assert "the database does not answer" in said and "Check DATABASE_URL" in said
    assert "hidden" not in said
