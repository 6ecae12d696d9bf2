"""Checkouts of their own in which faults are planted, and pytest in them."""

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from dataclasses import dataclass, field
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from tools.faults import recorder

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
PACKAGES = ("console", "operatorhub", "resources", "kube")
#: What set-up makes and git does not know: shared with the checkout.
MADE = (".venv", "node_modules", "static/vendor")
_RUNNING: "set[subprocess.Popen[bytes]]" = set()
_ENDING = threading.Event()


def git(*words: str, folder: Path = ROOT) -> str:
    """What git prints."""
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, check=True, text=True).stdout.strip()


def product_files(root: Path = ROOT) -> list[str]:
    """Python files of the four packages, without migrations, from the root of the repository."""
    paths = git("ls-files", *(f"{package}/*.py" for package in PACKAGES), folder=root).split("\n")
    return [path for path in paths if "/migrations/" not in path]


@dataclass(frozen=True, slots=True)
class Run:
    """`is_ended`: the time-out passed, or everything was to end."""

    outcomes: list[dict[str, Any]]
    is_ended: bool
    text: str


@dataclass(slots=True)
class Tree:
    """A git worktree of a commit, in a folder of its own with what tests expect beside a checkout."""

    folder: Path
    commit: str
    path: Path = field(init=False)

    def __post_init__(self) -> None:
        self.path = self.folder / "tree"

    def make(self) -> None:
        """Made, or set back to the commit as it is there."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.path / ".git").exists():
            shutil.rmtree(self.path, ignore_errors=True)
            git("worktree", "prune")
            git("worktree", "add", "--detach", "--force", str(self.path), self.commit)
        git("checkout", "--quiet", "--detach", "--force", self.commit, folder=self.path)
        for name in MADE:
            if (ROOT / name).exists() and not (self.path / name).exists():
                (self.path / name).symlink_to(ROOT / name)
        for path in ROOT.glob("locale/*/*/*.mo"):
            shutil.copy(path, self.path / path.relative_to(ROOT))
        beside = self.folder / "shared"
        if (ROOT.parent / "shared").is_dir() and not beside.exists():
            beside.symlink_to(ROOT.parent / "shared")

    def remove(self) -> None:
        """Gone, and git's note of it too."""
        with contextlib.suppress(subprocess.CalledProcessError):
            git("worktree", "remove", "--force", str(self.path))
        shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, file: str, text: str) -> None:
        """Changes a module. Its bytecode goes: it might be taken for that of a text of the same length and second."""
        path = self.path / file
        path.write_text(text, encoding="utf-8")
        Path(cache_from_source(str(path))).unlink(missing_ok=True)

    def pytest(self, words: list[str], seconds: float, *, is_recorded: bool = False) -> Run:
        """Runs pytest with our plugin. With `is_recorded` the product's modules have marks."""
        pytest = ["pytest", "-q", "-p", "planted_plugin", "-p", "no:cacheprovider"]
        return self.module([*pytest, *words], seconds, is_recorded=is_recorded)

    def compile(self) -> None:
        """The modules with their marks, in one thread: Python 3.11 may fail to parse in one while another does."""
        folders = [str(self.path / package) for package in PACKAGES]
        self.module(["compileall", "-q", *folders], 300, is_recorded=True)

    def module(self, words: list[str], seconds: float, *, is_recorded: bool) -> Run:
        """Runs `python -m` in the tree."""
        with tempfile.TemporaryDirectory(prefix="faults-") as name:
            site = Path(name)
            shutil.copy(HERE / "plugin.py", site / "planted_plugin.py")
            outcomes, log = site / "outcomes", site / "log"
            outcomes.touch()
            environment = {**os.environ, "PYTHONPATH": name, "PLANTED_OUTCOMES": str(outcomes)}
            if is_recorded:
                shutil.copy(HERE / "recorder.py", site / "sitecustomize.py")
                environment[recorder.SETTINGS] = str(self._settings(site))
            python = os.environ.get("TEST_PYTHON") or str(self.path / ".venv/bin/python")
            is_ended = self._run([python, "-m", *words], environment, log=log, seconds=seconds)
            found = [json.loads(line) for line in outcomes.read_text().splitlines()]
            return Run(found, is_ended, log.read_text(errors="replace"))

    def _run(self, command: list[str], environment: dict[str, str], *, log: Path, seconds: float) -> bool:
        if _ENDING.is_set():
            return True
        with log.open("wb") as sink:
            process = subprocess.Popen(
                ["nice", "-n", "10", *command],
                cwd=self.path,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                env=environment,
                start_new_session=True,
            )
        _RUNNING.add(process)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            end(process)
            return True
        finally:
            _RUNNING.discard(process)
        return _ENDING.is_set()

    def _settings(self, site: Path) -> Path:
        """For the recorder. The number of a mark is that of its line when all files are laid one after the other."""
        first = first_lines(self.path)
        marks = site / "marks"
        marks.write_bytes(bytes(max(first.values()) + 10_000))
        path = site / "settings"
        # Marks have the numbers of this very tree.
        digest = hashlib.sha256(json.dumps(first).encode()).hexdigest()[:12]
        cache = str(self.folder / f"bytecode-{digest}")
        path.write_text(json.dumps({"root": str(self.path), "map": str(marks), "cache": cache, "first": first}))
        return path


def first_lines(root: Path) -> dict[str, int]:
    """File → number of its line 0."""
    found, total = {}, 0
    for path in product_files(root):
        found[path] = total
        total += len((root / path).read_bytes().splitlines()) + 1
    return found


def end(process: "subprocess.Popen[bytes]") -> None:
    """First as Ctrl-C does: pytest then ends what its fixtures started. Ten seconds later for good."""
    for number, wait in ((signal.SIGINT, 10.0), (signal.SIGKILL, 10.0)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(wait)
            return


def end_all(*_: object) -> None:
    """For SIGINT and SIGTERM: what runs is ended, none begins after it, and what is known by then is kept."""
    _ENDING.set()
    for process in list(_RUNNING):
        end(process)


def is_ending() -> bool:
    """Whether everything is to end."""
    return _ENDING.is_set()
