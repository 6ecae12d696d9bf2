"""PackageManifests as OLM's package server answers for them."""

import json
from pathlib import Path

import pytest

from tests.conftest import ROOT

from .kube import OLM, Kube, Refused, namespaced

API = "/apis/packages.operators.coreos.com/v1"
ONE = f"{API}/namespaces/default/packagemanifests/sampledb"


@pytest.fixture(scope="module")
def kube(cluster_kubeconfig: Path) -> Kube:
    kube = Kube(cluster_kubeconfig)
    kube.until(
        namespaced(OLM, "olm", "catalogsources"),
        lambda item: item.get("status", {}).get("connectionState", {}).get("lastObservedState") == "READY",
    )
    return kube


def test_it_is_discovered(kube: Kube) -> None:
    found = {resource["name"]: resource for resource in kube.get(API)["resources"]}
    assert found["packagemanifests"]["verbs"] == ["get", "list"]
    assert found["packagemanifests"]["kind"] == "PackageManifest"
    assert "packages.operators.coreos.com" in [group["name"] for group in kube.get("/apis")["groups"]]


def test_a_package(kube: Kube) -> None:
    found = kube.get(ONE)
    assert found["kind"] == "PackageManifest"
    assert found["metadata"]["namespace"] == "default"
    assert found["metadata"]["labels"]["catalog"] == "samples-catalog"
    assert found["metadata"]["labels"]["catalog-namespace"] == "olm"
    status = found["status"]
    assert status["catalogSource"] == "samples-catalog"
    assert status["catalogSourceNamespace"] == "olm"
    assert status["defaultChannel"] == "stable"
    (channel,) = status["channels"]
    assert channel["currentCSV"] == "sampledb-operator.v1.0.0"
    described = channel["currentCSVDesc"]
    assert described["displayName"] == "SampleDB"
    assert described["annotations"]["capabilities"] == "Full Lifecycle"
    assert described["customresourcedefinitions"]["owned"][0]["kind"] == "SampleDB"
    assert "icon" not in described


def test_a_list_in_every_namespace_and_by_label(kube: Kube) -> None:
    names = [manifest["metadata"]["name"] for manifest in kube.get(f"{API}/packagemanifests")["items"]]
    assert names == sorted(path.parent.name for path in (ROOT / "examples/operators/packages").glob("*/package.json"))
    inside = f"{API}/namespaces/default/packagemanifests"
    assert len(kube.get(f"{inside}?labelSelector=catalog%3Dsamples-catalog")["items"]) == len(names)
    assert kube.get(f"{inside}?labelSelector=catalog%3Dother")["items"] == []
    assert len(kube.get(f"{inside}?fieldSelector=metadata.name%3Dsampledb")["items"]) == 1


def test_the_icon_is_an_image(kube: Kube) -> None:
    assert kube.raw("GET", f"{ONE}/icon").startswith(b"<svg")


def test_a_table(kube: Kube) -> None:
    accept = "application/json;as=Table;v=v1;g=meta.k8s.io"
    found = kube.get(f"{API}/packagemanifests", Accept=accept)
    assert [definition["name"] for definition in found["columnDefinitions"]] == ["Name", "Catalog", "Age"]
    assert "sampledb" in [row["cells"][0] for row in found["rows"]]
    assert found["rows"][0]["object"]["kind"] == "PartialObjectMetadata"


def test_an_unknown_package(kube: Kube) -> None:
    with pytest.raises(Refused) as refused:
        kube.get(f"{API}/namespaces/default/packagemanifests/nothing")
    assert refused.value.code == 404
    assert (
        json.loads(str(refused.value))["message"]
        == 'packagemanifests.packages.operators.coreos.com "nothing" not found'
    )


def test_it_can_not_be_watched(kube: Kube) -> None:
    with pytest.raises(Refused) as refused:
        kube.get(f"{API}/packagemanifests?watch=true")
    assert refused.value.code == 405
