"""Runs the tests that may notice a fault, the likeliest first, and keeps what came of it."""

import ast
import json
import threading
import time
from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from tools.faults import trees
from tools.faults.choose import Fault
from tools.faults.recording import Recorded, Recording
from tools.faults.trees import Run, Tree

#: How many files run in the first rounds of a fault: those that are likely to notice it.
LIKELY = (4, 12)
_BROWSER = "tests/e2e"
_TUTORIALS = "tests/tutorials"


@dataclass(frozen=True, slots=True)
class Group:
    """Tests that run or are left out together. `folder`: "" for all that belong to no other group."""

    name: str
    folder: str = ""
    words: tuple[str, ...] = ()

    def files(self, recording: Recording) -> list[str]:
        """Its test files."""
        if self.folder:
            return [path for path in recording.blobs if path.startswith(f"{self.folder}/")]
        return [path for path in recording.blobs if not path.startswith((f"{_BROWSER}/", f"{_TUTORIALS}/"))]

    def exists(self, root: Path) -> bool:
        """Whether the commit has its options."""
        options = root / "tests/options.py"
        known = options.read_text() if options.exists() else ""
        return all(word in known for word in self.words)


UNITS = Group("units")
JOURNEYS = Group("journeys", _BROWSER, ("--journeys",))
BROWSER = Group("browser", _BROWSER)
TUTORIALS = Group("tutorials", _TUTORIALS)
#: In the order in which they run. What `make test` and `make test-all` run of them: adapt it here.
GROUPS = (UNITS, JOURNEYS, BROWSER, TUTORIALS)
MAKE_TEST = (UNITS, JOURNEYS, TUTORIALS)
WHOLE = (UNITS, BROWSER, TUTORIALS)


@dataclass(frozen=True, slots=True)
class Verdict:
    """`test`: the first test that noticed. `left`: files that may notice and have not run yet."""

    test: str = ""
    ran: int = 0
    left: int = 0

    @property
    def is_open(self) -> bool:
        return not self.test and self.left > 0


