"""What git says about the product and its tests."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("console", "operatorhub", "resources", "kube")


def git(*words: str, folder: Path = ROOT) -> str:
    """What git prints."""
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, check=True, text=True).stdout.strip()


def product_files(root: Path = ROOT) -> list[str]:
    """Python files of the four packages, without migrations, from the root of the repository."""
    paths = git("ls-files", *(f"{package}/*.py" for package in PACKAGES), folder=root).split("\n")
    return [path for path in paths if "/migrations/" not in path]


def test_files(root: Path = ROOT) -> list[str]:
    """Test files, from the root of the repository."""
    return git("ls-files", "tests/**/test_*.py", "tests/test_*.py", folder=root).split("\n")
