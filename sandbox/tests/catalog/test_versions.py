"""Versions and ranges, as OLM reads them."""

import pytest

from sandbox.catalog.versions import Version, within


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("1.0.0", "1.0.1"),
        ("1.9.0", "1.10.0"),
        ("1.0.0-rc.1", "1.0.0"),
        ("1.0.0-rc.2", "1.0.0-rc.10"),
        ("1.0.0-1", "1.0.0-a"),
    ],
)
def test_it_orders(older: str, newer: str) -> None:
    assert Version(older) < Version(newer)
    assert not Version(newer) < Version(older)


def test_build_metadata_does_not_count() -> None:
    assert Version("1.0.0+a") == Version("1.0.0+b")


def test_what_can_not_be_read_comes_first() -> None:
    assert Version("main") < Version("0.0.0")


@pytest.mark.parametrize(
    ("version", "wanted", "inside"),
    [
        ("1.16.1", ">=1.16.0 <1.16.5", True),
        ("1.16.5", ">=1.16.0 <1.16.5", False),
        ("0.13.0", "0.13.0", True),
        ("0.13.1", "0.13.0", False),
        ("2.1.0", "<1.0.0 || >2.0.0", True),
        ("1.2.3", "1.x", True),
        ("2.0.0", "1.x", False),
        ("1.2.9", "~1.2.3", True),
        ("1.3.0", "~1.2.3", False),
        ("1.9.0", "^1.2.3", True),
        ("1.0.0", "!=1.0.0", False),
        ("1.0.0", "", False),
        ("1.0.0", "nonsense", False),
    ],
)
def test_ranges(version: str, wanted: str, inside: bool) -> None:
    assert within(version, wanted) is inside
