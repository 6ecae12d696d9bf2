"""The hour in Redis."""

from dataclasses import replace

import pytest
import redis

from kube import limits
from resources.changes import usage_samples
from resources.changes.usage_samples import POINTS, read, write


@pytest.fixture
def minute(pipe: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The minute that it is, to be changed."""
    now = [1_000]
    monkeypatch.setattr(usage_samples, "_minute", lambda: now[0])
    return now


def test_what_was_written_is_read(minute: list[int]) -> None:
    write("here", "pods", {"shop/web": (0.25, 1024), "shop/db": (1.5, 5)})
    minute[0] += 2
    write("here", "pods", {"shop/web": (0.5, 2048)})
    found = read("here", "pods", ["shop/web", "shop/db", "shop/none"])
    assert len(found) == POINTS
    assert found[-1] == [(0.5, 2048), None, None]
    assert found[-2] == [None, None, None]
    assert found[-3] == [(0.25, 1024), (1.5, 5), None]


def test_clusters_and_kinds_are_apart(minute: list[int]) -> None:
    write("here", "pods", {"/a": (1, 1)})
    assert read("there", "pods", ["/a"])[-1] == [None]
    assert read("here", "nodes", ["/a"])[-1] == [None]


def test_the_same_minute_is_one_point(minute: list[int], pipe: redis.Redis) -> None:
    for cores in (1.0, 2.0):
        write("here", "pods", {"shop/web": (cores, 1)})
    assert [row for row in read("here", "pods", ["shop/web"]) if row != [None]] == [[(2.0, 1)]]
    assert len(pipe.keys("*usage*")) == 1


def test_nothing_stays_longer_than_it_is_shown(minute: list[int], pipe: redis.Redis) -> None:
    for _minute in range(70):
        write("here", "pods", {"shop/web": (1, 1)})
        minute[0] += 1
    (oldest, *_others) = pipe.keys("*usage*")
    assert 0 < pipe.ttl(oldest) <= (POINTS + 2) * 60


def test_objects_of_a_minute_are_bounded(minute: list[int], pipe: redis.Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "USAGE_SERIES", replace(limits.USAGE_SERIES, value=10))
    for part in range(5):
        write("here", "pods", {f"shop/web-{part}-{number}": (1, 1) for number in range(7)})
    (place,) = pipe.keys("*usage*")
    assert pipe.hlen(place) == 10


def test_live_updates_come_first_where_redis_is_small(minute: list[int], pipe: redis.Redis) -> None:
    before = pipe.config_get("maxmemory")["maxmemory"]
    used = pipe.info("memory")["used_memory"]
    try:
        pipe.config_set("maxmemory", int(used * 1.5))
        write("here", "pods", {"shop/web": (1, 1)})
        assert not pipe.keys("*usage*")
        pipe.config_set("maxmemory", used * 4)
        write("here", "pods", {"shop/web": (1, 1)})
        assert pipe.keys("*usage*")
    finally:
        pipe.config_set("maxmemory", before)
