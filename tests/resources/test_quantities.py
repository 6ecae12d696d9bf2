"""Quantities as Kubernetes writes them."""

from decimal import Decimal

import pytest

from kube.reader import read
from kube.types.core import PodSpec
from resources.kinds.nodes import requested
from resources.kinds.parts import bar
from resources.quantities import cores, number, size


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", "0"),
        ("500m", "0.5"),
        ("1.5", "1.5"),
        ("2k", "2000"),
        ("1Ki", "1024"),
        ("1.5Gi", "1610612736"),
        ("1e3", "1000"),
        ("2E", "2e18"),
        ("100n", "1e-7"),
        (".5", "0.5"),
        ("-1", "-1"),
        ("128974848000m", "128974848"),
    ],
)
def test_numbers(text: str, value: str) -> None:
    assert number(text) == Decimal(value)


@pytest.mark.parametrize("text", ["", "one", "1 Gi", "1KiB", "--1", "1e9999", "9" * 100, "Gi"])
def test_no_numbers(text: str) -> None:
    assert number(text) is None


def test_words() -> None:
    assert [cores(Decimal(value)) for value in ("0.25", "3", "1.5")] == ["250m", "3", "1500m"]
    assert [size(Decimal(value)) for value in ("512", "1536", "67108864", "17179869184")] == [
        "512 B",
        "1.5 KiB",
        "64 MiB",
        "16 GiB",
    ]


@pytest.mark.parametrize(
    ("used", "hard", "percent", "colour"),
    [
        ("1", "10", 10, ""),
        ("8", "10", 80, "orange"),
        ("12", "10", 120, "red"),
        ("500m", "1", 50, ""),
        ("0", "0", 0, ""),
        ("1", "0", 100, "red"),
        ("?", "1", 0, ""),
        ("", "1", 0, ""),
    ],
)
def test_bars(used: str, hard: str, percent: int, colour: str) -> None:
    made = bar("cpu", used, hard)
    assert (made.percent, made.colour) == (percent, colour)
    assert 0 <= made.width <= 100


def test_a_pods_requests_as_the_scheduler_counts_them() -> None:
    def asks(amount: str, **more: str) -> dict[str, object]:
        return {"resources": {"requests": {"cpu": amount}}, **more}

    spec = {
        "initContainers": [asks("2"), asks("100m", restartPolicy="Always")],
        "containers": [asks("500m"), asks("1"), {}],
        "overhead": {"cpu": "10m"},
    }
    assert requested(read(spec, PodSpec), "cpu") == Decimal("2.01")
    assert requested(read({**spec, "initContainers": []}, PodSpec), "cpu") == Decimal("1.51")
    assert requested(PodSpec(), "cpu") == 0
