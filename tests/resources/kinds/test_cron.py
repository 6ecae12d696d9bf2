"""Schedules in words, and the next times."""

from datetime import UTC, datetime

import pytest

from resources.kinds import jobs

NOW = datetime(2026, 2, 27, 22, 50, tzinfo=UTC)  # a Friday


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("* * * * *", "every minute"),
        ("*/15 * * * *", "every 15 minutes"),
        ("@hourly", "every hour at minute 0"),
        ("5 */6 * * *", "every 6 hours at minute 5"),
        ("0 3 * * *", "every day at 03:00"),
        ("30 4 * * mon,thu", "every Monday, Thursday at 04:30"),
        ("0 0 1 * *", "on day 1 of every month at 00:00"),
        ("@every 90m", "every 90m"),
        ("1,2 3-5 1 6 *", ""),
        ("nonsense", ""),
        ("61 * * * *", ""),
    ],
)
def test_words(text: str, words: str) -> None:
    assert jobs.schedule_words(text) == words


@pytest.mark.parametrize(
    ("text", "zone", "times"),
    [
        ("*/30 * * * *", "", ["2026-02-27 23:00", "2026-02-27 23:30"]),
        ("0 3 * * *", "Asia/Seoul", ["2026-02-28 18:00", "2026-03-01 18:00"]),
        ("0 0 29 2 *", "", ["2028-02-29 00:00"]),
        ("0 0 13 * FRI", "", ["2026-03-06 00:00", "2026-03-13 00:00"]),
        ("5/20 0 1 jan ?", "", ["2027-01-01 00:05", "2027-01-01 00:25"]),
        # Clocks go from 2 to 3 on 29 March: there is no half past two.
        ("30 2 * * *", "Europe/Berlin", ["2026-02-28 01:30", "2026-03-01 01:30"]),
        ("0 0 30 2 *", "", []),
        ("0 4 * * *", "No/Such_Zone", ["2026-02-28 04:00", "2026-03-01 04:00"]),
    ],
)
def test_the_next_times(text: str, zone: str, times: list[str]) -> None:
    schedule = jobs.parse_schedule(text)
    assert schedule is not None
    found = [f"{item:%Y-%m-%d %H:%M}" for item in jobs.next_runs(schedule, NOW, zone, 2)]
    assert found == times


def test_an_hour_that_is_left_out() -> None:
    schedule = jobs.parse_schedule("30 2 * * *")
    assert schedule is not None
    before = datetime(2026, 3, 28, 12, tzinfo=UTC)
    assert [f"{item:%d %H:%M}" for item in jobs.next_runs(schedule, before, "Europe/Berlin", 1)] == ["30 00:30"]


@pytest.mark.parametrize("text", ["", "* * * *", "@every 1h", "a b c d e", "* * * * * *"])
def test_no_schedule(text: str) -> None:
    assert jobs.parse_schedule(text) is None
