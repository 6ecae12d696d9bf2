"""The history on PostgreSQL, as deployments have it: the same tests, on a server of their own."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tests import processes
from tests.conftest import ROOT


def test_history_on_postgresql() -> None:
    if shutil.which("postgres") is None or shutil.which("initdb") is None:
        pytest.skip("needs PostgreSQL: initdb and postgres on PATH")
    # Not tmp_path: nobody may not enter it, and a socket's path must be short.
    with tempfile.TemporaryDirectory(prefix="console-pg-") as folder:
        os.chmod(folder, 0o711)
        with processes.postgres(Path(folder) / "pg") as url:
            command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
            command += [
                "tests/resources/history/test_store.py",
                "tests/resources/history/test_lease.py",
                "tests/resources/views/test_undo.py",
            ]
            result = subprocess.run(
                command,
                cwd=ROOT,
                env={**os.environ, "TEST_DATABASE_URL": url},
                capture_output=True,
                text=True,
                check=False,
            )
    assert result.returncode == 0, result.stdout[-4000:]
    assert " passed" in result.stdout
