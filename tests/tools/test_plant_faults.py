"""Issue 20: what `make plant-faults` plants, and how it knows which tests run a line."""

import ast
from pathlib import Path

import pytest

from tools.faults import report
from tools.faults.choose import MAKERS, Fault, Finder, choose
from tools.faults.recorder import MARKS, Marker
from tools.faults.trees import PACKAGES, ROOT

MODULE = '''
@guarded
def page(request, most=5):
    """What it does."""
    if request.user and most > 20:
        audit(request)
        raise Refused
    for name in names(deep=True):
        send(name)
    return True
'''


@pytest.fixture(scope="module")
def faults() -> list[Fault]:
    return Finder("console/page.py", MODULE).found


def test_each_kind_of_fault_is_found(faults: list[Fault]) -> None:
    assert {fault.kind for fault in faults} == set(MAKERS)
    changes = {(fault.before, fault.after) for fault in faults}
    assert {("@guarded", "# dropped"), ("audit(request)", "pass"), ("raise Refused", "pass")} <= changes
    assert {("most > 20", "most >= 20"), ("20", "200"), ("True", "False"), ("return True", "return False")} <= changes


def test_a_fault_changes_one_place_and_is_python(faults: list[Fault]) -> None:
    for fault in faults:
        planted = fault.planted(MODULE)
        ast.parse(planted)
        assert len(planted) - len(MODULE) == len(fault.after) - len(fault.before)
        assert planted.count("\n") == MODULE.count("\n"), "lines keep their numbers"


def test_marks_say_which_block_ran(faults: list[Fault]) -> None:
    ran = dict.fromkeys(range(200), 0)
    tree = Marker(100).visit(ast.parse(MODULE))
    names = {MARKS: ran, "guarded": lambda page: page, "names": lambda deep: ["a"], "send": str}
    exec(compile(tree, "page.py", "exec"), names)
    names["page"](type("Request", (), {"user": None}))
    marked = {line - 100 for line, value in ran.items() if value}
    assert {fault.kind for fault in faults if fault.mark in marked} >= {"condition", "result"}
    (dropped,) = (fault for fault in faults if fault.before == "audit(request)")
    assert dropped.mark and dropped.mark not in marked
    assert names["page"].__doc__ == "What it does."


def test_the_same_seed_chooses_the_same_from_all_packages() -> None:
    found = choose(ROOT, 8, 1)
    assert [fault.key for fault in found] == [fault.key for fault in choose(ROOT, 8, 1)]
    assert sorted(fault.file.partition("/")[0] for fault in found) == sorted(PACKAGES * 2)
    assert len({fault.file for fault in found}) == 8


def test_the_table_goes_between_its_marks(tmp_path: Path) -> None:
    page = report.put("# Tests\n", "first")
    assert page.endswith(f"{report.BEGIN}\nfirst\n{report.END}\n")
    assert report.put(page + "\nMore.\n", "second") == page.replace("first", "second") + "\nMore.\n"
