#!/usr/bin/env python3
"""Suites that need not run where nothing that they depend on has changed since they passed.

`tools/suites.py` prints which those are.

A suite depends on its tests, on the packages that it starts as programs, on what both import, directly or not, and on
the files named here. The digest of all these, from when the suite last passed, is in tests/passed.json, which is
committed with a change. `--check NAME` runs a suite and prints which files of the repository its processes opened that
are not among them.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.repository_files import repository_files  # noqa: E402 - the tree isn't a package of the environment

RECORD = ROOT / "tests/passed.json"
#: Of every suite: what is installed, and how tests are begun.
ALWAYS = (
    "pyproject.toml",
    "uv.lock",
    "tests/__init__.py",
    "tests/conftest.py",
    "tests/environment.py",
    "tests/options.py",
    "tests/plain.py",
)
#: Two suites may end at the same time.
_WRITING = threading.Lock()
#: Tests that stand beside a program: they don't count as files of what starts the program.
_BESIDE = ("sandbox/tests", "sandbox/conformance", "examples/operators/tests")
_PACKAGES = (
    *("console", "kube", "operatorhub", "resources"),
    *("examples", "sandbox", "structural", "untrusted"),
    *("bench", "tests", "tools"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """`tests`: folders for pytest.

    `programs`: packages that run as processes of their own. `files`: folders and files that are read and not imported.
    """

    name: str
    tests: tuple[str, ...]
    programs: tuple[str, ...]
    files: tuple[str, ...] = ()

    #: Whether its tests need the console's settings.
    is_console: bool = False

    @property
    def words(self) -> list[str]:
        """For pytest."""
        return [*self.tests] if self.is_console else ["-p", "tests.plain", *self.tests]

    def modules(self) -> set[str]:
        """All that its tests and programs import, directly or not."""
        graph = _graph()
        roots = (
            *(path.replace("/", ".") for path in self.tests),
            *self.programs,
            "tests.conftest",
            "tests.environment",
        )
        others = tuple(f"{path.replace('/', '.')}." for path in _BESIDE if path not in self.tests)
        found: set[str] = set()
        left = [name for name in graph.modules if _is_within(name, roots) and not f"{name}.".startswith(others)]
        while left:
            name = left.pop()
            if name in found:
                continue
            found.add(name)
            left += graph.find_modules_directly_imported_by(name)
            # Python imports the packages that a module is in before it.
            left += filter(None, [name.rpartition(".")[0]])
        return found

    def paths(self) -> list[str]:
        """The files that it depends on, from the root of the repository."""
        modules = {path for name in self.modules() for path in _files_of(name)}
        programs = (program.replace(".", "/") for program in self.programs)
        folders = tuple(f"{path}/" for path in (*self.tests, *programs, *self.files))
        others = tuple(f"{path}/" for path in _BESIDE if path not in self.tests)
        named = {*modules, *ALWAYS, *self.files}
        found = (path for path in repository_files() if path.startswith(folders) and not path.startswith(others))
        return sorted({*found, *named.intersection(repository_files())})

    def digest(self) -> str:
        """Of the names and contents of these files, and of the version of Python."""
        total = hashlib.sha256(f"{sys.version_info.major}.{sys.version_info.minor}".encode())
        for path in self.paths():
            content = hashlib.sha256((ROOT / path).read_bytes()).hexdigest()
            total.update(f"{path} {content}\n".encode())
        return total.hexdigest()

    def passed(self) -> int:
        """How many tests passed the last time, if nothing has changed since; else 0."""
        before = _record().get(self.name, {})
        return int(before["tests"]) if before.get("digest") == self.digest() else 0


EMBEDDED = Suite(
    name="embedded cluster",
    tests=("sandbox/tests", "sandbox/conformance", "tests/structural"),
    programs=("sandbox", "examples"),
)
OPERATORS = Suite(
    name="sample operators",
    tests=("examples/operators/tests",),
    programs=("examples", "sandbox"),
    files=("docs/operators.md",),
)
FORMS = Suite(
    name="forms of the catalog",
    tests=("tests/forms",),
    programs=("sandbox",),
    files=("templates/resources", "locale"),
    is_console=True,
)
#: That the manifests, the image's steps and what they start fit together. What pages then answer is not its subject.
DEPLOYMENT = Suite(
    name="deployment",
    tests=("tests/deploy",),
    programs=(
        "console.processes",
        "console.settings",
        "console.management",
        "console.asgi",
        "console.celery",
        "sandbox",
    ),
    files=(
        *("deploy", "docker-compose.yml", "docs/deploy.md", ".dockerignore"),
        *("package.json", "package-lock.json", "tools/setup.py", "tools/assets.mjs", "tools/compose"),
    ),
    is_console=True,
)
#: docs/conformance.md has what both clusters answered.
CONFORMANCE = Suite(
    name="conformance of a real cluster", tests=("sandbox/conformance",), programs=("sandbox", "tools.realcluster")
)
#: Those that `make test` runs, each in a run of its own.
OWN = (EMBEDDED, OPERATORS, FORMS, DEPLOYMENT)
SUITES = (*OWN, CONFORMANCE)


def _is_within(name: str, roots: tuple[str, ...]) -> bool:
    return any(f"{name}.".startswith(f"{root}.") for root in roots)


def _files_of(module: str) -> tuple[str, str]:
    path = module.replace(".", "/")
    return f"{path}.py", f"{path}/__init__.py"


@cache
def _graph() -> grimp.ImportGraph:
    # Without a cache, which saves a tenth of a second: sets of packages in one folder share the times of the files, but
    # not the imports, so that the set that is read second has old ones.
    return grimp.build_graph(*_PACKAGES, cache_dir=None)


def _record() -> dict[str, dict[str, str | int]]:
    return dict(json.loads(RECORD.read_text(encoding="utf-8"))) if RECORD.exists() else {}


def note(suite: Suite, digest: str, tests: int) -> None:
    """Notes that a suite passed. `digest`: from before it ran, so that what was changed meanwhile has not passed."""
    with _WRITING:
        record = {**_record(), suite.name: {"digest": digest, "tests": tests}}
        RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n", encoding="utf-8")


# Of each Python process: the files below ROOT that it opens, one a line. Modules come as what was compiled of them.
_WATCHER = """
import os, sys
_sink = os.open({log!r}, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
def _seen(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        path = os.path.abspath(arguments[0])
        if path.startswith({root!r}):
            os.write(_sink, (path + "\\n").encode())
sys.addaudithook(_seen)
"""


def check(suite: Suite) -> int:
    """Runs it and prints what it opened without depending on it; 1 where there is such a file."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "opened")
        Path(folder, "sitecustomize.py").write_text(_WATCHER.format(log=str(log), root=f"{ROOT}/"))
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", *suite.words]
        code = subprocess.run(command, cwd=ROOT, env={**os.environ, "PYTHONPATH": folder}, check=False).returncode
        opened = {_source(Path(line).relative_to(ROOT)) for line in log.read_text().splitlines()}
    unknown = sorted(opened.intersection(repository_files()) - set(suite.paths()))
    print(
        *unknown,
        f"{suite.name}: {len(opened)} files were opened, {len(unknown)} of them are not among those it depends on",
        sep="\n",
    )
    return code or int(bool(unknown))


def _source(path: Path) -> str:
    """`a/__pycache__/b.cpython-311.pyc` → `a/b.py`."""
    return str(path.parent.parent / f"{path.name.partition('.')[0]}.py" if path.parent.name == "__pycache__" else path)


def main() -> int:
    if sys.argv[1:2] == ["--check"]:
        return check(next(suite for suite in SUITES if suite.name == sys.argv[2]))
    for suite in SUITES:
        count = suite.passed()
        state = f"{count} tests passed, nothing has changed since" if count else "to be run"
        print(f"{suite.name} ({', '.join(suite.tests)}; {len(suite.paths())} files): {state}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
