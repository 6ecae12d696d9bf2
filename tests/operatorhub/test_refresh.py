"""The console's own catalogs: read, read again, changed, broken; what describes a CatalogSource; what only whole
CSVs tell.
"""

import json
import shutil
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.utils import timezone

from kube.client import ClusterClient
from kube.errors import NotFound
from operatorhub.admin import catalogs
from operatorhub.bundle import bundles
from operatorhub.indexing import refresh, rows
from operatorhub.models import Catalog, Index, Package, StoredBundle
from tests.conftest import ROOT

pytestmark = pytest.mark.django_db
SAMPLES = ROOT / "examples" / "operators" / "packages"
# Every folder is a package.
NAMES = {path.name for path in SAMPLES.iterdir() if path.is_dir()}


@pytest.fixture(autouse=True)
def _of_this_machine(settings: Any) -> None:
    settings.LOCAL_ONLY = True


def test_a_folder_is_not_read_where_others_reach_the_console(client: ClusterClient, settings: Any) -> None:
    settings.LOCAL_ONLY = False
    row = folder_catalog(client, SAMPLES)
    assert not refresh.refresh(row, client)
    row.refresh_from_db()
    assert "CATALOG_FOLDERS" in row.error
    assert refresh.refresh(folder_catalog(client, SAMPLES, name="given", given=True), client)


def folder_catalog(client: ClusterClient, path: Path, **more: Any) -> Catalog:
    values = {"cluster": client.name, "kind": Catalog.FOLDER, "name": "mine", "location": str(path), **more}
    return Catalog.objects.create(**values)


def read(row: Catalog, client: ClusterClient) -> Catalog:
    assert refresh.refresh(row, client), Catalog.objects.get(pk=row.pk).error
    row.refresh_from_db()
    return row


def test_a_bundle_with_nul_characters_becomes_a_package(client: ClusterClient, tmp_path: Path) -> None:
    """In every text of its CSV and of its package: PostgreSQL would take none of them."""
    folder = tmp_path / "samples"
    shutil.copytree(SAMPLES / "sampledb", folder / "sampledb")
    seen = 0
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix in (".yaml", ".json") and "displayName" in (text := path.read_text()):
            found = yaml.safe_load(text)
            seen += _spoilt(found)
            path.write_text(json.dumps(found))
    assert seen > 20
    row = read(folder_catalog(client, folder), client)
    assert (row.state, row.error) == (Catalog.READY, "")
    package = Package.objects.get(namespace="~", catalog="mine", name="sampledb")
    assert "\0" not in package.title + package.summary + package.text and package.keywords
    rows.review_bundles(client.name)
    assert bundles.graph(client, "~", "mine", "sampledb").channels
    read(row, client)
    assert Package.objects.get(pk=package.pk).digest == package.digest


def _spoilt(found: Any) -> int:
    """A NUL behind each text that says nothing to machines; how many."""
    words = ("displayName", "description", "title", "name", "keywords", "categories", "email", "text")
    count = 0
    for key, value in found.items() if isinstance(found, dict) else enumerate(found):
        if isinstance(value, dict | list):
            count += 0 if key in ("install", "apiservicedefinitions") else _spoilt(value)
        elif (isinstance(value, str) and (key in words[:3] or key in words[5:])) or (
            isinstance(value, str) and isinstance(key, int)
        ):
            found[key], count = f"{value}\0", count + 1
    return count


def test_a_folder_of_bundles_becomes_packages(client: ClusterClient) -> None:
    row = read(folder_catalog(client, SAMPLES), client)
    assert (row.state, row.error, row.problems, row.packages) == (Catalog.READY, "", [], len(NAMES))
    assert row.title == "Operator Console Samples"
    flight = Package.objects.get(namespace="~", catalog="mine", name="flightticket")
    assert (flight.source, flight.hidden, flight.catalog_title) == ("folder", "", row.title)
    assert "FlightTicket" in flight.kinds and len(flight.icon) > 1
    graph = bundles.graph(client, "~", "mine", "flightticket")
    assert graph.edges_known and graph.channels[0].name == graph.default
    newest = graph.channels[0].entries[0]
    found = bundles.bundle(client, "~", "mine", "flightticket", newest.name)
    assert found is not None and not found.partial
    assert (found.name, found.version, found.csv["kind"]) == (newest.name, newest.version, "ClusterServiceVersion")
    assert [crd["spec"]["names"]["kind"] for crd in found.crds] == ["FlightTicket"]
    # The pages' one shape: a PackageManifest's status.
    status = bundles.status(client, "~", "mine", "flightticket")
    assert status.channels[0].current_csv_desc.display_name == found.csv["spec"]["displayName"]
    with pytest.raises(NotFound, match="Package “nothing”"):
        bundles.graph(client, "~", "mine", "nothing")
    assert bundles.bundle(client, "~", "mine", "flightticket", "nothing") is None


