"""Which tests notice which faults, by group testing: first each fault alone before its nearest tests, then all that
are left at once before all tests.

A test that fails with many faults is then run with each of them alone, and without any. So a stage takes as many runs
of its tests as there are faults that hide others, and one more in which nothing fails; not one for each fault.
"""

import json
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from tools.faults import related_tests, trees
from tools.faults.choose import Fault
from tools.faults.notes import EQUIVALENT
from tools.faults.repository import git
from tools.faults.trees import Tree

#: The name of the stage of each fault alone.
NEAR = "near"
#: Of the tests that failed with many faults, so many are asked about each fault alone.
ASKED = 12
#: A fault that breaks everything ends a run after so many failures.
FAILURES = 40


@dataclass(frozen=True, slots=True)
class Stage:
    """Tests that run together. `words`: for all of them; `options`: for some of them, named."""

    name: str
    words: tuple[str, ...]
    options: tuple[str, ...] = ()


_SPREAD = ("-n", "4", "--dist", "loadfile", "--no-loadscope-reorder")
#: tests/structural, examples/operators/tests and tests/image don't run the product.
_ELSEWHERE = (
    "tests/e2e",
    "tests/tutorials",
    "tests/forms",
    "tests/image",
    "tests/structural",
    "examples/operators/tests",
)
UNITS = Stage("units", (*_SPREAD, "tests", *(f"--ignore={folder}" for folder in _ELSEWHERE)))
#: In a run of their own: each worker that collects them reads the whole catalog.
FORMS = Stage("forms", ("-n", "2", *_SPREAD[2:], "tests/forms"))
JOURNEYS = Stage("journeys", ("--journeys", "tests/e2e"), ("--journeys",))
TUTORIALS = Stage("tutorials", ("tests/tutorials",))
BROWSER = Stage("browser", ("-n", "2", *_SPREAD[2:], "tests/e2e"))
#: In the order in which they run. What one has noticed the next is not asked.
STAGES = (UNITS, FORMS, JOURNEYS, TUTORIALS, BROWSER)
#: Those that `make test` runs (tools/run_tests.py).
MAKE_TEST = (UNITS, FORMS, JOURNEYS, TUTORIALS)


def say(text: str) -> None:
    print(f"plant-faults: {text}", flush=True)


class Results:
    """Lines of JSON in `.data/faults/results`: each is valid as long as neither the module with the fault nor the test
    file that noticed it changes.

    That no related test noticed a fault is valid until a test changes. Without the file every test runs again.
    """

    def __init__(self, path: Path, root: Path) -> None:
        """`root`: a checkout of the commit in question."""
        self.root = root
        self._path = path
        self._lock = threading.Lock()
        #: (fault, stage) → the test that noticed, or "".
        self._known: dict[tuple[str, str], str] = {}
        for text in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
            line = json.loads(text)
            if line["content"] == self._content(line["file"], line["stage"], line["test"]):
                self._known[line["fault"], line["stage"]] = line["test"]

    def _content(self, file: str, stage: str, test: str) -> list[str]:
        """Git's digests of what the result depends on."""
        tests = test.partition("::")[0] or ("tests" if stage == NEAR else "")
        lines = git("ls-tree", "HEAD", *filter(None, (file, tests)), folder=self.root).splitlines()
        return [line.split()[2] for line in lines]

    def note(self, fault: Fault, stage: str, test: str) -> None:
        """`test`: which noticed it, or ""."""
        content = self._content(fault.file, stage, test)
        line = {"fault": fault.key, "file": fault.file, "stage": stage, "test": test, "content": content}
        with self._lock, self._path.open("a", encoding="utf-8") as sink:
            self._known[fault.key, stage] = test
            sink.write(json.dumps(line) + "\n")

    def test(self, fault: Fault, stage: str) -> str | None:
        """The test of this stage that noticed, "" where none did, None where that is not known."""
        return self._known.get((fault.key, stage))

    def noticed(self, fault: Fault) -> tuple[str, str]:
        """The stage and the test that noticed it; twice "" where none did so far."""
        return next(((stage.name, test) for stage in STAGES if (test := self.test(fault, stage.name))), ("", ""))


