"""An hour of several objects, added up."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from redis.exceptions import OutOfMemoryError

from kube import limits
from resources import usage
from resources.changes import usage_samples
from resources.usage import PODS, Usage, tiles

CLIENT: Any = SimpleNamespace(name="here")
FOUND = {("shop", "a"): Usage(0.5, 1 << 20), ("shop", "b"): Usage(0.25, 2 << 20)}


@pytest.fixture
def minutes(monkeypatch: pytest.MonkeyPatch) -> list[list[tuple[float, int] | None]]:
    """What Redis has of them."""
    samples: list[list[tuple[float, int] | None]] = []
    monkeypatch.setattr(usage_samples, "read", lambda _cluster, _plural, names: samples if names else [])
    return samples


def test_it_is_the_sum_of_all(minutes: list[list[tuple[float, int] | None]]) -> None:
    minutes += [[None, None], [(0.1, 1 << 20), None], [(0.1, 1 << 20), (0.2, 1 << 20)], [None, None]]
    cpu, memory = tiles(CLIENT, PODS, FOUND)
    assert (cpu.text, memory.text) == ("750m", "3 MiB")
    assert "100m" in cpu.words
    assert "300m" in cpu.words
    # This minute is still to come: the line ends at the one before.
    assert cpu.line is not None
    assert cpu.line.end is not None


def test_without_a_history_there_is_the_number() -> None:
    cpu, memory = tiles(CLIENT, "", FOUND, Usage(4, 8 << 30))
    assert (cpu.line, cpu.words, memory.line) == (None, "", None)
    assert (cpu.text, cpu.of, memory.of) == ("750m", "4", "8 GiB")


def test_containers_of_one_pod() -> None:
    used = Usage(0.3, 3, (("web", Usage(0.1, 1)), ("side", Usage(0.2, 2))))
    cpu, _memory = tiles(CLIENT, "", {("shop", "a"): used})
    assert cpu.parts == (("web", "100m"), ("side", "200m"))
    assert tiles(CLIENT, "", {("shop", "a"): replace(used, containers=used.containers[:1])})[0].parts == ()


def test_pods_of_one_object_are_bounded(
    minutes: list[list[tuple[float, int] | None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    minutes += [[(0.1, 1), (0.1, 1)], [(0.1, 1), (0.1, 1)]]
    assert tiles(CLIENT, PODS, FOUND)[0].line is not None
    monkeypatch.setattr(limits, "USAGE_PODS", replace(limits.USAGE_PODS, value=1))
    assert tiles(CLIENT, PODS, FOUND)[0].line is None


def test_a_full_redis_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_words: object) -> None:
        raise OutOfMemoryError("command not allowed when used memory > 'maxmemory'")

    monkeypatch.setattr(usage_samples, "write", full)
    monkeypatch.setattr(usage_samples, "read", full)
    usage.note(CLIENT, PODS, FOUND)
    assert tiles(CLIENT, PODS, FOUND)[0].text == "750m"
