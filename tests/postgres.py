"""The same tests on PostgreSQL, as deployments have it: a server of their own, and a pytest of their own."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import processes

#: Each of the tests inside has pytest-timeout's limit of its own; all together may take this long on a busy machine.
SECONDS = 540
#: The mark of a test that calls `passes`: beyond those seconds, so that what the inner pytest said is shown.
LONG = pytest.mark.timeout(SECONDS + 60)


@contextmanager
def server() -> Iterator[str]:
    """Its URL."""
    # Not tmp_path: PostgreSQL's user can't enter it, and a socket's path must be short.
    with tempfile.TemporaryDirectory(prefix="console-pg-") as folder:
        os.chmod(folder, 0o711)
        with processes.postgres(Path(folder) / "pg") as url:
            yield url


def needed() -> None:
    """Skips, saying so, where PostgreSQL is not installed."""
    if shutil.which("postgres") is None or shutil.which("initdb") is None:
        pytest.skip("needs PostgreSQL: initdb and postgres on PATH")


def passes(*paths: str) -> None:
    """Fails with pytest's last words when one of these does; skips, saying so, where PostgreSQL is not installed."""
    needed()
    if os.environ.get("TEST_DATABASE_URL"):
        pytest.skip("this run is on PostgreSQL itself (make test-postgres)")
    with server() as url:
        try:
            result = subprocess.run(
                [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *paths],
                cwd=processes.ROOT,
                env={**os.environ, "TEST_DATABASE_URL": url},
                capture_output=True,
                text=True,
                check=False,
                timeout=SECONDS,
            )
        except subprocess.TimeoutExpired as error:
            output = error.stdout or b""
            text = output.decode(errors="replace") if isinstance(output, bytes) else output
            pytest.fail(f"not done after {SECONDS} s:\n{text[-4000:]}")
    assert result.returncode == 0, result.stdout[-4000:]
    assert " passed" in result.stdout
