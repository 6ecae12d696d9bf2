"""The page of the capability levels, and that the examples' bundles say no less and no more than it."""

import json

import pytest
import yaml
from django.test import Client

from kube.client import ClusterClient
from operatorhub import csv
from operatorhub.judge.levels import levels
from tests.conftest import ROOT

PACKAGES = ROOT / "operators/packages"


def declared(package: str) -> int:
    """What the newest bundle of the default channel says."""
    folder = PACKAGES / package
    said = json.loads((folder / "package.json").read_text())
    head = next(one["head"] for one in said["channels"] if one["name"] == said["defaultChannel"])
    path = next(one["path"] for one in said["bundles"] if one["name"] == head)
    bundle = yaml.safe_load((folder / path / "csv.yaml").read_text())
    return csv.level(bundle["metadata"]["annotations"]["capabilities"])


@pytest.mark.parametrize("level", levels(), ids=lambda level: level.name)
def test_an_example_says_its_level(level) -> None:  # type: ignore[no-untyped-def]
    assert level.examples
    for one in level.examples:
        if (PACKAGES / one.package).is_dir():
            assert (declared(one.package) >= level.number) is not bool(level.note), one.package
        else:
            assert level.note, "an example of somebody else's comes with what it lacks here"


def test_none_says_more_than_the_page_shows() -> None:
    shown = {one.package: level.number for level in levels() for one in level.examples if not level.note}
    assert {name: declared(name) for name in shown} == shown


@pytest.mark.django_db
def test_the_page(client: ClusterClient) -> None:
    page = Client().get("/operatorhub/levels/").content.decode()
    for level in levels():
        assert f"{level.number} {level.name}" in page
        assert f'href="/operatorhub/?level={level.number}"' in page
        assert all(f'href="/operatorhub/?q={one.package}"' in page for one in level.examples)
