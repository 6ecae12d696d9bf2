"""Checkouts of their own in which faults are planted, and pytest in them."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from importlib.util import cache_from_source
from pathlib import Path

from tools.faults.choose import Fault
from tools.faults.repository import ROOT, git

#: What set-up makes and git does not know: shared with the checkout.
MADE = (".venv", "node_modules", "static/vendor")
_RUNNING: "set[subprocess.Popen[bytes]]" = set()
_ENDING = threading.Event()


@dataclass(frozen=True, slots=True)
class Run:
    """`failed`: tests, and files that can't be imported.

    `code`: pytest's; None where the time was over or everything was to end.
    """

    failed: list[str]
    code: int | None
    text: str

    @property
    def is_green(self) -> bool:
        """0: all passed; 5: there was no test."""
        return not self.failed and self.code in (0, 5)

    @property
    def is_broken(self) -> bool:
        """pytest did not even begin."""
        return not self.failed and self.code not in (0, 5, None)


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

    def pytest(self, words: Iterable[str], faults: Iterable[Fault] = (), seconds: float = 3600) -> Run:
        """Runs pytest with these faults, at most one in a file."""
        texts = {fault.file: (self.path / fault.file).read_text(encoding="utf-8") for fault in faults}
        for fault in faults:
            self._write(fault.file, fault.planted(texts[fault.file]))
        try:
            with tempfile.TemporaryDirectory(prefix="faults-") as name:
                python = os.environ.get("TEST_PYTHON") or str(self.path / ".venv/bin/python")
                log = Path(name, "log")
                code = self._run([python, "-m", "pytest", "-q", "-o", f"cache_dir={name}/cache", *words], log, seconds)
                failed = Path(name, "cache/v/cache/lastfailed")
                found = list(json.loads(failed.read_text())) if failed.exists() and code else []
                return Run(found, code, log.read_text(errors="replace"))
        finally:
            for file, text in texts.items():
                self._write(file, text)

    def _write(self, file: str, text: str) -> None:
        """Its bytecode goes: it might be taken for that of a text of the same length and second."""
        path = self.path / file
        path.write_text(text, encoding="utf-8")
        Path(cache_from_source(str(path))).unlink(missing_ok=True)

    def _run(self, command: list[str], log: Path, seconds: float) -> int | None:
        if _ENDING.is_set():
            log.touch()
            return None
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        with log.open("wb") as sink:
            process = subprocess.Popen(
                command,
                cwd=self.path,
                stdin=subprocess.DEVNULL,
                stdout=sink,
                stderr=sink,
                env=environment,
                start_new_session=True,
            )
        _RUNNING.add(process)
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            end(process)
            return None
        finally:
            _RUNNING.discard(process)
        return None if _ENDING.is_set() else code


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
