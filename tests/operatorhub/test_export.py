"""An installed operator as a kustomize folder: clean objects, nothing secret unasked, and kubectl takes it."""

import io
import re
import zipfile
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.test import Client

from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from operatorhub import olm
from operatorhub.exports import folder, operator_objects
from operatorhub.exports.folder import export_object
from tests.eventually import until
from tests.operatorhub import operators
from tests.operatorhub.blocks import Kubectl, block_of

CSV = "sampledb-operator.v1.0.0"
SPACE, OTHER = "export-here", "export-there"


def text(response: Any) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode())))


# Clean


def test_what_the_server_wrote_goes_and_what_a_person_wrote_stays() -> None:
    obj = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "data": {"a": "b"},
        "status": {"x": 1},
        "metadata": {
            "uid": "1",
            "resourceVersion": "2",
            "managedFields": [],
            "creationTimestamp": "now",
            "generation": 3,
            "name": "c",
            "namespace": "apps",
            "labels": {"olm.owner": "x", "operators.coreos.com/db.apps": "", "app": "mine"},
            "ownerReferences": [{"uid": "9"}],
            "finalizers": ["f"],
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}", "note": "mine"},
        },
    }
    assert export_object(obj) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "data": {"a": "b"},
        "metadata": {"name": "c", "namespace": "apps", "labels": {"app": "mine"}, "annotations": {"note": "mine"}},
    }
    assert list(export_object(obj)["metadata"])[:2] == ["name", "namespace"]


def test_another_namespace() -> None:
    group = {
        "apiVersion": "operators.coreos.com/v1",
        "kind": "OperatorGroup",
        "metadata": {"name": "g", "namespace": "a"},
        "spec": {"targetNamespaces": ["a", "c"]},
    }
    moved = export_object(group, "a", "b")
    assert moved["metadata"]["namespace"] == "b"
    assert moved["spec"]["targetNamespaces"] == ["b", "c"]
    space = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "a", "labels": {"kubernetes.io/metadata.name": "a"}},
        "spec": {"finalizers": ["kubernetes"]},
    }
    assert export_object(space, "a", "b") == {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "b"}}


def test_the_same_files_give_the_same_bytes() -> None:
    item = operator_objects.Item(
        key="k", part="operator", group="", plural="configmaps", kind="ConfigMap", namespace="a", name="c"
    )
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "c", "namespace": "a"}}
    files = folder.files([(item, obj)], "a")
    assert [file.path for file in files] == [
        "kustomization.yaml",
        "operator/kustomization.yaml",
        "operator/00-configmap-c.yaml",
    ]
    assert folder.zipped("x", files) == folder.zipped("x", files)


# On the cluster


def unchanged(page: str) -> list[str]:
    """Objects that the import's page finds as the folder has them. Its navigation shows what other tests install."""
    return re.findall(r"(\S+ \S+) \S+ already exists, unchanged", page)


def gone(client: ClusterClient, namespace: str) -> bool:
    try:
        client.get(client.find("", "v1", "namespaces"), namespace)
    except NotFound:
        return True
    return False


def unblock(client: ClusterClient, namespace: str) -> None:
    """Instances whose operator is gone keep its finalizer, so the test removes it."""
    try:
        type_ = client.find("samples.operator-console.dev", "", "sampledbs")
        for item in client.list(type_, namespace).items:
            client.patch(type_, item["metadata"]["name"], {"metadata": {"finalizers": None}}, namespace)
            client.delete(type_, item["metadata"]["name"], namespace)
    except KubeError:
        return


@pytest.fixture
def spaces(client: ClusterClient) -> Iterator[None]:
    """Two namespaces that the test may use; everything in them is deleted, the operators first."""
    yield
    for namespace in (SPACE, OTHER):
        if gone(client, namespace):
            continue
        for plural in (olm.SUBSCRIPTIONS, olm.CSVS):
            for item in client.list(olm.type_of(client, plural), namespace).items:
                client.delete(olm.type_of(client, plural), item["metadata"]["name"], namespace)
        client.delete(client.find("", "v1", "namespaces"), namespace)

    def away() -> bool:
        left = [namespace for namespace in (SPACE, OTHER) if not gone(client, namespace)]
        for left_over in left:
            unblock(client, left_over)
        return not left

    until(away)


def installed(client: ClusterClient, namespace: str) -> bool:
    try:
        return olm.phase(client.get(olm.type_of(client, olm.CSVS), CSV, namespace)) == "Succeeded"
    except NotFound:
        return False


