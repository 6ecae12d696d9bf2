"""Several logs as one text."""

from typing import Any

from kube import limits
from kube.errors import NotFound
from resources.podlogs import LogLine, LogPart, LogSource, log_line, log_sources, merged_tails

A = LogSource(uid="1", namespace="shop", pod="web-1", container="app", state="running")
B = LogSource(uid="2", namespace="shop", pod="web-2", container="app", state="terminated")
LOGS = {
    "web-1": "2026-01-01T00:00:01.5Z one\n2026-01-01T00:00:03Z three\n\tat a stack trace\n",
    "web-2": "2026-01-01T00:00:02.123456789Z two\n2026-01-01T00:00:04Z four\n",
}


class Client:
    """Answers with LOGS."""

    def log(self, pod: str, namespace: str, **options: Any) -> str:
        assert options["timestamps"]
        if pod not in LOGS:
            raise NotFound("no such log")
        return LOGS[pod]


def test_in_the_order_in_which_they_were_written() -> None:
    gone = LogSource(uid="3", namespace="shop", pod="web-3", container="app", state="running")
    waiting = LogSource(uid="4", namespace="shop", pod="web-4", container="app", state="waiting")
    lines, problems = merged_tails(Client(), [A, B, gone, waiting], LogPart(tail=10))  # type: ignore[arg-type]
    assert [(line.source, line.text) for line in lines] == [
        ("web-1/app", "one"),
        ("web-2/app", "two"),
        ("web-1/app", "three"),
        ("web-1/app", "\tat a stack trace"),
        ("web-2/app", "four"),
    ]
    assert problems == (("web-3/app", "no such log"),)


def test_a_line_without_a_time() -> None:
    assert log_line("a", "2026-01-01T00:00:01Z text  here") == LogLine("a", "2026-01-01T00:00:01Z", "text  here")
    for line in ("no time here", "", "2026", "2026-01-01 00:00:01 local time"):
        assert log_line("a", line) == LogLine("a", "", line)


def test_init_containers_that_are_done_are_left_out() -> None:
    status = {
        "initContainerStatuses": [{"name": "setup", "state": {"terminated": {}}}],
        "containerStatuses": [{"name": "app", "state": {"running": {}}}],
    }
    spec = {"initContainers": [{"name": "setup"}], "containers": [{"name": "app"}, {"name": "late"}]}
    pod = {"metadata": {"name": "web-1", "namespace": "shop", "uid": "1"}, "spec": spec, "status": status}
    assert [(source.key, source.state) for source in log_sources([pod])] == [
        ("web-1/app", "running"),
        ("web-1/late", "waiting"),
    ]


def test_s5_many_logs_share_their_limit() -> None:
    shares: list[int] = []

    class Counting(Client):
        def log(self, pod: str, namespace: str, **options: Any) -> str:
            shares.append(options["limit_bytes"])
            return super().log(pod, namespace, **options)

    merged_tails(Counting(), [A], LogPart(tail=10))  # type: ignore[arg-type]
    merged_tails(Counting(), [A, B] * 20, LogPart(tail=10))  # type: ignore[arg-type]
    assert shares[0] == limits.LOG_PAGE.value
    assert sum(shares[1:]) <= limits.LOGS_PAGE.value
