"""The console's own catalogs on their pages: uploads, folders, images; what is typed wrong; what `make run` hands
over.
"""

import io
import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from console.processes import parts
from kube import limits
from kube.client import ClusterClient
from operatorhub import tasks
from operatorhub.admin import catalog_kinds, catalogs
from operatorhub.api.sources import CatalogWantedSerializer
from operatorhub.bundle import bundles
from operatorhub.indexing import refresh
from operatorhub.models import Catalog, Package, StoredBundle
from operatorhub.sources import image
from tests import registry
from tests.conftest import ROOT
from tests.operatorhub.test_sources import LIST, NAME, NEW, own, page, text

pytestmark = pytest.mark.django_db
SAMPLES = ROOT / "examples" / "operators" / "packages"
# Every folder is a package.
NAMES = {path.name for path in SAMPLES.iterdir() if path.is_dir()}


@pytest.fixture(autouse=True)
def _asked(monkeypatch: pytest.MonkeyPatch) -> None:
    """There is no worker here."""
    monkeypatch.setattr(tasks, "_asked", lambda _task, *_arguments: True)


@pytest.fixture
def mine(settings: Any) -> None:
    settings.LOCAL_ONLY = True


def archive() -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as packed:
        for path in sorted(SAMPLES.rglob("*")):
            if path.is_file():
                packed.writestr(str(path.relative_to(SAMPLES)), path.read_bytes())
    return sink.getvalue()


def test_an_upload(client: ClusterClient, mine: None) -> None:
    file = SimpleUploadedFile("samples.zip", archive())
    assert Client().post(NEW, own(**{"from": "upload"}, file=file)).status_code == 302
    row = Catalog.objects.get(name=NAME)
    assert (row.kind, row.state, row.packages, row.location) == ("upload", "ready", len(NAMES), "samples.zip")
    assert bundles.bundle(
        client, "~", NAME, "memcached", bundles.graph(client, "~", NAME, "memcached").channels[0].entries[0].name
    )
    assert "samples.zip" in text(page(f"{LIST}source/~/{NAME}/"))
    # The same name again is refused at its field; a broken file leaves nothing behind.
    assert "already has a catalog with this name" in text(
        Client().post(NEW, own(**{"from": "upload"}, file=SimpleUploadedFile("x", b"{}")))
    )
    response = Client().post(
        NEW, own(**{"from": "upload"}, name="other", file=SimpleUploadedFile("x.zip", b"PK\x03\x04broken"))
    )
    assert response.status_code == 422 and "archive is damaged" in text(response)
    assert Catalog.objects.count() == 1
    assert Client().post(f"{LIST}source/~/{NAME}/delete/").status_code == 302
    assert not Package.objects.filter(namespace="~").exists()


