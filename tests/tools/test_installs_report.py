"""`make test-installs`: what it counts, and which packages it tries at once."""

import threading
from typing import Any

import pytest

from tools import installs_report
from tools.installs_report import ApiResponse, InstallablePackage, NoAnswer, Queue, Report


def package(name: str, *kinds: str) -> InstallablePackage:
    return InstallablePackage("olm", "cat", name, frozenset(kinds))


def test_packages_with_a_kind_in_common_never_run_at_once() -> None:
    """The second of them waits until the first is done; others pass it."""
    first, waiting, other = package("a", "x"), package("b", "x", "y"), package("c", "z")
    queue = Queue([first, waiting, other])
    first_lane, second_lane = iter(queue), iter(queue)
    assert (next(first_lane), next(second_lane)) == (first, other)
    found: list[InstallablePackage] = []
    thread = threading.Thread(target=lambda: found.extend(second_lane), daemon=True)
    thread.start()
    first_lane.close()  # type: ignore[attr-defined]  # what it tried is over
    thread.join(10)
    assert found == [waiting]


class Script:
    """The API's answers, one after the other."""

    def __init__(self, states: list[tuple[str, str]], warnings: list[dict[str, str]]) -> None:
        self.states, self.warnings = states, warnings

    def ask(self, method: str, path: str, _body: Any = None) -> ApiResponse:
        if path.endswith("/install/"):
            return ApiResponse(201, {"subscription": "db", "warnings": self.warnings})
        return ApiResponse(404, {})

    def get(self, path: str) -> Any:
        if "/installs/" not in path:
            return {"operators": []}
        state, words = self.states.pop(0) if len(self.states) > 1 else self.states[0]
        trouble = {"key": "k", "words": words, "raw": ""} if words else None
        return {"state": state, "trouble": trouble, "stages": [], "plan": ""}


NEEDS = {"key": "required", "words": "It needs mortar"}


@pytest.mark.parametrize(
    ("states", "warnings", "outcome"),
    [
        ([("running", ""), ("done", "")], [], installs_report.INSTALLED),
        ([("running", "the image can't be pulled"), ("done", "")], [], installs_report.INSTALLED),
        ([("failed", "no such image"), ("done", "")], [], installs_report.FALSE_ALARM),
        ([("done", "")], [NEEDS], installs_report.FALSE_ALARM),
        ([("failed", "no such image")], [], installs_report.REFUSED),
        ([("failed", "")], [], installs_report.UNEXPLAINED),
        ([("running", "")], [], installs_report.UNEXPLAINED),
        ([("running", "")], [NEEDS], installs_report.REFUSED),
    ],
)
def test_what_is_counted(
    states: list[tuple[str, str]], warnings: list[dict[str, str]], outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installs_report, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(installs_report, "WATCHED_SECONDS", 0.05)
    monkeypatch.setattr(installs_report, "LIMIT_SECONDS", 0.5)
    report = installs_report.try_install(Script(states, warnings), package("db"))  # type: ignore[arg-type]
    assert report.outcome == outcome


def test_an_alarm_or_an_open_question_fails(capsys: pytest.CaptureFixture[str]) -> None:
    done = Report(package="a", outcome=installs_report.INSTALLED)
    assert installs_report.closing([done], 1) == 0
    assert capsys.readouterr().out.endswith("1 installed, 0 refused with a reason, 0 false alarms, 0 unexplained\n")
    assert installs_report.closing([done, Report(package="b")], 1) == 1
    assert installs_report.closing([], 1) == 1


class Server(installs_report.ConsoleApi):
    """Answers one after the other; an exception is raised."""

    def __init__(self, *answers: ApiResponse | Exception) -> None:
        super().__init__(0)
        self.answers = list(answers)

    def ask_once(self, method: str, path: str, body: Any = None) -> ApiResponse:
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


REFUSED = NoAnswer("connection refused", again=True)


def test_19_a_request_that_did_not_arrive_is_sent_again_and_counted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Issue 19: a package was "unexplained" because the cluster was restarting; the script retries."""
    monkeypatch.setattr(installs_report, "BUSY_SECONDS", (0.0, 0.0))
    api = Server(REFUSED, ApiResponse(503, {}), ApiResponse(200, "a"))
    assert api.ask("GET", "/x").body == "a"
    assert len(api.retries) == 2
    with pytest.raises(NoAnswer):
        Server(REFUSED, REFUSED, REFUSED).ask("GET", "/x")
    arrived = Server(NoAnswer("the connection broke"), ApiResponse(200, "a"))
    with pytest.raises(NoAnswer):
        arrived.ask("POST", "/x")
    assert arrived.retries == []
    installs_report.closing([Report(package="a", outcome=installs_report.INSTALLED)], 1, api.retries)
    assert "1 packages in 1 s; 2 requests sent again\n  1 × connection refused\n" in capsys.readouterr().out