def test_what_did_not_change_is_not_written_again(client: ClusterClient) -> None:
    row = read(folder_catalog(client, SAMPLES), client)
    keys = set(StoredBundle.objects.values_list("pk", flat=True))
    packages = set(Package.objects.values_list("pk", flat=True))
    revision = Index.objects.get().revision
    again = read(row, client)
    assert again.generation == 2 and Index.objects.get().revision == revision
    assert set(bundles.stored_bundles(again).values_list("pk", flat=True)) == keys
    assert set(Package.objects.values_list("pk", flat=True)) == packages


def test_a_folder_that_changes_and_goes(client: ClusterClient, tmp_path: Path) -> None:
    place = tmp_path / "catalog"
    shutil.copytree(SAMPLES, place)
    row = read(folder_catalog(client, place), client)
    shutil.rmtree(place / "memcached")
    (place / "sampledb" / "package.json").write_text("{")
    read(row, client)
    assert set(Package.objects.values_list("name", flat=True)) == NAMES - {"memcached", "sampledb"}
    assert [where for where, _words in row.problems] == ["sampledb/package.json"]
    # The whole folder is deleted: its contents stay in the index, with the reason.
    shutil.rmtree(place)
    assert not refresh.refresh(row, client)
    row.refresh_from_db()
    assert row.state == Catalog.FAILED and str(place) in row.error
    assert Package.objects.count() == len(NAMES) - 2 and bundles.graph(client, "~", "mine", "flightticket").channels


def test_a_bundle_that_changes_is_read_anew(client: ClusterClient, tmp_path: Path) -> None:
    place = tmp_path / "catalog"
    shutil.copytree(SAMPLES, place)
    read(folder_catalog(client, place), client)
    name = bundles.graph(client, "~", "mine", "sampledb").channels[0].entries[0].name
    assert bundles.bundle(client, "~", "mine", "sampledb", name) is not None
    csv = next(place.glob("sampledb/*/csv.yaml"))
    csv.write_text(csv.read_text().replace("displayName: ", "displayName: New ", 1))
    found = bundles.bundle(client, "~", "mine", "sampledb", name)
    assert found is not None and "New " in json.dumps(found.csv)


def test_a_catalog_that_describes_a_catalogsource(client: ClusterClient) -> None:
    row = read(folder_catalog(client, SAMPLES, describes="olm/samples-catalog"), client)
    assert not Package.objects.filter(namespace="~").exists()
    graph = bundles.graph(client, "olm", "samples-catalog", "flightticket")
    assert graph.edges_known and len(graph.channels[0].entries) > 1
    newest = graph.channels[0].entries[0].name
    assert bundles.bundle(client, "olm", "samples-catalog", "flightticket", newest) is not None
    catalogs.remove(row)
    # Without it the PackageManifest's own names and versions are all there is, and no bundle.
    graph = bundles.graph(client, "olm", "samples-catalog", "flightticket")
    assert not graph.edges_known and graph.channels
    assert bundles.bundle(client, "olm", "samples-catalog", "flightticket", newest) is None


def test_webhooks_and_rights_are_filled_once(client: ClusterClient) -> None:
    row = read(folder_catalog(client, SAMPLES), client)
    Package.objects.filter(name="memcached").update(rights="?")
    assert rows.review_bundles(client.name) == len(NAMES)
    found = Package.objects.get(name="sampledb")
    assert found.rights in ("", "elevated", "cluster-admin") and found.webhooks == 0
    assert rows.review_bundles(client.name) == 0
    read(row, client)
    assert rows.review_bundles(client.name) == 0


def test_one_package_in_several_catalogs(client: ClusterClient) -> None:
    for name in ("b", "a"):
        read(folder_catalog(client, SAMPLES, name=name, title=name.upper()), client)
    assert [(item.namespace, item.catalog) for item in bundles.others(client, "memcached")] == [("~", "a"), ("~", "b")]
    before = Index.objects.get().revision
    catalogs.remove(Catalog.objects.get(name="a"))
    assert [item.catalog for item in bundles.others(client, "memcached")] == ["b"]
    assert Index.objects.get().revision == before + 1


def test_given_folders(client: ClusterClient, settings: Any, tmp_path: Path) -> None:
    settings.CATALOG_FOLDERS = (f"olm/samples-catalog={SAMPLES}", f"extra={tmp_path}")
    catalogs.sync(client.name)
    found = {item.name: item for item in catalogs.due(client.name)}
    assert {name: item.describes for name, item in found.items()} == {
        "olm-samples-catalog": "olm/samples-catalog",
        "extra": "",
    }
    settings.CATALOG_FOLDERS = ()
    catalogs.sync(client.name)
    assert not Catalog.objects.exists()