def test_an_upload_that_is_too_large_is_refused(
    client: ClusterClient, mine: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = SimpleUploadedFile("samples.zip", archive())
    monkeypatch.setattr(limits, "CATALOG_UPLOAD", replace(limits.CATALOG_UPLOAD, value=int(file.size or 0) - 1))
    answer = Client().post(NEW, own(**{"from": "upload"}, file=file))
    assert answer.status_code == 422
    assert "The file is larger than" in text(answer)
    assert not Catalog.objects.exists()


def test_an_address_is_no_file(client: ClusterClient, mine: None) -> None:
    answer = Client().post(f"{NEW}?file=x", own(**{"from": "upload"}))
    assert answer.status_code == 422 and "Choose a file" in text(answer)


def test_an_interval_that_is_not_offered_is_refused_at_its_field(client: ClusterClient, mine: None) -> None:
    answer = Client().post(NEW, own(interval="2h"))
    assert answer.status_code == 422 and "Select a valid choice" in text(answer)
    assert not Catalog.objects.exists()


@pytest.mark.parametrize(
    ("more", "field", "words"),
    [
        ({"location": "ftp://x"}, "location", "starts with http"),
        ({"from": "image", "location": "A B"}, "location", "isn't a valid image"),
        ({"from": "folder", "location": "relative"}, "location", "full path"),
        ({"from": "upload"}, "file", "Choose a file"),
        ({"name": "Ä"}, "name", "lowercase"),
    ],
)
def test_own_catalogs_typed_wrong(
    client: ClusterClient, mine: None, more: dict[str, str], field: str, words: str
) -> None:
    response = Client().post(NEW, own(**more))
    assert response.status_code == 422 and words in text(response)
    assert re.search(rf'id="field-{field}"[^>]*aria-invalid="true"', response.content.decode())
    assert not Catalog.objects.exists()


def test_every_kind_is_in_the_table(client: ClusterClient, mine: None) -> None:
    """The radio buttons, the JSON API's choices and the label on pages are those of the table."""
    form = page(f"{NEW}?kind=own")
    radios = re.findall(r'<input\s+type="radio"\s+name="from"\s+value="(\w+)"', form)
    assert radios == [kind.value for kind in catalog_kinds.KINDS if kind.field] == ["url", "image", "folder", "upload"]
    # `upload` needs a file, which JSON can't hold.
    choices = CatalogWantedSerializer().get_fields()["from"].choices
    assert list(choices) == ["url", "image", "folder"]
    for number, kind in enumerate(catalog_kinds.KINDS):
        Catalog.objects.create(cluster=client.name, namespace="~", name=f"own-{number}", kind=kind.value)
        assert str(kind.label) in text(page(f"{LIST}source/~/own-{number}/"))
    values = {Catalog.URL, Catalog.IMAGE, Catalog.FOLDER, Catalog.UPLOAD, Catalog.CLUSTER}
    assert set(catalog_kinds.BY_VALUE) == values and len(catalog_kinds.KINDS) == len(values)


@pytest.mark.parametrize("kind", ["clustercatalog", "nothing"])
def test_kinds_that_nobody_adds_are_refused(client: ClusterClient, mine: None, kind: str) -> None:
    answer = Client().post(NEW, own(**{"from": kind}))
    assert answer.status_code == 422 and "Select the source of the catalog" in text(answer)
    sent = {"kind": "own", "name": NAME, "from": kind, "location": "https://example.com/catalog.yaml"}
    answer = Client().post("/api/operatorhub/catalogs/", json.dumps(sent), content_type="application/json")
    assert answer.status_code == 422 and not Catalog.objects.exists()


def test_folders_only_where_the_console_is_ones_own(client: ClusterClient, settings: Any, tmp_path: Path) -> None:
    settings.LOCAL_ONLY = False
    response = Client().post(NEW, own(**{"from": "folder"}, location=str(SAMPLES)))
    assert response.status_code == 422 and "Folders can be used only" in text(response)
    settings.LOCAL_ONLY = True
    assert Client().post(NEW, own(**{"from": "folder"}, location=str(SAMPLES))).status_code == 302
    row = Catalog.objects.get()
    assert refresh.refresh(row, client)
    assert str(len(NAMES)) in text(page(f"{LIST}source/~/{NAME}/"))


def test_s17_who_cannot_change_the_catalogs_reads_no_folder_of_the_server(
    client: ClusterClient, mine: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The list, a catalog's page, its errors, what OperatorHub says of it, and the API."""
    folder = str(tmp_path)
    words = {"error": f"There is no folder {folder} here", "problems": [[f"{folder}/a", "is empty"]]}
    for name, more in ((NAME, {}), (f"{NAME}-2", {"describes": "olm/samples-catalog"})):
        Catalog.objects.create(
            cluster=client.name,
            namespace="~",
            name=name,
            kind="folder",
            location=folder,
            state=Catalog.FAILED,
            **words,
            **more,
        )
    addresses = [
        LIST,
        f"{LIST}source/~/{NAME}/",
        f"{LIST}source/olm/samples-catalog/",
        "/operatorhub/",
        "/api/operatorhub/catalogs/",
        f"/api/operatorhub/catalogs/~/{NAME}/",
    ]
    assert folder in text(page(LIST))
    monkeypatch.setattr(catalogs, "change_refusal", lambda _client: "no")
    for address in addresses:
        answer = Client().get(address)
        assert answer.status_code == 200, address
        assert folder not in answer.content.decode(), address


def bundle_image(server: registry.Registry, name: str) -> str:
    """One of our bundles as an image."""
    folder = next((SAMPLES / name).glob("*/csv.yaml")).parent
    files = {"manifests/csv.yaml": (folder / "csv.yaml").read_bytes()}
    files |= {f"manifests/{path.name}": path.read_bytes() for path in folder.glob("crds/*")}
    files |= {f"metadata/{path.name}": path.read_bytes() for path in folder.glob("metadata/*")}
    return server.add(
        f"team/{name}", "v1", [files], labels={image.MANIFESTS: "manifests/", image.METADATA: "metadata/"}
    )


def test_a_catalog_image_whose_bundles_are_images(client: ClusterClient, mine: None) -> None:
    with registry.serving() as server:
        reference = bundle_image(server, "sampledb")
        own_package = {"type": "olm.package", "value": {"packageName": "sampledb", "version": "1.0.0"}}
        about = {
            "type": "olm.csv.metadata",
            "value": {"displayName": "Sample", "annotations": {"capabilities": "Auto Pilot"}},
        }
        blobs = [
            {"schema": "olm.package", "name": "sampledb", "defaultChannel": "stable"},
            {"schema": "olm.channel", "package": "sampledb", "name": "stable", "entries": [{"name": "s.v1"}]},
            {
                "schema": "olm.bundle",
                "package": "sampledb",
                "name": "s.v1",
                "image": reference,
                "properties": [own_package, about],
            },
        ]
        text_ = "\n".join(map(json.dumps, blobs)).encode()
        catalog = server.add(
            "team/catalog", "v1", [{"configs/sampledb/catalog.json": text_}], labels={image.CONFIGS: "/configs"}
        )
        assert Client().post(NEW, own(**{"from": "image"}, location=catalog)).status_code == 302
        row = Catalog.objects.get()
        assert refresh.refresh(row, client), Catalog.objects.get().error
        package = Package.objects.get(namespace="~")
        assert (package.title, package.level, package.version, package.rights) == ("Sample", 5, "1.0.0", "?")
        # The whole bundle is read from its image on first use, and stored.
        found = bundles.bundle(client, "~", NAME, "sampledb", "s.v1")
        assert found is not None and not found.partial and found.crds and found.csv["spec"]["install"]
        before = len(server.asked)
        assert bundles.bundle(client, "~", NAME, "sampledb", "s.v1") == found and len(server.asked) == before
        # An image that can't be had: the page has what the catalog says, and why there is no more; it is not asked for
        # twice.
        StoredBundle.objects.update(
            csv=bundles.pack({"spec": {"displayName": "Sample"}}), manifests=None, partial=True, image=f"{reference}x"
        )
        for _turn in range(2):
            half = bundles.bundle(client, "~", NAME, "sampledb", "s.v1")
            assert half is not None and half.partial and "doesn't exist on" in half.problems[0]
        assert len(server.asked) == before + 1
        before += 1
        # The tag did not move: one request, nothing is read.
        generation = Catalog.objects.get().generation
        assert refresh.refresh(row, client) and Catalog.objects.get().generation == generation
        assert len(server.asked) == before + 1
        # A registry that lies from now on: what was read stays, and the page says which lie.
        server.lies = {"header"}
        assert not refresh.refresh(row, client, force=True)
    assert Package.objects.filter(namespace="~").count() == 1
    words = text(page(f"{LIST}source/~/{NAME}/"))
    assert ": the manifest v1" in words and "Packages from the last successful read are still available" in words


def test_make_run_names_folders_as_the_embedded_cluster_does(tmp_path: Path) -> None:
    from sandbox.olm.catalogs import catalog_names

    for name, packages in (("one", ("a",)), ("two", ("a", "b")), ("three", ("a", "b"))):
        for package in packages:
            (tmp_path / name / package).mkdir(parents=True)
            (tmp_path / name / package / "package.json").write_text("{}")
    folders = tuple(tmp_path / name for name in ("one", "two", "three"))
    options = parts.Options(port=9000, data=tmp_path, catalogs=folders)
    expected = [f"olm/{name}={folder}" for name, folder in catalog_names((parts.SAMPLES, *folders)).items()]
    assert parts.catalog_folders(options) == expected
    assert len(expected) == 4
    beside = parts.Options(port=9000, data=tmp_path, kubeconfig="x", catalogs=folders[:1])
    assert parts.catalog_folders(beside) == [f"a-catalog={folders[0]}"]
