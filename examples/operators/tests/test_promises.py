"""docs/operators.md names a test for each promise of each operator: the tests are there, and no operator is left out.

A section's title names the operator: "Argo CD" is about examples/operators/argocd, and its tests are in
examples/operators/tests/argocd. A file without a folder is in there.
"""

import re
from pathlib import Path

import pytest

from examples.operators.tests.places import ROOT

TESTS = ROOT / "examples" / "operators" / "tests"
PAGE = (ROOT / "docs" / "operators.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL))
#: The section that is about no single operator.
OF_ALL = "Capability levels"
#: argocd-tutorial is a package of examples/operators/argocd (docs/decisions/0019).
PACKAGES = sorted(
    path.parent.name.removesuffix("-tutorial")
    for path in (ROOT / "examples" / "operators" / "packages").glob("*/package.json")
)


def package(title: str) -> str:
    """The folder of the operator that a section is about, from its title without brackets."""
    return re.sub(r"\W", "", title.partition(" (")[0]).lower()


def named(text: str, folder: Path) -> list[tuple[Path, str]]:
    """(file, pattern of the test's name) of each test that is named; ``…`` stands for the file before, or for the
    rest of a name.
    """
    found: list[tuple[Path, str]] = []
    for place, name, rest in re.findall(r"`([\w/.…]+?)::(\w+)(…?)`", text):
        path = found[-1][0] if place == "…" else (ROOT / place if "/" in place else folder / place)
        found.append((path, rf"def {name}\w*\(" if rest else rf"def {name}\("))
    return found


@pytest.mark.parametrize("title", SECTIONS)
def test_every_promise_has_its_test(title: str) -> None:
    folder = TESTS if title == OF_ALL else TESTS / package(title)
    assert folder.is_dir(), f"the section “{title}” is about no operator: {folder.name}"
    tests = named(SECTIONS[title], folder)
    missing = [
        f"{path.relative_to(ROOT)}: {name}"
        for path, name in tests
        if not path.is_file() or not re.search(name, path.read_text(encoding="utf-8"))
    ]
    assert missing == []
    assert len(tests) > 10


@pytest.mark.parametrize("title", SECTIONS)
def test_every_row_of_a_table_names_a_test(title: str) -> None:
    """A test, or the file or the folder of tests that hold all of it."""
    rows = re.findall(r"^\|(.*)\|(.*)\|$", SECTIONS[title], re.MULTILINE)
    silent = [
        promise.strip() for promise, tests in rows if not re.search(r"`\S+(::\w+…?|\.py|/)`|^ test $|^-+$", tests)
    ]
    assert silent == []


def test_every_operator_has_its_section() -> None:
    assert {package(title) for title in SECTIONS} >= set(PACKAGES)


def test_a_test_that_is_not_there_would_be_missed() -> None:
    here = Path(__file__).parent
    (path, name), (same, beginning) = named("`test_promises.py::test_nothing`, `…::test_a_test_that…`", here)
    assert path == same == Path(__file__)
    text = path.read_text(encoding="utf-8")
    assert not re.search(name, text)
    assert re.search(beginning, text)
    assert not re.search(beginning.replace(r"\w*", ""), text), "without … it is the whole name"
