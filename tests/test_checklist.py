"""docs/checklist.md names tests; each of them is there."""

import re

import pytest

from tests.conftest import ROOT

LINES = re.findall(r"^\| (\d+) \| (.*?) \| (.*) \|$", (ROOT / "docs" / "checklist.md").read_text(), re.MULTILINE)


@pytest.mark.parametrize(("number", "shown"), [(number, shown) for number, _feature, shown in LINES])
def test_what_shows_it_is_there(number: str, shown: str) -> None:
    named = re.findall(r"`(tests/[\w/.]+)::(\w+)`", shown)
    assert named or shown.startswith("–"), number
    for file, name in named:
        assert re.search(rf"def {name}\(", (ROOT / file).read_text()), f"line {number}: {file} has no {name}"


def test_no_line_is_missing_or_twice() -> None:
    assert [int(number) for number, *_ in LINES] == [*range(1, 199)]
