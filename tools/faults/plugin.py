"""A pytest plugin: after each test file, one line of JSON with its outcome, and with what it ran of the product.

Copied into a folder on PYTHONPATH and named by `-p`, so that it works in a checkout of any commit.
"""

import builtins
import json
import os
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

#: The file that the lines are appended to.
OUTCOMES = "PLANTED_OUTCOMES"


class Outcomes:
    """`of`: how many tests each file has. The others are of the file that runs now."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.of: Counter[str] = Counter()
        self.file = ""
        self.started = 0.0
        self.tests = 0
        self.failed: list[str] = []
        self.skipped = 0

    def _name(self, item: pytest.Item) -> str:
        return str(item.path.relative_to(self.root))

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """File by file, as the command line names them: pytest-django puts tests with transactions after all others."""
        given = {str(word).partition("::")[0]: place for place, word in enumerate(config.args)}
        items.sort(key=lambda item: given.get(self._name(item), len(given)))

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.of.update(self._name(item) for item in session.items)

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
        if self._name(item) != self.file:
            self.finish()
            self.file, self.started = self._name(item), time.monotonic()
            _read_marks()
        self.tests += 1
        yield
        if nextitem is None or self._name(nextitem) != self.file:
            self.finish()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and report.nodeid not in self.failed:
            self.failed.append(report.nodeid)
        self.skipped += report.skipped

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            _append({"file": report.nodeid.partition("::")[0], "failed": [report.nodeid], "tests": 0, "of": 0})

    def pytest_sessionfinish(self) -> None:
        self.finish()

    def finish(self) -> None:
        """Writes down what is known of the file that ran until now."""
        if self.file:
            line = {"file": self.file, "seconds": round(time.monotonic() - self.started, 2), "tests": self.tests}
            found = {"of": self.of[self.file], "failed": self.failed, "skipped": self.skipped, "marks": _read_marks()}
            _append({**line, **found})
        self.file, self.tests, self.failed, self.skipped = "", 0, [], 0


def _read_marks() -> list[int]:
    """The numbers of the marks that were set since the last call; they are cleared."""
    marks: Any = getattr(builtins, "__planted__", None)
    if marks is None:
        return []
    found = marks[:]
    marks[:] = bytes(len(found))
    return [number for number, value in enumerate(found) if value]


def _append(line: dict[str, Any]) -> None:
    with Path(os.environ[OUTCOMES]).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Outcomes(config.rootpath), "planted outcomes")
