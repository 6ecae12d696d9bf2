"""Settings that cannot be are refused by name."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def read(**environment: str) -> subprocess.CompletedProcess[str]:
    """A process that reads these settings and opens its database, as each command does first."""
    opens = "import django; django.setup(); from django.db import connection; connection.ensure_connection()"
    return subprocess.run(
        [sys.executable, "-c", opens],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "console.settings", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [("DEBUG", "perhaps", "is not a yes or a no"), ("CATALOG_REFRESH_SECONDS", "soon", "is not a whole number")],
)
def test_a_bad_value_is_named(name: str, value: str, sentence: str) -> None:
    result = read(**{name: value})
    assert result.returncode != 0
    assert f"{name}='{value}' {sentence}" in result.stderr


def test_a_secret_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    assert read(DATA_DIR=str(tmp_path), SECRET_KEY="").returncode == 0
    path = tmp_path / "secret_key"
    first = path.read_text()
    assert len(first) > 50
    assert path.stat().st_mode & 0o777 == 0o600
    assert read(DATA_DIR=str(tmp_path), SECRET_KEY="").returncode == 0
    assert path.read_text() == first


def test_s16_only_its_owner_reads_the_database(tmp_path: Path) -> None:
    """It was 0644, with all users' encrypted tokens and the history of all objects in it."""
    path = tmp_path / "console.sqlite3"
    path.touch(mode=0o644)
    log = tmp_path / "console.sqlite3-wal"
    log.touch(mode=0o644)
    for database in (path, tmp_path / "other" / "console.sqlite3"):
        database.parent.mkdir(exist_ok=True)
        assert read(DATA_DIR=str(database.parent)).returncode == 0
        assert database.stat().st_mode & 0o777 == 0o600
    assert log.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("folder", ["new/data", "/proc/none/data"])
def test_a_console_begins_without_its_data_folder(folder: str, tmp_path: Path) -> None:
    """The Job that prepares a database has none, nor has a fresh checkout; files that people send lie in it where it
    can be made.
    """
    database = f"sqlite:///{tmp_path}/database.sqlite3"
    result = read(DATA_DIR=str(tmp_path / folder), SECRET_KEY="x" * 60, DATABASE_URL=database)
    assert result.returncode == 0, result.stderr


def test_a_secret_may_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("from-a-file")
    result = subprocess.run(
        [sys.executable, "-c", "from django.conf import settings; print(settings.SECRET_KEY)"],
        cwd=ROOT,
        env={**os.environ, "SECRET_KEY_FILE": str(tmp_path / "key"), "DJANGO_SETTINGS_MODULE": "console.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.stdout.strip() == "from-a-file", result.stderr


def test_every_setting_is_in_the_reference() -> None:
    source = (ROOT / "console/settings.py").read_text()
    read = set(re.findall(r"env(?:_bool|_int|\.str|\.db_url)\([\"']([A-Z_]+)[\"']", source))
    documented = set(re.findall(r"^\| `([A-Z_]+)` \|", (ROOT / "docs/reference/settings.md").read_text(), re.MULTILINE))
    assert read == documented


def _deploy_check(**environment: str) -> subprocess.CompletedProcess[str]:
    # Set for the tests' own sake (tests/environment.py), and refused in deployments.
    here = {key: value for key, value in os.environ.items() if key != "DJANGO_ALLOW_ASYNC_UNSAFE"}
    return subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env={**here, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_deploy_sets_passes_djangos_deployment_check(tmp_path: Path) -> None:
    key = "".join(f"{number:02x}" for number in range(48))
    done = _deploy_check(DATA_DIR=str(tmp_path), HTTPS="1", SECRET_KEY=key)
    assert done.returncode == 0, done.stderr
    assert "no issues" in done.stdout, done.stdout
    # So it can fail.
    done = _deploy_check(DATA_DIR=str(tmp_path), HTTPS="0", SECRET_KEY=key)
    assert done.returncode != 0 and "security.W012" in done.stderr


def test_behind_tls_plain_requests_are_sent_there_but_probes_are_answered(tmp_path: Path) -> None:
    asked = (
        "import django; django.setup()\n"
        "from django.test import Client\n"
        "web = Client(headers={'host': 'localhost'})\n"
        "print(web.get('/settings/')['Location'], web.get('/healthz').status_code)\n"
        "answer = web.get('/healthz', headers={'x-forwarded-proto': 'https'})\n"
        "print(answer.status_code, answer['Strict-Transport-Security'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", asked],
        cwd=ROOT,
        env={**os.environ, "DATA_DIR": str(tmp_path), "HTTPS": "1", "DJANGO_SETTINGS_MODULE": "console.settings"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines() == ["https://localhost/settings/ 200", "200 max-age=31536000"], done.stderr