def install(client: ClusterClient, namespace: str) -> None:
    client.create(
        client.find("", "v1", "namespaces"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    )
    group = {
        "apiVersion": "operators.coreos.com/v1",
        "kind": "OperatorGroup",
        "metadata": {"name": namespace},
        "spec": {"targetNamespaces": [namespace]},
    }
    client.create(olm.type_of(client, "operatorgroups"), group, namespace)
    spec = {"channel": "stable", "name": "sampledb", "source": "samples-catalog", "sourceNamespace": "olm"}
    head = {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": {"name": "sampledb"}}
    client.create(olm.type_of(client, olm.SUBSCRIPTIONS), {**head, "spec": spec}, namespace)
    until(lambda: installed(client, namespace))


@pytest.mark.django_db
def test_from_one_namespace_to_another_as_a_folder(
    client: ClusterClient, spaces: None, tmp_path: Path, kubectl: Kubectl
) -> None:
    install(client, SPACE)
    secrets, maps = client.find("", "v1", "secrets"), client.find("", "v1", "configmaps")
    client.create(
        secrets,
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": "hidden"},
            "stringData": {"password": "s3cret-word"},
        },
        SPACE,
    )
    client.create(maps, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "unrelated"}, "data": {}}, SPACE)
    type_ = client.find("samples.operator-console.dev", "", "sampledbs")
    example = {
        "apiVersion": "samples.operator-console.dev/v1",
        "kind": "SampleDB",
        "metadata": {"name": "example"},
        "spec": {"engine": "redis", "passwordSecretRef": {"name": "hidden"}},
    }
    until(lambda: made(client, type_, example))
    web, place = Client(), f"/operators/{SPACE}/{CSV}/export/"
    shown = text(web.get(place))
    for words in ("kustomization.yaml", "OperatorGroup", "Subscription", f"startingCSV: {CSV}", "SampleDB"):
        assert words in shown
    assert "s3cret" not in shown
    assert "unrelated" not in shown
    assert "SampleDB example refers to this object" in shown
    asked = {"shown": "1", "take": f"/secrets/{SPACE}/hidden"}
    assert "The folder contains Secrets" in text(web.get(place, asked))
    answer = web.get(place, {"into": OTHER, "zip": "1"})
    assert answer["Content-Disposition"] == f'attachment; filename="sampledb-{OTHER}.zip"'
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        archive.extractall(tmp_path)
        texts = "\n".join(archive.read(name).decode() for name in archive.namelist())
    for words in (
        "uid:",
        "resourceVersion:",
        "managedFields",
        "creationTimestamp",
        "status:",
        "olm.providedAPIs",
        "s3cret",
    ):
        assert words not in texts
    root = tmp_path / f"sampledb-{OTHER}"
    kinds = [document["kind"] for document in yaml.safe_load_all(kubectl(f"kubectl kustomize {root}"))]
    assert kinds == ["Namespace", "OperatorGroup", "Subscription", "SampleDB"]

    # The other namespace gets the same.
    assert web.post("/operators/import/", {"files": upload(answer.content)}).status_code == 200
    compared = web.post("/operators/import/", {"files": upload(answer.content), "~check": "1"})
    assert "would be created" in text(compared)
    given = folder.read_uploads([("x.zip", answer.content)]).text
    sent = web.post("/operators/import/", {"text": given, "~apply": "1"})
    assert "failed" not in text(sent), text(sent)
    until(lambda: installed(client, OTHER))
    until(lambda: client.get(type_, "example", OTHER))
    again = text(web.post("/operators/import/", {"text": given}))
    assert "would be created" not in again
    assert len(unchanged(again)) == len(kinds)

    # H3: the command under the folder makes what the import made.
    subscriptions = olm.type_of(client, olm.SUBSCRIPTIONS)
    for kind, name in ((type_, "example"), (subscriptions, "sampledb")):
        client.delete(kind, name, OTHER)
    until(lambda: operators.gone(client, type_, "example", OTHER))
    kubectl(block_of(web.get(place, {"into": OTHER})), folder=tmp_path)
    # OLM writes to a new Subscription at once, and the comparison reads it twice.
    until(lambda: unchanged(text(web.post("/operators/import/", {"text": given}))) == unchanged(again))


def made(client: ClusterClient, type_: Any, obj: dict[str, Any]) -> bool:
    try:
        client.create(type_, obj, SPACE)
    except KubeError:
        return False
    return True


def upload(data: bytes) -> Any:
    found = io.BytesIO(data)
    found.name = "folder.zip"
    return found


@pytest.mark.django_db
def test_an_operator_that_is_not_there(client: ClusterClient) -> None:
    assert Client().get("/operators/default/nothing.v1/export/").status_code == 404
