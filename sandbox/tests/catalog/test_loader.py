"""A folder of bundles becomes rows of the catalog store; only what changed is read again."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.catalog.assemble import stored_members
from sandbox.catalog.loader import load
from sandbox.catalog.manifests import Api, PackageRequirement
from sandbox.catalog.store import CatalogStore, StoredPackage
from sandbox.olm.subscription_status import deprecated

from .bundles import csv, owns, package

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[CatalogStore]:
    store = CatalogStore(tmp_path / "catalogs.sqlite")
    yield store
    store.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "packages"
    new, old = csv("tea.v2", "2.0.0", customresourcedefinitions=owns("Pot")), csv("tea.v1", "1.0.0")
    package(place, "tea", new, old, edges={"tea.v2": {"skipRange": ">=1.0.0 <2.0.0"}})
    package(place, "cup", csv("cup.v1", "1.0.0", customresourcedefinitions=owns("Pot", which="required")))
    return place


def test_it_works(store: CatalogStore, folder: Path) -> None:
    assert load(store, "c", folder) == []
    assert [item.name for item in store.packages("c")] == ["cup", "tea"]
    assert store.counts("c") == (2, 0)
    status = json.loads(next(store.packages("c", "tea")).status)
    assert status["defaultChannel"] == "stable"
    channel = status["channels"][0]
    assert channel["currentCSV"] == "tea.v2"
    assert [entry["name"] for entry in channel["entries"]] == ["tea.v2", "tea.v1"]
    assert channel["currentCSVDesc"]["annotations"] == {"capabilities": "Basic Install"}
    head, previous = store.bundles("c", "tea", "stable")
    assert (head.name, head.replaces, head.skip_range) == ("tea.v2", "tea.v1", ">=1.0.0 <2.0.0")
    assert head.provides == {Api("example.dev", "v1", "Pot")}
    assert previous.replaces == ""
    assert [provider.name for provider in store.providers("c", Api("example.dev", "v1", "Pot"))] == ["tea.v2"]
    assert store.bundles("c", "cup")[0].needs_apis == (Api("example.dev", "v1", "Pot"),)


def test_only_changes_are_read_again(store: CatalogStore, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load(store, "c", folder)
    before = store.stamps("c")
    (folder / "cup" / "1.0.0" / "csv.yaml").write_text(
        (folder / "cup" / "1.0.0" / "csv.yaml").read_text() + "\n# touched\n"
    )
    load(store, "c", folder)
    after = store.stamps("c")
    assert before["tea"] == after["tea"]
    assert before["cup"] != after["cup"]


def test_a_removed_package_goes(store: CatalogStore, folder: Path) -> None:
    load(store, "c", folder)
    (folder / "tea" / "package.json").unlink()
    load(store, "c", folder)
    assert [item.name for item in store.packages("c")] == ["cup"]
    assert store.bundles("c", "tea") == []
    assert store.providers("c", Api("example.dev", "v1", "Pot")) == []


def test_a_bad_package_is_told_and_the_others_stay(store: CatalogStore, folder: Path) -> None:
    (folder / "tea" / "2.0.0" / "csv.yaml").write_text("kind: [")
    problems = load(store, "c", folder)
    assert len(problems) == 1
    assert "package tea" in problems[0]
    assert "csv.yaml" in problems[0]
    assert [item.name for item in store.packages("c")] == ["cup"]
    assert store.counts("c") == (1, 1)


def test_a_bare_equals_sign_and_a_date_stay_text(store: CatalogStore, folder: Path) -> None:
    path = folder / "cup" / "1.0.0" / "csv.yaml"
    path.write_text(path.read_text() + "  description: =\n  maturity: 2026-11-20\n")
    assert load(store, "c", folder) == []
    status = json.loads(next(store.packages("c", "cup")).status)
    assert status["channels"][0]["currentCSVDesc"]["description"] == "="
    assert status["channels"][0]["currentCSVDesc"]["maturity"] == "2026-11-20"


def test_catalogs_that_are_no_longer_configured_go(store: CatalogStore, folder: Path) -> None:
    load(store, "a", folder)
    load(store, "b", folder)
    store.remove_other_catalogs(["b"])
    assert list(store.packages("a")) == []
    assert len(list(store.packages("b"))) == 2


def test_members_that_are_not_stored_are_led_past() -> None:
    entries = [{"name": "v3", "replaces": "v2"}, {"name": "v2", "replaces": "v1"}, {"name": "v1"}]
    members = stored_members({"name": "stable", "head": "v3", "entries": entries}, {"v1", "v3"})
    assert [(member["name"], member["replaces"]) for member in members] == [("v3", "v1"), ("v1", "")]


def test_a_circle_of_replacements_ends() -> None:
    entries = [{"name": "a", "replaces": "b"}, {"name": "b", "replaces": "a"}]
    members = stored_members({"name": "stable", "head": "a", "entries": entries}, {"a"})
    assert [(member["name"], member["replaces"]) for member in members] == [("a", "a")] or members[0]["replaces"] == ""


def test_all_real_packages(tmp_path: Path, real_catalog: Path) -> None:
    path = tmp_path / "catalogs.sqlite"
    command = [sys.executable, "-m", "sandbox.catalog.loader", str(path), "real", str(real_catalog)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == ""
    store = CatalogStore(path)
    try:
        assert store.counts("real") == (268, 0)
        assert [bundle.name for bundle in store.bundles("real", "argocd-operator", "alpha")] == [
            "argocd-operator.v0.18.0",
            "argocd-operator.v0.17.0",
        ]
        for item in store.packages("real"):
            assert json.loads(item.status)["channels"], item.name
    finally:
        store.close()


def test_h30_what_is_remembered_of_a_package_ends_with_a_change_by_another_connection(
    store: CatalogStore, folder: Path, tmp_path: Path
) -> None:
    load(store, "c", folder)
    assert store.deprecations("c", "tea") == {"deprecation": None, "channels": []}
    assert [bundle.name for bundle in store.bundles("c", "tea", "stable")] == ["tea.v2", "tea.v1"]
    assert store.bundles("c", "tea")[0] is store.bundles("c", "tea", "stable")[0]
    other = CatalogStore(tmp_path / "catalogs.sqlite")
    other.remove("c", ["tea"])
    other.close()
    assert (store.deprecations("c", "tea"), store.bundles("c", "tea")) == ({}, [])
    load(store, "c", folder)
    assert store.bundles("c", "tea")[0].name == "tea.v2"


def test_h30_deprecations_are_told_as_in_the_whole_status(store: CatalogStore) -> None:
    old = {"name": "tea.v1", "version": "1.0.0", "deprecation": {"message": "old"}}
    channels = [
        {"name": "stable", "entries": [{"name": "tea.v2", "version": "2.0.0"}, old], "currentCSVDesc": {}},
        {"name": "alpha", "entries": [], "deprecation": {"message": "gone"}},
        {"name": "beta", "entries": []},
    ]
    status = {"channels": channels, "deprecation": {"message": "all of it"}}
    about = StoredPackage(
        catalog="c", name="tea", labels={}, status=json.dumps(status).encode(), icon=None, icon_type="", icon_tag=""
    )
    store.replace(about, "stamp", "stable", [])
    reduced = store.deprecations("c", "tea")

    def messages(channel: str, csv_name: str, described: dict[str, Any]) -> list[tuple[str, str]]:
        conditions = deprecated({"currentCSV": csv_name}, "tea", channel, described).get("conditions") or []
        return [(condition["type"], condition["message"]) for condition in conditions]

    for channel, csv_name in (("stable", "tea.v1"), ("stable", "tea.v2"), ("alpha", ""), ("beta", ""), ("", "tea.v1")):
        assert messages(channel, csv_name, reduced) == messages(channel, csv_name, status) != []


@pytest.mark.parametrize("name", ["dependency.yaml", "properties.yaml", "needs"])
def test_19_dependencies_count_under_any_file_name(store: CatalogStore, folder: Path, name: str) -> None:
    """Issue 19: a package whose dependencies nothing offers was installed, because their file had another name than
    opm's documentation gives.
    """
    wanted = {"type": "olm.package", "value": {"packageName": "kettle", "version": ">=2.0.0"}}
    (folder / "cup" / "1.0.0" / "metadata" / name).write_text(json.dumps({"dependencies": [wanted]}))
    assert load(store, "c", folder) == []
    assert store.bundles("c", "cup")[0].needs_packages == (PackageRequirement("kettle", ">=2.0.0"),)


def test_19_metadata_that_cannot_be_read_asks_for_nothing(store: CatalogStore, folder: Path) -> None:
    place = folder / "cup" / "1.0.0" / "metadata"
    (place / "dependencies.yaml").write_text("dependencies:\n- type: olm.gvk\n    value: {}\n")
    (place / "logo.png").write_bytes(b"\x89PNG\xff")
    (place / "more").mkdir()
    assert load(store, "c", folder) == []
    assert store.bundles("c", "cup")[0].needs_packages == ()
