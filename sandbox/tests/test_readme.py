"""sandbox/README.md says which part serves what; a part that it doesn't name has to go, or to be named."""

import re
from pathlib import Path

import pytest

SANDBOX = Path(__file__).resolve().parents[1]
LINES = [line for line in (SANDBOX / "README.md").read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
#: Where one line is about a part of the folder.
DIVIDED = ("controllers", "streams")


def parts() -> list[str]:
    """Modules and folders, with the modules of the divided ones."""
    folders = [SANDBOX, *(SANDBOX / name for name in DIVIDED)]
    files = [path.stem for folder in folders for path in folder.glob("*.py") if path.stem != "__init__"]
    return sorted({*files, *(path.parent.name for path in SANDBOX.glob("*/__init__.py"))})


@pytest.mark.parametrize("part", parts())
def test_a_part_has_a_line(part: str) -> None:
    named = [line for line in LINES if re.search(rf"(?<!\w){part}(?!\w)", line.split("|")[1])]
    assert named, f"{part}: which page, tutorial or command needs it?"
