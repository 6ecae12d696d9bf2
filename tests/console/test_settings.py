"""Settings that cannot be are refused by name."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


def check(**environment: str) -> subprocess.CompletedProcess[str]:
    """`manage.py check` with these settings."""
    return subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [("DEBUG", "perhaps", "is not a yes or a no"), ("CATALOG_REFRESH_SECONDS", "soon", "is not a whole number")],
)
def test_a_bad_value_is_named(name: str, value: str, sentence: str) -> None:
    result = check(**{name: value})
    assert result.returncode != 0
    assert f"{name}='{value}' {sentence}" in result.stderr


def test_a_secret_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    assert check(DATA_DIR=str(tmp_path), SECRET_KEY="").returncode == 0
    path = tmp_path / "secret_key"
    first = path.read_text()
    assert len(first) > 50
    assert path.stat().st_mode & 0o777 == 0o600
    assert check(DATA_DIR=str(tmp_path), SECRET_KEY="").returncode == 0
    assert path.read_text() == first


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
    told = set(re.findall(r"^\| `([A-Z_]+)` \|", (ROOT / "docs/reference/settings.md").read_text(), re.MULTILINE))
    assert read == told
