"""Packages that can't be installed, and one that wants an object first: from a catalog of the tests' own, so on the
embedded cluster alone.
"""

import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from django.test import Client

from kube.client import ClusterClient
from kube.config import load
from operatorhub import olm
from tests import processes
from tests.conftest import ROOT
from tests.environment import FOLDER
from tests.eventually import until
from tests.operatorhub.test_progress_real import broken, done, group, subscribe

pytestmark = pytest.mark.django_db
SAMPLES = ROOT / "examples" / "operators" / "packages"


@pytest.fixture(scope="module")
def broken_cluster(request: pytest.FixtureRequest) -> Iterator[ClusterClient]:
    """An embedded cluster whose catalog has packages that can't be installed."""
    if request.config.getoption("--kubeconfig"):
        pytest.skip("needs a catalog with broken packages: the embedded cluster takes one from a folder")
    folder, data = FOLDER / "broken-packages", FOLDER / "broken"
    _package(folder, "badimage", image="registry.invalid/none:1")
    needs = "- {type: olm.gvk, value: {group: nobody.example, version: v1, kind: Thing}}"
    _package(folder, "needy", dependencies=f"dependencies:\n{needs}\n")
    _package(folder, "wanting", notes=WANTS)
    with processes.sandbox(data, folder):
        client = ClusterClient(load(str(data / "kubeconfig"), None))
        until(lambda: olm.served(client) or client.forget_types())
        until(lambda: client.list(olm.type_of(client, olm.SOURCES)).items)
        yield client


WANTS = """    operatorframework.io/initialization-link: https://example.com/start
    operatorframework.io/initialization-resource: >-
      {"apiVersion":"wanting.example/v1","kind":"SampleDB","metadata":{"name":"first"},"spec":{"engine":"redis"}}
"""


def _package(folder: Path, name: str, image: str = "", dependencies: str = "", notes: str = "") -> None:
    """SampleDB under another name and group, made worse."""
    target = folder / name
    shutil.copytree(SAMPLES / "sampledb", target)
    for path in (item for item in target.rglob("*") if item.is_file()):
        words = path.read_text().replace("samples.operator-console.dev", f"{name}.example")
        words = words.replace("sampledb-operator.v", f"{name}.v").replace('"name": "sampledb"', f'"name": "{name}"')
        words = words.replace("package.v1: sampledb", f"package.v1: {name}")
        words = words.replace("  annotations:\n", f"  annotations:\n{notes}", 1) if path.name == "csv.yaml" else words
        if image:
            words = re.sub(r"operator-console\.dev/sampledb-operator:[\w.]+", image, words)
        path.write_text(words)
        path.rename(path.with_name(path.name.replace("samples.operator-console.dev", f"{name}.example")))
    for metadata in target.glob("*/metadata"):
        if dependencies:
            (metadata / "dependencies.yaml").write_text(dependencies)


@pytest.mark.parametrize(("package", "key"), [("badimage", "image_pull"), ("needy", "dependency")])
def test_a_broken_package_says_why(broken_cluster: ClusterClient, package: str, key: str) -> None:
    client, place = broken_cluster, f"hub-{package}"
    client.create(
        client.find("", "v1", "namespaces"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": place}}
    )
    group(client, place)
    source = client.list(olm.type_of(client, olm.SOURCES)).items[0]["metadata"]["name"]
    subscribe(client, place, package, source=source)
    found = broken(client, place, package, key)
    assert ("registry.invalid" if key == "image_pull" else "Thing") in found.raw


def test_the_object_that_the_author_wants_first(broken_cluster: ClusterClient, monkeypatch: pytest.MonkeyPatch) -> None:
    client, place = broken_cluster, "hub-wanting"
    monkeypatch.setattr("console.web.request.console_client", lambda: client)
    client.create(
        client.find("", "v1", "namespaces"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": place}}
    )
    group(client, place)
    subscribe(
        client, place, "wanting", source=client.list(olm.type_of(client, olm.SOURCES)).items[0]["metadata"]["name"]
    )
    until(lambda: done(client, place, "wanting"))
    web = Client()
    source = client.list(olm.type_of(client, olm.SOURCES)).items[0]["metadata"]["name"]
    card = (
        web.get(f"/operatorhub/olm/{source}/wanting/install/").content.decode().partition("Resource types it adds")[2]
    )
    assert "Required" in card
    page = web.get(f"/operators/{place}/subscriptions/wanting/").content.decode()
    assert 'id="required"' in page
    assert 'href="https://example.com/start"' in page
    form = unescape(re.findall(r'href="([^"]+)"\s+id="create-first"', page)[0])
    assert form == f"/resources/wanting.example/v1/sampledbs/new/?namespace={place}&start=example%3Afirst"
    assert 'value="first"' in web.get(form).content.decode()
    body = {
        "apiVersion": "wanting.example/v1",
        "kind": "SampleDB",
        "metadata": {"name": "first"},
        "spec": {"engine": "redis"},
    }
    client.create(client.find("wanting.example", "v1", "sampledbs"), body, place)
    assert 'id="required"' not in web.get(f"/operators/{place}/subscriptions/wanting/").content.decode()