@dataclass(slots=True)
class Judge:
    """`lanes`: checkouts in which single faults are tried at the same time; all at once are planted in the first."""

    lanes: list[Tree]
    results: Results
    #: Tests that fail without a fault too, or with no single one.
    unsure: set[str] = field(default_factory=set)

    def alone(self, faults: list[Fault]) -> None:
        """Stage one: each fault before the tests that are called like its module or import it."""

        def ask(tree: Tree, fault: Fault) -> None:
            if not self._is_open(fault) or self.results.test(fault, NEAR) is not None:
                return
            files, test, ran = related_tests.find_related(fault.file, self.results.root), "", 0
            while ran < len(files) and not test:
                # A few at a time: pytest reads all files before the first test.
                portion, ran = files[ran : ran * 4 + 1], ran * 4 + 1
                test = self._notices(tree, fault, portion)
                if test and not tree.pytest([test]).is_green and not tree.pytest(["-x", *portion]).is_green:
                    say(f"{test} fails without a fault too")
                    return
            if not trees.is_ending():
                self.results.note(fault, UNITS.name if test else NEAR, test)
                say(f"{fault.file}:{fault.line} alone: {test or f'not by {len(files)} near files'}")

        self._each(faults, ask)

    def _is_open(self, fault: Fault) -> bool:
        """Nothing has noticed it so far, and something may."""
        return not self.results.noticed(fault)[1] and fault.key not in EQUIVALENT

    def together(self, faults: list[Fault], stage: Stage) -> None:
        """All faults that nothing has noticed, planted at once, until nothing fails any more."""
        while not trees.is_ending():
            left = [fault for fault in faults if self._is_open(fault)]
            left = [fault for fault in left if self.results.test(fault, stage.name) is None]
            if not left:
                return
            say(f"{len(left)} faults together: {stage.name}")
            run = self.lanes[0].pytest([*stage.words, f"--maxfail={FAILURES}", *self._deselected()], left)
            suspects = [test for test in run.failed if test not in self.unsure]
            say(f"{len(suspects)} tests failed ({run.text.strip().rpartition(chr(10))[2]})")
            if trees.is_ending():
                return
            if run.code is None:
                say(f"the run took too long and says nothing:\n{run.text[-2000:]}")
                return
            if run.is_broken:
                self._broken(left, stage)
                continue
            self._attribute(left, stage, suspects)
            is_whole = len(run.failed) < FAILURES and not trees.is_ending()
            if is_whole and not any(self.results.noticed(fault)[1] for fault in left):
                for fault in left:
                    self.results.note(fault, stage.name, "")

    def _attribute(self, left: list[Fault], stage: Stage, suspects: list[str]) -> None:
        """Which fault each of these tests fails with, some tests at a time."""
        while suspects and left and not trees.is_ending():
            asked = spread(suspects, ASKED)
            clean = self.lanes[0].pytest([*stage.options, *asked])
            if clean.failed:
                say(f"fail without a fault too: {', '.join(clean.failed)}")
                self.unsure.update(clean.failed)
            sure = [test for test in asked if test not in self.unsure]
            self._try(left, stage, lambda tree, fault, sure=sure: self._notices(tree, fault, sure, stage.options))  # type: ignore[misc]
            found = [fault for fault in left if self.results.noticed(fault)[1]]
            left = [fault for fault in left if fault not in found]
            if not found:
                say(f"fail with no fault alone: {', '.join(sure)}")
                self.unsure.update(sure)
            suspects = [test for test in suspects if test not in self.unsure]
            if found and suspects:
                suspects = self.lanes[0].pytest([*stage.options, *suspects], left).failed

    def _broken(self, left: list[Fault], stage: Stage) -> None:
        """Not even a test began: the faults with which pytest can't collect."""
        self._try(left, stage, lambda tree, fault: self._notices(tree, fault, ["--collect-only", *stage.words]))
        if not any(self.results.noticed(fault)[1] for fault in left):
            raise RuntimeError(f"no test of the {stage.name} begins, with or without a fault")

    def _try(self, faults: list[Fault], stage: Stage, notices: Callable[[Tree, Fault], str]) -> None:
        def ask(tree: Tree, fault: Fault) -> None:
            if (test := notices(tree, fault)) and not trees.is_ending():
                self.results.note(fault, stage.name, test)
                say(f"{fault.file}:{fault.line} ({fault.kind}): {test}")

        self._each(faults, ask)

    def _each(self, faults: list[Fault], ask: Callable[[Tree, Fault], None]) -> None:
        """In as many lanes as there are."""
        waiting = list(faults)

        def work(tree: Tree) -> None:
            while waiting and not trees.is_ending():
                ask(tree, waiting.pop(0))

        with ThreadPoolExecutor(len(self.lanes)) as pool:
            list(pool.map(work, self.lanes))

    def _notices(self, tree: Tree, fault: Fault, tests: Iterable[str], options: Iterable[str] = ()) -> str:
        """The first of these tests that fails with this fault alone."""
        run = tree.pytest(["-x", *options, *tests, *self._deselected()], [fault], 900)
        if run.is_broken:
            return "tests/conftest.py"
        return run.failed[0] if run.failed else ""

    def _deselected(self) -> list[str]:
        return [f"--deselect={test}" for test in sorted(self.unsure)]


def spread(tests: list[str], most: int) -> list[str]:
    """At most so many, of as many files as can be."""
    number: dict[str, int] = {}
    ranked = []
    for test in tests:
        file = test.partition("::")[0]
        number[file] = number.get(file, 0) + 1
        ranked.append((number[file], test))
    return [test for _, test in sorted(ranked)[:most]]
