"""Running a bundle: given as files, judged, planned, made, upgraded, taken away; over HTTP and on whichever cluster
the tests have.
"""

import base64
import io
import json
import re
import tarfile
import zipfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from operatorhub import olm
from operatorhub.run import bundle_input, follow, plan, removal, verdicts
from operatorhub.sources import image
from operatorhub.sources.drafts import SourceError
from tests import registry
from tests.conftest import ROOT
from tests.eventually import until

pytestmark = pytest.mark.django_db
PACKAGES = ROOT / "examples" / "operators" / "packages"
FLIGHT = PACKAGES / "flightticket"
GROUP = "run-test.example"


def zipped(folder: Path, top: str = "") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                archive.write(path, f"{top}{path.relative_to(folder)}")
    return out.getvalue()


def stranger() -> bytes:
    """FlightTicket with an API group of its own, so that its kind is unique in the cluster; its Pods are simulated,
    because its image doesn't exist.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path in sorted(FLIGHT.rglob("*")):
            if path.is_file():
                words = path.read_text().replace("flights.com", GROUP)
                words = re.sub(
                    r"operator-console\.dev/flightticket-operator:[^\s\"']+", "example.com/stranger:1", words
                )
                archive.writestr(str(path.relative_to(FLIGHT)), words)
    return out.getvalue()


def stranger_text() -> str:
    """Its newest version as one YAML text."""
    with zipfile.ZipFile(io.BytesIO(stranger())) as archive:
        names = [item for item in archive.namelist() if item == "1.1.0/csv.yaml" or item.startswith("1.1.0/crds/")]
        return "\n---\n".join(archive.read(name).decode() for name in names)


def tarred(folder: Path) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        archive.add(folder, "bundle")
    return out.getvalue()


def text(response: Any) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))


def packed(response: Any) -> str:
    found = re.search(r'name="~given" value="([^"]+)"', response.content.decode())
    assert found
    return found[1]


# What is given


@pytest.mark.parametrize(
    "data", [zipped(FLIGHT / "1.0.0"), zipped(FLIGHT / "1.0.0", "deep/er/"), tarred(FLIGHT / "1.0.0")]
)
def test_archives(data: bytes) -> None:
    found = bundle_input.files([("bundle", data)])
    assert [bundle.name for bundle in found.bundles] == ["flightticket-operator.v1.0.0"]
    assert len(found.bundles[0].crds) == 1


def test_loose_files_make_a_bundle() -> None:
    paths = [FLIGHT / "1.0.0" / "csv.yaml", *(FLIGHT / "1.0.0" / "crds").iterdir()]
    found = bundle_input.files((path.name, path.read_bytes()) for path in paths)
    assert found.bundles[0].name == "flightticket-operator.v1.0.0"
    assert verdicts.judge(found.bundles[0]) == verdicts.judge(bundle_input.files_of(FLIGHT / "1.0.0").bundles[0])


def test_a_file_based_catalog() -> None:
    objects = [
        bundle_input.files_of(FLIGHT / "1.0.0").bundles[0].csv,
        *bundle_input.files_of(FLIGHT / "1.0.0").bundles[0].crds,
    ]
    properties: list[dict[str, Any]] = [{"type": "olm.package", "value": {"packageName": "ft", "version": "1.0.0"}}]
    for item in objects:
        data = base64.b64encode(json.dumps(item).encode()).decode()
        properties.append({"type": "olm.bundle.object", "value": {"data": data}})
    name = "flightticket-operator.v1.0.0"
    blobs = [
        {"schema": "olm.package", "name": "ft", "defaultChannel": "stable"},
        {"schema": "olm.channel", "package": "ft", "name": "stable", "entries": [{"name": name}]},
        {"schema": "olm.bundle", "package": "ft", "name": name, "image": "x/y:1", "properties": properties},
    ]
    found = bundle_input.files([("catalog.json", "\n".join(map(json.dumps, blobs)).encode())])
    assert [(bundle.package, bundle.name, len(bundle.crds)) for bundle in found.bundles] == [("ft", name, 1)]


def test_an_image(settings: Any, tmp_path: Path) -> None:
    settings.LOCAL_ONLY, settings.REGISTRY_AUTH_FILE = True, str(tmp_path / "auth.json")
    bundle = FLIGHT / "1.0.0"
    files = {
        f"manifests/{path.name}": path.read_bytes() for path in (bundle / "csv.yaml", *(bundle / "crds").iterdir())
    }
    files["metadata/annotations.yaml"] = (bundle / "metadata" / "annotations.yaml").read_bytes()
    with registry.serving() as server:
        name = server.add(
            "team/flight", "v1", [files], labels={image.MANIFESTS: "manifests/", image.METADATA: "metadata/"}
        )
        found = bundle_input.registry(name)
    assert [(item.name, len(item.crds)) for item in found.bundles] == [("flightticket-operator.v1.0.0", 1)]


def test_an_address_that_does_not_answer(settings: Any) -> None:
    settings.LOCAL_ONLY = True
    with pytest.raises(SourceError):
        bundle_input.address("http://127.0.0.1:1/bundle.zip")


def test_a_folder_of_versions_gives_the_newest_first() -> None:
    found = bundle_input.files([("package.zip", zipped(FLIGHT))])
    assert found.bundles[0].name == "flightticket-operator.v1.1.0"
    assert {bundle.version for bundle in found.bundles} >= {"1.0.0", "1.1.0"}


def test_what_is_no_bundle_is_refused() -> None:
    for data in (b"", b"hello: world", b"PK\x03\x04broken", b"\x1f\x8bbroken"):
        with pytest.raises(SourceError):
            bundle_input.files([("x.yaml", data)])


def test_nothing_leaves_its_folder(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("../../evil.yaml", "kind: Evil")
    with pytest.raises(SourceError):
        bundle_input.files([("evil.zip", out.getvalue())])


def test_it_travels_in_the_page() -> None:
    found = bundle_input.files_of(FLIGHT)
    assert bundle_input.received(bundle_input.carried(found)).bundles == found.bundles
    for bad in ("", "AAAA", base64.b64encode(b"x").decode(), "ü"):
        with pytest.raises(SourceError):
            bundle_input.received(bad)


# Verdicts


def changed(**edits: Any) -> Any:
    bundle = bundle_input.files_of(FLIGHT / "1.0.0").bundles[0]
    csv = json.loads(json.dumps(bundle.csv))
    for path, value in edits.items():
        node, *rest = path.split("__")
        at = csv
        for step in (node, *rest)[:-1]:
            at = at[step]
        at[(node, *rest)[-1]] = value
    return bundle_input.Bundle(
        name=bundle.name,
        package=bundle.package,
        version=bundle.version,
        image="",
        csv=csv,
        crds=bundle.crds,
        others=bundle.others,
    )


def verdict_lines(bundle: Any) -> str:
    return "\n".join(f"{item.level}: {item.words} [{item.where}]" for item in verdicts.judge(bundle))


def test_our_own_bundles_are_sound() -> None:
    for folder in sorted(PACKAGES.glob("*/*/csv.yaml")):
        for bundle in bundle_input.files_of(folder.parent).bundles:
            assert not verdicts.refused(verdicts.judge(bundle)), verdict_lines(bundle)


@pytest.mark.parametrize(
    ("edits", "words"),
    [
        ({"spec__version": "one"}, "error: “one” isn't a valid version"),
        ({"spec__installModes": []}, "error: The bundle supports no install mode"),
        ({"spec__install__strategy": "magic"}, "error: The install strategy"),
        ({"metadata__annotations": {"alm-examples": "{"}}, "error: The examples aren't valid JSON"),
        (
            {"metadata__annotations": {"capabilities": "Super", "alm-examples": "[]"}},
            "isn't a capability level",
        ),
        (
            {"metadata__annotations": {"operatorframework.io/sugested": "x", "alm-examples": "[]"}},
            "Unknown annotation",
        ),
        ({"spec__webhookdefinitions": [{"generateName": "w", "deploymentName": "none"}]}, "error: The webhook “w”"),
    ],
)
def test_what_is_wrong_is_said(edits: dict[str, Any], words: str) -> None:
    assert words in verdict_lines(changed(**edits))


@pytest.mark.parametrize("name", ["example.com/mine", "containerImage", "operatorframework.io/suggested-namespace"])
def test_an_annotation_of_somebody_else_and_a_known_one_are_no_slips(name: str) -> None:
    assert "Unknown annotation" not in verdict_lines(changed(metadata__annotations={name: "x"}))


def test_an_example_that_does_not_fit_its_schema() -> None:
    bad = {
        "apiVersion": "flights.com/v1",
        "kind": "FlightTicket",
        "metadata": {"name": "x"},
        "spec": {"from": "A", "to": "B", "number": 99},
    }
    words = verdict_lines(changed(metadata__annotations={"alm-examples": json.dumps([bad])}))
    assert "The example of FlightTicket doesn't match its schema: spec.number" in words


def test_a_missing_crd() -> None:
    bundle = bundle_input.files_of(FLIGHT / "1.0.0").bundles[0]
    alone = bundle_input.Bundle(
        name=bundle.name, package=bundle.package, version=bundle.version, image="", csv=bundle.csv, crds=(), others=()
    )
    assert "doesn't contain that CustomResourceDefinition" in verdict_lines(alone)
    assert verdicts.refused(verdicts.judge(alone))


# On the cluster


@pytest.fixture
def space(client: ClusterClient) -> Iterator[str]:
    name = "run-bundle"
    yield name
    for package in ("flightticket", "FlightTicket"):
        found = removal.find_objects(client, name, package)
        removal.take(client, found, operands=True, kinds=True, space=True, done=lambda ref, outcome: None)
    spaces = client.find("", "v1", "namespaces")
    try:
        client.delete(spaces, name)
    except NotFound:
        return

    def gone() -> bool:
        try:
            client.get(spaces, name)
        except NotFound:
            return True
        return False

    until(gone)


def test_from_the_file_to_nothing(client: ClusterClient, space: str) -> None:
    web = Client()
    assert "Review" in text(web.get("/operatorhub/run/"))
    upload = SimpleUploadedFile("flight.zip", stranger())
    page = web.post("/operatorhub/run/", {"files": upload, "~give": "1"})
    assert page.status_code == 200
    assert "flightticket-operator.v1.1.0" in text(page)
    choices = {
        "~given": packed(page),
        "bundle": "flightticket-operator.v1.0.0",
        "namespace": space,
        "mode": "OwnNamespace",
    }
    tried = web.post("/operatorhub/run/", {**choices, "~check": "1"})
    assert "All objects would be accepted" in text(tried)
    with pytest.raises(NotFound):
        client.get(client.find("", "v1", "namespaces"), space)

    made = web.post("/operatorhub/run/", {**choices, "~run": "1"})
    assert made.status_code == 302, text(made)
    assert made["Location"] == f"/operators/{space}/runs/flightticket/"
    until(lambda: follow.read(client, space, "flightticket").state == "done")
    shown = text(web.get(made["Location"]))
    assert "is running" in shown
    assert "flightticket-operator.v1.0.0" in shown
    assert [run.csv for run in follow.runs(client) if run.namespace == space] == ["flightticket-operator.v1.0.0"]
    page = web.get(f"/operators/{space}/flightticket-operator.v1.0.0/").content.decode()
    assert f'href="/operators/{space}/runs/flightticket/remove/"' in page
    accounts = client.list(client.find("", "v1", "serviceaccounts"), space, labels=plan.RUN).items
    assert accounts[0]["metadata"]["ownerReferences"][0]["kind"] == "ClusterServiceVersion"

    # A newer bundle of the same package takes its place.
    newer = {**choices, "bundle": "flightticket-operator.v1.1.0"}
    assert "Replaces flightticket-operator.v1.0.0" in text(web.post("/operatorhub/run/", newer))
    assert web.post("/operatorhub/run/", {**newer, "~run": "1"}).status_code == 302

    def upgraded() -> bool:
        names = [item["metadata"]["name"] for item in client.list(olm.type_of(client, olm.CSVS), space).items]
        return names == ["flightticket-operator.v1.1.0"] and follow.read(client, space, "flightticket").state == "done"

    until(upgraded)

    # An instance keeps its kind, unless it is to go too.
    tickets = client.find(GROUP, "v1", "flighttickets")
    ticket = {
        "apiVersion": f"{GROUP}/v1",
        "kind": "FlightTicket",
        "metadata": {"name": "mine"},
        "spec": {"from": "ICN", "to": "LHR", "number": 2},
    }
    until(lambda: made_it(client, tickets, ticket, space))
    # Who would be shut out by a narrower kind is named before.
    narrow = stranger_text().replace("maximum: 10", "maximum: 1")
    files = {"files": SimpleUploadedFile("bundle.yaml", narrow.encode()), "~give": "1"}
    assert "FlightTicket run-bundle/mine doesn't match the bundle's schema: spec.number" in text(
        web.post("/operatorhub/run/", files)
    )
    found = removal.find_objects(client, space, "flightticket")
    assert [len(kind.instances or ()) for kind in found.kinds] == [1]
    gone = text(web.get(f"/operators/{space}/runs/flightticket/remove/"))
    for words in (
        "flightticket-operator.v1.1.0",
        f"flighttickets.{GROUP}",
        "run-bundle/mine",
        "The namespace run-bundle",
    ):
        assert words in gone
    answer = web.post(f"/operators/{space}/runs/flightticket/remove/", {"kinds": "1", "operands": "1"})
    assert answer.status_code == 302, text(answer)

    def away() -> bool:
        left = removal.find_objects(client, space, "flightticket")
        return not left.objects and not left.kinds

    until(away)
    assert web.get(f"/operators/{space}/runs/flightticket/").status_code == 404


def made_it(client: ClusterClient, type_: Any, obj: dict[str, Any], namespace: str) -> bool:
    try:
        client.create(type_, obj, namespace)
    except KubeError:
        return False
    return True


def test_a_broken_bundle_is_not_run(client: ClusterClient, space: str) -> None:
    bad = changed(spec__version="one")
    page = Client().post(
        "/operatorhub/run/",
        {
            "~given": bundle_input.carried(bundle_input.one(bad, "here")),
            "namespace": space,
            "mode": "OwnNamespace",
            "~run": "1",
        },
    )
    assert page.status_code == 422
    assert "isn't a valid version" in text(page)
    assert follow.runs(client) == () or all(run.namespace != space for run in follow.runs(client))


def test_conflicts_are_said(client: ClusterClient) -> None:
    bundle = bundle_input.one(bundle_input.files_of(FLIGHT / "1.0.0").bundles[0], "here")
    web, form = Client(), {"~given": bundle_input.carried(bundle)}
    assert "Choose a namespace" in text(
        web.post("/operatorhub/run/", {**form, "namespace": "No Name", "mode": "OwnNamespace"})
    )
    everywhere = text(web.post("/operatorhub/run/", {**form, "namespace": "operators", "mode": "OwnNamespace"}))
    assert "uses the install mode AllNamespaces" in everywhere


def test_what_cannot_be_read_is_said(client: ClusterClient) -> None:
    web = Client()
    page = web.post("/operatorhub/run/", {"files": SimpleUploadedFile("x.zip", b"PK\x03\x04oops"), "~give": "1"})
    assert page.status_code == 422
    assert "The archive is damaged" in text(page)
    assert "Choose a file" in text(web.post("/operatorhub/run/", {"~give": "1"}))
    image = web.post("/operatorhub/run/", {"image": "not an image", "~give": "1"})
    assert image.status_code == 422 and 'value="not an image"' in image.content.decode()


def test_without_olm_nothing_is_run(client: ClusterClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operatorhub.olm.served", lambda _client: False)
    page = Client().get("/operatorhub/run/")
    assert page.status_code == 200
    assert "Review" not in text(page)
