"""The scripts of static/js by Node's own runner (`node --test`): one test for each folder of tests/js, whose output
is Node's.
"""

import os
import subprocess
from pathlib import Path

import pytest

from tests.js import forms
from tools import setup

HERE = Path(__file__).resolve().parent
FOLDERS = sorted({file.parent.name for file in HERE.glob("*/*.test.js")})


@pytest.fixture(scope="module")
def node() -> str:
    """Node 20 or newer: the machine's, or the one that `make setup` brings (tools/setup.py)."""
    program, _npm = setup.found_node()
    if program.exists() and (forms.ROOT / "node_modules/happy-dom").is_dir():
        return str(program)
    message = "needs Node.js 20 or newer and the packages of package-lock.json: make setup"
    if os.environ.get("REQUIRE_BROWSER"):
        pytest.fail(message)
    pytest.skip(message)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("folder", FOLDERS)
def test_modules(node: str, folder: str) -> None:
    if folder == "form":
        forms.write()
    files = [str(file.relative_to(forms.ROOT)) for file in sorted((HERE / folder).glob("*.test.js"))]
    run = subprocess.run(
        [node, "--test", "--test-reporter=spec", *files], cwd=forms.ROOT, capture_output=True, text=True
    )
    assert run.returncode == 0, f"{run.stdout}\n{run.stderr}"


def test_each_folder_has_tests() -> None:
    assert {"editor", "form", "live", "log", "pages"} <= set(FOLDERS)
