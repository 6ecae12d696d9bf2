"""Without sign-in the server listens on loopback only, unless a proxy is in front."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from console.signin.address import bound, refused

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("arguments", "host"),
    [
        ([], "127.0.0.1"),
        (["console.asgi:application", "--port", "9000"], "127.0.0.1"),
        (["console.asgi:application", "--host", "0.0.0.0"], "0.0.0.0"),
        (["--host=::", "console.asgi:application"], "::"),
        (["--host"], ""),
    ],
)
def test_where_uvicorn_listens_is_read_off_its_command_line(arguments: list[str], host: str) -> None:
    assert bound(arguments) == host


def test_loopback_a_guard_and_a_sign_in_are_enough(settings: Any) -> None:
    assert refused(["--host", "127.0.0.1"]) == refused(["--host", "localhost"]) == refused(["--host", "::1"]) == ""
    assert "GUARDED_IN_FRONT" in refused(["--host", "0.0.0.0"])
    settings.GUARDED_IN_FRONT = True
    assert refused(["--host", "0.0.0.0"]) == ""
    settings.GUARDED_IN_FRONT, settings.SIGN_IN = False, "token"
    assert refused(["--host", "0.0.0.0"]) == ""


def test_the_server_itself_does_not_start(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "uvicorn", "console.asgi:application", "--host", "0.0.0.0", "--port", "0"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "DATA_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 3
    assert "SIGN_IN=local on 0.0.0.0 would let everybody" in done.stderr + done.stdout


@pytest.mark.parametrize("settings_", [{"SIGN_IN": "oidc"}, {"SIGN_IN_HOURS": "0"}, {"SIGN_IN_IDLE_MINUTES": "1"}])
def test_settings_that_can_not_be_are_refused_by_name(tmp_path: Path, settings_: dict[str, str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import console.settings"],
        cwd=ROOT,
        env={**os.environ, "DATA_DIR": str(tmp_path), **settings_},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode and next(iter(settings_)) in done.stderr
