"""A File-Based Catalog becomes rows of the catalog store, like a folder of bundles does."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.catalog import bundle, fbc
from sandbox.catalog.manifests import bundle_objects
from sandbox.catalog.store import CatalogStore

from .bundles import csv, owns


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CatalogStore]:
    store = CatalogStore(tmp_path / "catalogs.sqlite")
    yield store
    store.close()


def catalog() -> list[dict[str, Any]]:
    inline = []
    for obj in (
        csv("tea.v2", "2.0.0", customresourcedefinitions=owns("Pot")),
        {"apiVersion": "v1", "kind": "ConfigMap"},
    ):
        data = base64.b64encode(json.dumps(obj).encode()).decode()
        inline.append({"type": "olm.bundle.object", "value": {"data": data}})
    needs = {"type": "olm.gvk.required", "value": {"group": "g", "version": "v1", "kind": "K"}}
    metadata = {"displayName": "Old tea", "description": "as it was", "annotations": {"capabilities": "Basic Install"}}
    return [
        {
            "schema": "olm.package",
            "name": "tea",
            "defaultChannel": "stable",
            "icon": {"base64data": "PHN2Zy8+", "mediatype": "image/svg+xml"},
        },
        {
            "schema": "olm.channel",
            "package": "tea",
            "name": "stable",
            "entries": [{"name": "tea.v2", "replaces": "tea.v1"}, {"name": "tea.v1"}],
        },
        {"schema": "olm.bundle", "package": "tea", "name": "tea.v2", "properties": [*inline, needs]},
        {
            "schema": "olm.bundle",
            "package": "tea",
            "name": "tea.v1",
            "image": "x/y",
            "properties": [{"type": "olm.csv.metadata", "value": metadata}],
        },
        {
            "schema": "olm.deprecations",
            "package": "tea",
            "entries": [{"reference": {"schema": "olm.bundle", "name": "tea.v1"}, "message": "too old"}],
        },
        {"schema": "something.else", "package": "tea"},
    ]


@pytest.mark.parametrize("suffix", [".json", ".yaml"])
def test_it_works(store: CatalogStore, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "fbc" / f"catalog{suffix}"
    path.parent.mkdir()
    text = "\n".join(json.dumps(item) for item in catalog()) if suffix == ".json" else yaml.safe_dump_all(catalog())
    path.write_text(text)
    objects = tmp_path / "bundles"
    assert fbc.load(store, "c", path.parent, objects) == []
    (package,) = store.packages("c")
    (channel,) = json.loads(package.status)["channels"]
    assert channel["currentCSV"] == "tea.v2"
    assert channel["entries"][1]["deprecation"] == {"message": "too old"}
    assert store.icon("c", "tea") == (b"<svg/>", "image/svg+xml", '"tea.stable.tea.v2"')
    head, old = store.bundles("c", "tea")
    assert [item["kind"] for item in bundle_objects(Path(head.folder))] == ["ClusterServiceVersion", "ConfigMap"]
    assert [api.kind for api in head.needs_apis] == ["K"]
    assert old.name == "tea.v1"
    assert fbc.load(store, "c", path.parent, objects) == []


def test_a_bundle_that_is_only_an_image_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert bundle.main(["/nowhere/absent.json"]) == 1
    assert "only names this bundle's image" in capsys.readouterr().err


def test_a_broken_file_is_named(store: CatalogStore, tmp_path: Path) -> None:
    (tmp_path / "fbc").mkdir()
    (tmp_path / "fbc" / "bad.json").write_text('{"schema": ')
    (problem,) = fbc.load(store, "c", tmp_path / "fbc", tmp_path / "bundles")
    assert "bad.json" in problem