class Verdicts:
    """Lines of JSON beside the recording: fault, group and test file, with git's digest of that file."""

    def __init__(self, recording: Recording) -> None:
        self.recording = recording
        self.path = recording.folder / "verdicts"
        self._lock = threading.Lock()
        #: (fault, group, test file) → the test that noticed, or "".
        self.known: dict[tuple[str, str, str], str] = {}
        #: Tests that fail without a fault too.
        self.flaky: set[str] = {test for recorded in self.recorded.values() for test in recorded.failed}
        for text in self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else []:
            line = json.loads(text)
            if line["blob"] == recording.blobs.get(line["file"]):
                self._take(line)

    @cached_property
    def recorded(self) -> dict[str, Recorded]:
        return self.recording.read()

    @cached_property
    def imported(self) -> dict[str, set[str]]:
        """Test file → the modules that it names in imports."""
        return {path: _imports(self.recording.root / path) for path in self.recording.blobs}

    def _take(self, line: dict[str, str]) -> None:
        if line["outcome"] == "flaky":
            self.flaky.add(line["test"])
        else:
            self.known[line["fault"], line["group"], line["file"]] = line["test"]

    def note(self, fault: Fault, group: Group, file: str, *, outcome: str, test: str = "") -> None:
        """`outcome`: passed, caught or flaky."""
        line = {"fault": fault.key, "group": group.name, "file": file, "outcome": outcome, "test": test}
        line["blob"] = self.recording.blobs[file]
        with self._lock, self.path.open("a", encoding="utf-8") as sink:
            self._take(line)
            sink.write(json.dumps(line) + "\n")

    def candidates(self, fault: Fault, group: Group) -> list[str]:
        """Test files that run the line with the fault, or may: those that are likely to notice it first."""
        near = _near(fault.file, self.recording.root)
        costs: dict[str, float] = {}
        for path in group.files(self.recording):
            recorded = self.recorded.get(path)
            seconds, size = (recorded.seconds + 0.1, recorded.size) if recorded else (10.0, 6_000)
            if recorded and not _reaches(recorded, fault, near):
                continue
            costs[path] = seconds * size * self._distance(path, fault) * (1 if recorded else 3)
        return sorted(costs, key=costs.__getitem__)

    def _distance(self, path: str, fault: Fault) -> float:
        """Less for a test that names the module, or that is called like it."""
        module = fault.file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        words = set(fault.file.removesuffix(".py").replace("_", "/").split("/"))
        same = words & set(path.removesuffix(".py").replace("_", "/").split("/"))
        return (0.05 if module in self.imported[path] else 1.0) * 0.4 ** len(same)

    def verdict(self, fault: Fault, group: Group) -> Verdict:
        """As far as it is known."""
        files = group.files(self.recording)
        found = {file: test for file in files if (test := self.known.get((fault.key, group.name, file))) is not None}
        if test := next(filter(None, found.values()), ""):
            return Verdict(test, len(found))
        return Verdict("", len(found), len(set(self.candidates(fault, group)) - set(found)))

    def judge(self, fault: Fault, group: Group, tree: Tree, *, seconds: float, most: int = 10_000) -> Verdict:
        """Runs what is not known yet, until a test notices the fault, `most` files ran, or the seconds are over."""
        until = time.monotonic() + seconds
        text = (tree.path / fault.file).read_text(encoding="utf-8")
        while not trees.is_ending() and (left := until - time.monotonic()) > 1:
            done = {file for key, name, file in self.known if (key, name) == (fault.key, group.name)}
            files = [path for path in self.candidates(fault, group) if path not in done]
            verdict = self.verdict(fault, group)
            if verdict.test or not files:
                return verdict
            if verdict.ran >= most:
                return verdict
            portion = next((size for size in LIKELY if size > verdict.ran), verdict.ran + 40)
            files = files[: portion - verdict.ran]
            tree.write(fault.file, fault.planted(text))
            try:
                deselected = [f"--deselect={test}" for test in sorted(self.flaky)]
                run = tree.pytest(["-x", *group.words, *deselected, *files], left)
            finally:
                tree.write(fault.file, text)
            if not self._learn(fault, group, run, files=files, tree=tree):
                break
        return self.verdict(fault, group)

    def _learn(self, fault: Fault, group: Group, run: Run, *, files: list[str], tree: Tree) -> bool:
        """From one run. False where it says nothing."""
        tests, of = Counter[str](), dict[str, int]()
        failed: list[str] = []
        for line in run.outcomes:
            tests[line["file"]] += line["tests"]
            of[line["file"]] = line["of"]
            failed += line["failed"]
        for file in of:
            if not any(test.startswith(file) for test in failed) and tests[file] == of[file]:
                self.note(fault, group, file, outcome="passed")
        if not run.is_ended and not failed and not of and "deselected" not in run.text:
            failed = [files[0]]  # pytest did not even begin
        for test in failed[:1]:
            file = test.partition("::")[0]
            # Alone, and where it fails so, after the same files as before: some tests need what others imported.
            until = files[: files.index(file) + 1] if file in files else files
            is_good = _passes(tree, [*group.words, test]) or _passes(tree, ["-x", *group.words, *until])
            self.note(fault, group, file, outcome="caught" if is_good else "flaky", test=test)
        if not run.is_ended and not failed:
            # All their tests are deselected, or not of this group.
            for file in set(files) - set(of):
                self.note(fault, group, file, outcome="passed")
        return bool(of or failed) or not run.is_ended


def _passes(tree: Tree, words: list[str]) -> bool:
    """Without a fault."""
    run = tree.pytest(words, 600)
    return not run.is_ended and bool(run.outcomes) and not any(line["failed"] for line in run.outcomes)


def _imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


@cache
def _texts(root: Path) -> dict[str, str]:
    return {path: (root / path).read_text(encoding="utf-8") for path in trees.product_files(root)}


@cache
def _near(file: str, root: Path) -> set[str]:
    """The module, and those of the product that import it."""
    module = file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    parent, _, name = module.rpartition(".")
    words = (f"from {module} import", f"import {module}\n", f"from {parent} import")
    found = {file}
    for path, text in _texts(root).items():
        if any(word in text for word in words[:2]) or (words[2] in text and f"{name}." in text):
            found.add(path)
    return found


def _reaches(recorded: Recorded, fault: Fault, near: set[str]) -> bool:
    if fault.mark:
        return fault.mark in recorded.marks.get(fault.file, ())
    return any(recorded.marks.get(path) for path in near)
