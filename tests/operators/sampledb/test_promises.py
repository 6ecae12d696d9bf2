"""docs/operators.md names a test for each promise: the tests are there."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).resolve().parent


def named(text: str) -> list[tuple[Path, str]]:
    """(file, beginning of the test's name) of each test in the page; ``…`` stands for the file before, or for the rest of a name."""
    found: list[tuple[Path, str]] = []
    for place, name in re.findall(r"`([\w/.…]+?)::(\w+)…?`", text):
        path = found[-1][0] if place == "…" else (ROOT / place if "/" in place else HERE / place)
        found.append((path, name))
    return found


def test_every_promise_has_its_test() -> None:
    tests = named((ROOT / "docs" / "operators.md").read_text(encoding="utf-8"))
    assert len(tests) > 40
    missing = [f"{path.name}::{name}" for path, name in tests if f"def {name}" not in path.read_text(encoding="utf-8")]
    assert missing == []
