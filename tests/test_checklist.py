"""docs/checklist.md names tests; each of them is there."""

import re
from collections import Counter

import pytest

from tests.conftest import ROOT

TEXT = (ROOT / "docs" / "checklist.md").read_text()
LINES = re.findall(r"^\| (\d+) \| (.*?) \| (.*) \|$", TEXT, re.MULTILINE)


@pytest.mark.parametrize(("number", "shown"), [(number, shown) for number, _feature, shown in LINES])
def test_what_shows_it_is_there(number: str, shown: str) -> None:
    named = re.findall(r"`(tests/[\w/.]+)::(\w+)`", shown)
    assert named or shown.startswith("–"), number
    for file, name in named:
        assert re.search(rf"def {name}\(", (ROOT / file).read_text()), f"line {number}: {file} has no {name}"


def test_no_line_is_missing_or_twice() -> None:
    assert [int(number) for number, *_ in LINES] == [*range(1, 199)]


def test_each_line_was_tried_and_they_are_counted() -> None:
    found = Counter(re.search(r"(?:^|\| )(better|equal|less): [^|]*$", shown)[1] for _number, _feature, shown in LINES)  # type: ignore[index]
    words = " ".join(TEXT.split())
    assert f"{found['better']} lines are better, {found['equal']} equal, {found['less']} less" in words
