"""Several processes at one SQLite file, and a database that is away."""

import logging
import os
import re
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.db import OperationalError, connection
from django.test import Client

from console.audit import entries
from console.audit.models import AuditEntry
from tests.conftest import ROOT
from tests.console.audit.conftest import acts
from tests.eventually import until


def run(*command: str, **environment: str) -> "subprocess.Popen[str]":
    inherited = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    return subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        env={**inherited, "DJANGO_SETTINGS_MODULE": "console.settings", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


@pytest.mark.django_db
def test_two_processes_while_a_third_holds_the_file(tmp_path: Path) -> None:
    """No writer waits for longer than about a second, and nothing is lost."""
    if connection.vendor != "sqlite":
        pytest.skip("this run is on PostgreSQL, where nobody holds a whole database")
    held = sqlite3.connect(tmp_path / "console.sqlite3", isolation_level=None, check_same_thread=False)
    with connection.cursor() as cursor:
        cursor.execute("SELECT sql FROM sqlite_master WHERE tbl_name = 'audit_auditentry' AND sql IS NOT NULL")
        held.executescript(";".join(row[0] for row in cursor.fetchall()))
    writers = [run("-m", "tests.console.audit.writer", "40", "0.02", DATA_DIR=str(tmp_path)) for _ in range(2)]
    until(lambda: held.execute("SELECT count(*) FROM audit_auditentry").fetchone()[0], "an entry", seconds=60)
    held.execute("BEGIN IMMEDIATE")
    time.sleep(2.5)
    held.execute("COMMIT")
    measured = []
    for writer in writers:
        out, _none = writer.communicate(timeout=60)
        assert writer.returncode == 0, out
        measured.append(re.findall(r"slowest=([\d.]+) late=(\d+) left=(\d+)", out)[0])
    assert held.execute("SELECT count(*) FROM audit_auditentry").fetchone()[0] == 80
    held.close()
    assert max(int(late) for _slowest, late, _left in measured) > 0, measured
    assert all(float(slowest) < 2.4 and left == "0" for slowest, _late, left in measured), measured


@pytest.mark.django_db
def test_an_act_is_done_though_it_can_not_be_written_down(
    web: Client, namespace: str, config_map: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The database can't be broken for the audit alone but by its own statement."""

    def broken(*_given: object, **_named: object) -> None:
        raise OperationalError("disk I/O error")

    monkeypatch.setattr(entries, "AGAIN_SECONDS", 3600.0)
    url = f"/api/resources/core/v1/configmaps/{namespace}/{config_map}/"
    try:
        with monkeypatch.context() as patched, caplog.at_level(logging.INFO, "console.audit"):
            patched.setattr(AuditEntry.objects, "bulk_create", broken)
            assert web.patch(url, {"data": {"a": "1"}}, content_type="application/json").status_code == 200
        assert f"verb=patch object=core/v1/configmaps {namespace}/{config_map} outcome=ok" in caplog.text
        assert "1 audit entries can't be written now: disk I/O error" in caplog.text
        assert acts(namespace) == []
        assert web.delete(url).status_code == 200
        assert [row.verb for row in acts(namespace)] == ["patch", "delete"]
    finally:
        if entries._timer:
            entries._timer.cancel()
            entries._timer = None
        entries._late.clear()
