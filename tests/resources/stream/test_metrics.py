"""What /metrics says of live status."""

import re
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from prometheus_client import generate_latest
from prometheus_client.parser import text_string_to_metric_families

from kube.client import ClusterClient
from resources.changes import ChangeLog, HubState, Topic, position
from resources.stream import line, metrics
from resources.views.stream import StreamApp
from tests.eventually import reached
from tests.resources.stream.browser import COLUMNS, opened, row_of

DOCS = Path(__file__).resolve().parents[3] / "docs/live-metrics.md"
_LAG_COUNT = "console_live_lag_seconds_count"


def _read() -> dict[tuple[str, str], float]:
    """(name, value of its one label or '') → value."""
    return {
        (sample.name, next(iter(sample.labels.values()), "")): sample.value
        for family in text_string_to_metric_families(generate_latest().decode())
        if family.name.startswith("console_live")
        for sample in family.samples
    }


async def test_what_is_told_is_counted(app: StreamApp, log: ChangeLog, topic: Topic) -> None:
    metrics.live.brokers.add(app._broker)
    await log.beat(HubState("one", topics=3, watches=2, events=7, append_ms=12.5, problem="refused"))
    before = _read()
    async with (
        opened(app, [("topic", str(topic)), ("since", position())]) as browser,
        opened(app, [("topic", str(topic)), ("since", position())]) as other,
    ):
        await browser.get("hello")
        await other.get("hello")
        await log.append(topic, [row_of("a")], "1", COLUMNS)
        await browser.get("row")
        await other.get("row")
        # Counted when it was handed over, which may be after it has come.
        await reached(lambda: _read()[_LAG_COUNT, ""] - before[_LAG_COUNT, ""] >= 2)
        after = _read()
    async with opened(app, [("topic", str(topic))]) as late:
        await late.get("resync")

    def grown(name: str, label: str = "") -> float:
        return after[name, label] - before[name, label]

    assert after["console_live_clients", ""] == 2
    assert after["console_live_topics", ""] == 1
    assert after["console_live_redis_up", ""] == 1
    assert grown("console_live_events_total") == 2
    assert grown("console_live_rendered_total") == 1  # once for both
    assert grown("console_live_bytes_total") > 100
    assert grown(_LAG_COUNT) == 2
    assert 0 <= grown("console_live_lag_seconds_sum") < 20
    assert _read()["console_live_resyncs_total", "since"] - before["console_live_resyncs_total", "since"] == 1
    assert after["console_live_hub_topics", "one"] == 3
    assert after["console_live_hub_events_total", "one"] == 7
    assert after["console_live_hub_append_seconds", "one"] == 0.0125
    assert after["console_live_hub_problem", "one"] == 1


async def test_a_clock_that_is_ahead_of_redis_loses_no_lag(
    app: StreamApp, log: ChangeLog, topic: Topic, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both times of an entry are Redis' own; the second of two streams once wasn't counted on a busy machine."""
    monkeypatch.setattr(line, "time", SimpleNamespace(time=lambda: time.time() + 60))
    before = _read()[_LAG_COUNT, ""]
    async with opened(app, [("topic", str(topic)), ("since", position())]) as browser:
        await browser.get("hello")
        await log.append(topic, [row_of("a")], "1", COLUMNS)
        await browser.get("row")
        await reached(lambda: _read()[_LAG_COUNT, ""] == before + 1)


def test_each_is_in_the_table(pipe: Any, client: ClusterClient) -> None:
    documented = set(re.findall(r"^\| `(console_live_\w+)`", DOCS.read_text(), re.MULTILINE))
    served = {family.name for family in metrics.live.collect()}
    served |= {
        f"console_live_hub_{name}"
        for name in (
            "topics",
            "watches",
            "events",
            "relists",
            "resumes",
            "errors",
            "lost",
            "append_seconds",
            "buffered",
            "problem",
        )
    }
    assert {name.removesuffix("_total") for name in documented} == served


def test_without_redis_the_rest_is_told(monkeypatch: pytest.MonkeyPatch, redis_server: str) -> None:
    from resources.changes import RedisError

    def away() -> list[HubState]:
        raise RedisError("away")

    monkeypatch.setattr(metrics, "hub_states", away)
    found = _read()
    assert found["console_live_redis_up", ""] == 0
    assert ("console_live_clients", "") in found