def test_only_one_reads_at_a_time(client: ClusterClient) -> None:
    row = folder_catalog(client, SAMPLES)
    assert catalogs.claim(row)
    assert not catalogs.claim(row)
    assert not refresh.refresh(row, client)


def test_a_reader_that_died_is_followed_by_another(client: ClusterClient) -> None:
    row = read(folder_catalog(client, SAMPLES), client)
    assert catalogs.claim(row) and not catalogs.due(client.name)
    Catalog.objects.update(busy_until=timezone.now() - timedelta(seconds=1))
    assert catalogs.due(client.name) == (row,)


def test_the_real_catalog_is_known_in_seconds(client: ClusterClient, real_catalog: Path) -> None:
    row = read(folder_catalog(client, real_catalog), client)
    assert (row.packages, row.bundles, row.problems) == (268, 297, [])
    assert rows.review_bundles(client.name) == 268
    assert Package.objects.filter(rights="cluster-admin").count() >= 5
    graph = bundles.graph(client, "~", "mine", "grafana-operator")
    assert any("several newest versions" in problem for problem in graph.problems)


def fbc(folder: Path, *blobs: Any) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "catalog.json").write_text(
        "\n".join(blob if isinstance(blob, str) else json.dumps(blob) for blob in blobs)
    )
    return folder


def small(name: str, version: str = "1.0.0", **about: Any) -> list[dict[str, Any]]:
    """A package of one version."""
    properties = [
        {"type": "olm.package", "value": {"packageName": name, "version": version}},
        {"type": "olm.csv.metadata", "value": about},
    ]
    return [
        {"schema": "olm.package", "name": name, "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": name, "name": "stable", "entries": [{"name": f"{name}.v1"}]},
        {"schema": "olm.bundle", "package": name, "name": f"{name}.v1", "properties": properties},
    ]


def test_what_strangers_write_is_stored_by_every_database(client: ClusterClient, tmp_path: Path) -> None:
    evil = {
        "displayName": "<script>alert(1)</script>\0",
        "keywords": ["a\0b", "x" * 5000],
        "description": "\0" + "y" * 100_000,
        "provider": {"name": "p" * 5000},
        "annotations": {"categories": "A\0, B", "capabilities": ["no", "text"], "createdAt": "never"},
        "crdDescriptions": {"owned": "nothing"},
        "installModes": {"type": 7},
    }
    place = fbc(
        tmp_path,
        *small("fine"),
        *small("evil", "v\0", **evil),
        *small("e" * 254),
        *small("worse", "9" * 500, **evil),
        *small("n\0l"),
    )
    row = read(folder_catalog(client, place), client)
    found = {item.name: item for item in Package.objects.all()}
    assert {"fine", "evil", "worse"} == set(found)
    assert found["evil"].title == "<script>alert(1)</script>" and found["evil"].categories == ["A", "B"]
    assert row.problems and all("\0" not in words for problem in row.problems for words in problem)


def test_one_lying_catalog_does_not_touch_the_others(client: ClusterClient, tmp_path: Path) -> None:
    good = read(folder_catalog(client, fbc(tmp_path / "good", *small("x"))), client)
    bad = folder_catalog(client, fbc(tmp_path / "bad", "{", "nonsense"), name="bad")
    assert not refresh.refresh(bad, client)
    bad.refresh_from_db()
    assert bad.state == Catalog.FAILED and "No packages found" in bad.error
    assert Package.objects.get().catalog == good.name


def test_hidden_packages_are_counted_with_their_reason(client: ClusterClient, tmp_path: Path) -> None:
    part = {"annotations": {"operators.operatorframework.io/operator-type": "non-standalone"}}
    other = {"labels": {"operatorframework.io/arch.z80": "supported", "operatorframework.io/os.cpm": "supported"}}
    lost = small("lost")
    lost[0]["defaultChannel"] = "nowhere"
    read(folder_catalog(client, fbc(tmp_path, *small("a"), *small("b", **part), *small("c", **other), *lost)), client)
    found = dict(Package.objects.values_list("name", "hidden"))
    assert found == {"a": "", "b": "non-standalone", "c": "platform", "lost": "no-default-channel"}
    assert Package.objects.get(name="c").platforms == ["cpm/z80"]


def test_a_reading_that_was_cut_short_leaves_nothing(client: ClusterClient, monkeypatch: pytest.MonkeyPatch) -> None:
    row = folder_catalog(client, SAMPLES)

    def killed(*_arguments: Any, **_more: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(refresh.bundles, "pack", killed)
        refresh.refresh(row, client)
    row.refresh_from_db()
    assert row.state == Catalog.FAILED and not row.generation
    assert read(row, client).bundles == StoredBundle.objects.count()
