"""Issue 20: what `make plant-faults` plants, and how it finds which tests notice."""

import json
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tools.faults import related_tests, report, stages
from tools.faults.choose import MAKERS, Fault, Finder
from tools.faults.repository import PACKAGES, ROOT
from tools.faults.stages import BROWSER, MAKE_TEST, UNITS, Judge, Results, spread
from tools.faults.trees import Run

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

CHOOSE = """
import dataclasses, json
from tools.faults.choose import choose
from tools.faults.repository import ROOT
print(json.dumps([dataclasses.asdict(fault) for fault in choose(ROOT, 8, 1)]))
"""


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
        compile(planted, fault.file, "exec")
        assert len(planted) - len(MODULE) == len(fault.after) - len(fault.before)
        assert planted.count("\n") == MODULE.count("\n"), "lines keep their numbers"


def in_a_process_of_its_own() -> list[Fault]:
    """Eight faults of the product.

    ast.parse isn't safe beside another thread that parses (CPython before 3.12.4: "AST constructor recursion depth
    mismatch"; a traceback that another test's server logs is enough), and this parses every module.
    """
    run = subprocess.run([sys.executable, "-c", CHOOSE], cwd=ROOT, capture_output=True, text=True, check=True)
    return [Fault(**found) for found in json.loads(run.stdout)]


def test_the_same_seed_chooses_the_same_from_all_packages() -> None:
    found, again = in_a_process_of_its_own(), in_a_process_of_its_own()
    assert [fault.key for fault in found] == [fault.key for fault in again]
    assert sorted(fault.file.partition("/")[0] for fault in found) == sorted(PACKAGES * 2)
    assert len({fault.file for fault in found}) == 8


def test_the_table_goes_between_its_marks(tmp_path: Path) -> None:
    page = report.put("# Tests\n", "first")
    assert page.endswith(f"{report.BEGIN}\nfirst\n{report.END}\n")
    assert report.put(page + "\nMore.\n", "second") == page.replace("first", "second") + "\nMore.\n"


@dataclass
class Suite:
    """Stands for a tree: each test fails with the faults of these lines. `broken`: with it pytest does not begin."""

    fails: dict[str, set[int]]
    broken: int = 0
    flaky: str = ""
    runs: list[tuple[int, ...]] = field(default_factory=list)

    def pytest(self, words: Iterable[str], faults: Iterable[Fault] = (), seconds: float = 0) -> Run:
        words, lines = list(words), {fault.line for fault in faults}
        self.runs.append(tuple(sorted(lines)))
        if self.broken in lines:
            return Run([], 4, "")
        asked = [test for test in self.fails if test in words] or list(self.fails)
        asked = [test for test in asked if f"--deselect={test}" not in words]
        failed = [test for test in asked if self.fails[test] & lines or test == self.flaky]
        return Run(failed[:1] if "-x" in words else failed, int(bool(failed)), "")


def _judged(suite: Suite, tmp_path: Path) -> dict[int, tuple[str, str]]:
    faults = [
        Fault(file="console/page.py", line=line, kind="call", before="a()", after="pass", start=line, end=line)
        for line in (1, 2, 3)
    ]
    results = Results(tmp_path / "results", ROOT)
    Judge([suite], results).together(faults, UNITS)  # type: ignore[list-item]
    assert Results(tmp_path / "results", ROOT)._known == results._known, "an interrupted run goes on from there"
    return {fault.line: results.noticed(fault) for fault in faults}


def test_what_fails_with_all_faults_is_attributed_to_single_ones(tmp_path: Path) -> None:
    suite = Suite(
        {"tests/test_a.py::a": {1}, "tests/test_a.py::b": {1}, "tests/test_b.py::c": {3}, "tests/test_c.py::d": set()}
    )
    found = _judged(suite, tmp_path)
    assert found == {1: ("units", "tests/test_a.py::a"), 2: ("", ""), 3: ("units", "tests/test_b.py::c")}
    assert suite.runs[0] == (1, 2, 3) and suite.runs[-1] == (2,), "the last run is green"


def test_a_test_that_fails_without_a_fault_too_says_nothing(tmp_path: Path) -> None:
    suite = Suite({"tests/test_a.py::a": {2}, "tests/test_b.py::b": set()}, flaky="tests/test_b.py::b")
    assert _judged(suite, tmp_path) == {1: ("", ""), 2: ("units", "tests/test_a.py::a"), 3: ("", "")}


def test_a_fault_with_which_no_test_begins_is_found(tmp_path: Path) -> None:
    suite = Suite({"tests/test_a.py::a": {1}}, broken=2)
    assert _judged(suite, tmp_path) == {
        1: ("units", "tests/test_a.py::a"),
        2: ("units", "tests/conftest.py"),
        3: ("", ""),
    }


def test_a_fault_that_changes_nothing_is_shown_to_no_test(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    faults = [
        Fault(file="console/page.py", line=line, kind="call", before="a()", after="pass", start=line, end=line)
        for line in (1, 2)
    ]
    for module in (report, stages):
        monkeypatch.setattr(module, "EQUIVALENT", {faults[1].key: "it says the same."})
    suite, results = Suite({"tests/test_a.py::a": {1, 2}}), Results(tmp_path / "results", ROOT)
    Judge([suite], results).together(faults, UNITS)  # type: ignore[list-item]
    assert all(2 not in run for run in suite.runs)
    table = report.table(faults, results)
    assert "notices 1 and `make test` 1: 100 %; 1 changes nothing." in table
    assert table.endswith("it says the same.")


def test_near_tests_are_asked_a_few_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fault, results = (
        Fault(file="console/page.py", line=1, kind="call", before="a()", after="pass", start=1, end=1),
        Results(tmp_path / "results", ROOT),
    )
    files = [f"tests/test_{letter}.py" for letter in "abcdefg"]
    monkeypatch.setattr(related_tests, "find_related", lambda *_arguments: files)
    suite = Suite({file: {1} if file == files[3] else set() for file in files})
    Judge([suite], results).alone([fault])  # type: ignore[list-item]
    assert suite.runs == [(1,), (1,), ()], (
        "the first alone, then four more; the one that failed once more without the fault"
    )
    assert results.noticed(fault) == ("units", files[3])


def test_tests_of_many_files_are_asked_first() -> None:
    tests = ["a.py::1", "a.py::2", "b.py::1", "c.py::1"]
    assert spread(tests, 3) == ["a.py::1", "b.py::1", "c.py::1"]


def test_near_tests_are_called_like_the_module_or_import_it() -> None:
    assert related_tests.find_related("kube/silence.py", ROOT)[0] == "tests/kube/test_silence.py"
    assert "tests/tools/test_plant_faults.py" not in related_tests.find_related("kube/silence.py", ROOT)


def test_the_table_says_what_make_test_notices(tmp_path: Path) -> None:
    faults = [
        Fault(file="console/page.py", line=line, kind="call", before="a()", after="pass", start=line, end=line)
        for line in (1, 2)
    ]
    results = Results(tmp_path / "results", ROOT)
    results.note(faults[0], UNITS.name, "tests/test_a.py::a")
    assert "| ? | ? |" in report.table(faults, results)
    results.note(faults[1], BROWSER.name, "tests/e2e/test_b.py::b")
    for stage in MAKE_TEST:
        results.note(faults[1], stage.name, "")
    assert "| browser: e2e/test_b | no | yes |" in report.table(faults, results)
    assert "the whole suite notices 2 and `make test` 1: 50 %" in report.table(faults, results)
