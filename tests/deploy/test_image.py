"""The Containerfile's steps work from a clean context, as a user who may write nothing but /data, and what it starts
serves the console. The image has no shell, nothing that installs packages, no file that runs as its owner, and the
packages that its bill of materials lists.
"""

import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from django.conf import settings
from django.utils.translation import to_locale

from console.processes.parts import free_port
from deploy import slim
from tests import processes
from tests.deploy.image import steps
from tests.deploy.manifests import ROOT
from tests.deploy.pods import unshare

CONTAINERFILE = ROOT / "deploy/Containerfile"


def test_everything_that_is_fetched_is_pinned() -> None:
    known = {"", "scratch"}
    for word, rest in steps(CONTAINERFILE.read_text()):
        if word == "FROM":
            image, *name = rest.split(" AS ")
            assert image in known or re.search(r":\d+\.\d+\.\d+-", image), f"{image} is not pinned"
            known.update(name)
        elif word == "RUN" and "pip install" in rest:
            assert re.search(r"uv==\d", rest)
    text = CONTAINERFILE.read_text()
    assert "npm ci" in text and "uv sync --frozen" in text
    # The version of uv is that of the set-up.
    assert re.findall(r"uv==([\d.]+)", text) == re.findall(
        r'UV = "uv==([\d.]+)"', (ROOT / "tools/setup.py").read_text()
    )


def test_every_package_of_the_console_is_in_the_image() -> None:
    """What console imports, and what Django looks for beside it."""
    copied = {word for step, rest in steps(CONTAINERFILE.read_text()) if step == "COPY" for word in rest.split()}
    contracts = (ROOT / ".importlinter").read_text()
    packages = set(re.findall(r"root_packages =\n((?:    \w+\n)+)", contracts)[0].split())
    assert packages - {"sandbox", "examples"} <= copied
    assert {"templates", "locale", "static"} <= copied


def test_translations_of_djangos_words_are_there_in_our_languages() -> None:
    assert {to_locale(code) for code, _name in settings.LANGUAGES} == slim.LANGUAGES


def test_nothing_that_deploy_runs_in_a_container_needs_a_shell() -> None:
    """Neither the console's image nor PostgreSQL's or Valkey's has to have one."""
    files = [*(ROOT / "deploy").rglob("*.yaml"), ROOT / "docker-compose.yml"]
    words = re.compile(r"CMD-SHELL|[\[ ](?:/bin/)?(?:ba|da)?sh[,\]]|\[sleep\b|\[cat\b")
    assert [path.name for path in files if words.search(path.read_text())] == []


def test_a_program_writes_for_its_user_only(tmp_path: Path) -> None:
    """deploy/start.py becomes the program, with its arguments."""
    program = "import sys; open(sys.argv[1], 'w')"
    words = [sys.executable, "-c", program, str(tmp_path / "made")]
    subprocess.run([sys.executable, "-IS", str(ROOT / "deploy/start.py"), *words], check=True)
    assert (tmp_path / "made").stat().st_mode & 0o777 == 0o600


@pytest.mark.timeout(600)
def test_its_steps_work_and_it_serves(tmp_path: Path) -> None:
    mounts = (
        "mkdir -p u w m && mount -t tmpfs tmpfs u && mkdir u/u u/w && mount -t overlay o -o"
        " lowerdir=/,upperdir=u/u,workdir=u/w m"
    )
    tried = subprocess.run([*unshare(), "sh", "-c", mounts], cwd=tmp_path, capture_output=True, text=True, check=False)
    if tried.returncode:
        pytest.skip(f"needs overlay mounts: {tried.stderr.strip()}")
    port, work = free_port(), tmp_path / "work"
    work.mkdir()
    log = tmp_path / "build.log"
    command = [
        *unshare(),
        sys.executable,
        "-m",
        "tests.deploy.image",
        str(CONTAINERFILE),
        str(ROOT),
        str(work),
        str(port),
    ]
    with log.open("wb") as sink:
        process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=sink, stderr=sink)
    try:
        processes.until_healthy(process, port, log, seconds=540)
        # No cluster and no Redis: the pages say so, in the browser's language, with their styles and scripts.
        request = urllib.request.Request(f"http://127.0.0.1:{port}/settings/", headers={"Accept-Language": "ko"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            page = answer.read().decode()
        assert '<html lang="ko"' in page and "설정" in page
        sheets = re.findall(r'(?:href|src)="(/static/[^"]+\.(?:css|js)[^"]*)"', page)
        assert len(sheets) >= 2
        for sheet in sheets:
            assert processes.answers(f"http://127.0.0.1:{port}{sheet}"), sheet
    finally:
        process.communicate(timeout=40)
    assert process.returncode == 0, log.read_text()[-4000:]
