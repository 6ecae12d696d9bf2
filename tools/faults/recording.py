"""Which test file runs which block of the product: recorded file by file, and kept until one of both changes."""

import hashlib
import json
import threading
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tools.faults import trees
from tools.faults.trees import PACKAGES, ROOT, Tree, git

#: They don't run the product.
ELSEWHERE = ("tests/structural", "tests/operators")
#: Folders in the order in which they are recorded: the quickest first.
ORDER = ("tests/kube", "tests/untrusted", "tests/console", "tests/resources", "tests/operatorhub")
LAST = ("tests/tutorials", "tests/e2e")
FILES_A_RUN = 8


@dataclass(slots=True)
class Recorded:
    """Of one test file. `marks`: by product file, the lines of the marks that it set."""

    seconds: float = 0.0
    tests: int = 0
    of: int = 0
    failed: list[str] = field(default_factory=list)
    marks: dict[str, set[int]] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return sum(len(lines) for lines in self.marks.values())


class Recording:
    """Lines of JSON in `.data/faults/<key>/recording`, the key being that of the product's files at the commit."""

    def __init__(self, commit: str, root: Path) -> None:
        """`root`: a tree of that commit."""
        self.commit = commit
        self.root = root
        key = hashlib.sha256(git("rev-parse", *(f"{commit}:{package}" for package in PACKAGES)).encode())
        self.folder = ROOT / ".data/faults" / key.hexdigest()[:12]
        self.folder.mkdir(parents=True, exist_ok=True)
        self.path = self.folder / "recording"
        self._lock = threading.Lock()

    @cached_property
    def blobs(self) -> dict[str, str]:
        """Test file → git's digest of its content."""
        lines = git("ls-tree", "-r", self.commit, "tests/").split("\n")
        of = {line.split("\t")[1]: line.split()[2] for line in lines}
        files = {path: blob for path, blob in of.items() if Path(path).name.startswith("test_")}
        return {path: blob for path, blob in files.items() if path.endswith(".py") and not path.startswith(ELSEWHERE)}

    def read(self) -> dict[str, Recorded]:
        """What is known of each test file as it is at the commit."""
        found: dict[str, Recorded] = {}
        names = sorted(trees.first_lines(self.root).items(), key=lambda item: item[1])
        if not self.path.exists():
            return {}
        for text in self.path.read_text(encoding="utf-8").splitlines():
            line = json.loads(text)
            if self.blobs.get(line["file"]) != line["blob"]:
                continue
            seen = found.setdefault(line["file"], Recorded())
            seen.seconds += line.get("seconds", 0)
            seen.tests += line["tests"]
            seen.of = max(seen.of, line["of"])
            seen.failed += line["failed"]
            _spread(line.get("marks", []), names, seen.marks)
        return found

    def missing(self) -> list[list[str]]:
        """Files that are to be recorded, in portions for one run of pytest each."""
        known = self.read()
        left: dict[str, list[str]] = {}
        for path in sorted(self.blobs):
            if path not in known:
                left.setdefault("/".join(path.split("/")[:2]), []).append(path)
        before = {folder: place for place, folder in enumerate(ORDER)}
        after = {folder: len(ORDER) + 1 + place for place, folder in enumerate(LAST)}
        folders = sorted(left, key=lambda folder: (before | after).get(folder, len(ORDER)))
        runs = []
        for folder in folders:
            files = left[folder]
            runs += [files[start : start + FILES_A_RUN] for start in range(0, len(files), FILES_A_RUN)]
        return runs

    def write(self, outcomes: list[dict[str, Any]]) -> None:
        """Keeps what a run found."""
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            for line in outcomes:
                file.write(json.dumps({**line, "blob": self.blobs.get(line["file"], "")}) + "\n")

    def record(self, lanes: list[Tree], seconds: float) -> None:
        """Runs what is missing, one portion after the other in each tree."""
        left = self.missing()
        print(f"plant-faults: {sum(map(len, left))} test files are to be recorded", flush=True)

        def lane(tree: Tree) -> None:
            tree.compile()
            while left and not trees.is_ending():
                files = left.pop(0)
                run = tree.pytest(files, seconds, is_recorded=True)
                self.write([line for line in run.outcomes if not run.is_ended or line["tests"] == line["of"]])
                count = sum(line["tests"] for line in run.outcomes)
                bad = [test for line in run.outcomes for test in line["failed"]]
                print(f"plant-faults: recorded {count} tests of {files[0]} …", *bad, sep="\n  ", flush=True)
                if run.is_ended or not count:
                    print(run.text[-2000:], flush=True)

        threads = [threading.Thread(target=lane, args=(tree,), daemon=True) for tree in lanes]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def _spread(marks: list[int], names: list[tuple[str, int]], into: dict[str, set[int]]) -> None:
    """From numbers, in rising order, to files and lines."""
    place = 0
    for number in marks:
        while place + 1 < len(names) and names[place + 1][1] < number:
            place += 1
        name, first = names[place]
        into.setdefault(name, set()).add(number - first)
