"""The page of the capability levels, and that the examples' bundles say no less and no more than it."""

import json
import re

import pytest
import yaml
from django.test import Client

from kube.client import ClusterClient
from operatorhub import csv
from operatorhub.views.levels import capability_levels
from tests.conftest import ROOT

PACKAGES = ROOT / "examples/operators/packages"


def declared(package: str) -> int:
    """What the newest bundle of the default channel says."""
    folder = PACKAGES / package
    definition = json.loads((folder / "package.json").read_text())
    head = next(
        channel["head"] for channel in definition["channels"] if channel["name"] == definition["defaultChannel"]
    )
    path = next(item["path"] for item in definition["bundles"] if item["name"] == head)
    bundle = yaml.safe_load((folder / path / "csv.yaml").read_text())
    return csv.level(bundle["metadata"]["annotations"])


def test_the_first_example_of_a_level_is_of_it() -> None:
    """Five levels, five operators, each at the level that its bundle says."""
    firsts = {level.number: level.examples[0].package for level in capability_levels()}
    assert list(firsts) == [1, 2, 3, 4, 5]
    assert {number: declared(package) for number, package in firsts.items()} == {number: number for number in firsts}
    assert sorted(firsts.values()) == sorted(path.parent.name for path in PACKAGES.glob("*/package.json"))


@pytest.mark.parametrize("level", capability_levels(), ids=lambda level: level.name)
def test_no_example_says_less_than_it_is_shown_for(level) -> None:  # type: ignore[no-untyped-def]
    for example in level.examples:
        assert declared(example.package) >= level.number, example.package


@pytest.mark.parametrize("level", capability_levels(), ids=lambda level: level.name)
def test_the_table_of_promises_says_the_same(level) -> None:  # type: ignore[no-untyped-def]
    """docs/operators.md has a row for each level, with the operator and the tests that show it; the README of the
    operator names it too.
    """
    first = level.examples[0]
    (row,) = re.findall(rf"^\| {level.number} {level.name} \|(.*)$", (ROOT / "docs/operators.md").read_text(), re.M)
    assert row.strip().startswith(first.title) and "::test_" in row
    readme = (ROOT / "examples" / "operators" / first.package.removesuffix("-tutorial") / "README.md").read_text()
    assert f"level {level.number}, {level.name}" in readme


@pytest.mark.django_db
def test_the_page(client: ClusterClient) -> None:
    page = Client().get("/operatorhub/levels/").content.decode()
    for level in capability_levels():
        assert f"{level.number} {level.name}" in page
        assert f'href="/operatorhub/?level={level.number}"' in page
        assert all(f'href="/operatorhub/?q={example.package}"' in page for example in level.examples)
