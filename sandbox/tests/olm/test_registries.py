"""CatalogSources that people make, and a catalog that holds up a namespace: in OLM's words, as a real cluster said
them.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import processes

from .kube import GROUPS, OLM, Kube, namespaced

ROOT = Path(__file__).resolve().parents[3]
PLACE = "far-away"
SOURCES = namespaced(OLM, PLACE, "catalogsources")


@pytest.fixture(scope="module")
def kube(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kube]:
    data = tmp_path_factory.mktemp("sandbox")
    with processes.sandbox(data, ROOT / "examples" / "operators" / "packages"):
        found = Kube(data / "kubeconfig")
        found.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": PLACE}})
        yield found


def source(kube: Kube, name: str, **spec: str) -> dict:
    """A CatalogSource as soon as OLM has reconciled it."""
    body = {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "CatalogSource", "metadata": {"name": name}}
    kube.create(SOURCES, {**body, "spec": spec})
    return kube.until(SOURCES, lambda item: item.get("status"), name=name)["status"]


def test_an_address_that_nobody_answers(kube: Kube) -> None:
    status = source(kube, "address", sourceType="grpc", address="127.0.0.1:9")
    assert (status["connectionState"]["address"], status["connectionState"]["lastObservedState"]) == (
        "127.0.0.1:9",
        "TRANSIENT_FAILURE",
    )
    assert (status["registryService"]["protocol"], "message" in status, "reason" in status) == ("grpc", False, False)
    kube.delete(f"{SOURCES}/address")


def test_an_image_gets_its_registry_and_takes_it_along(kube: Kube) -> None:
    status = source(kube, "image", sourceType="grpc", image="registry.invalid/none/catalog:v1")
    assert status["connectionState"]["address"] == f"image.{PLACE}.svc:50051"
    assert status["registryService"] | {"createdAt": ""} == {
        "createdAt": "",
        "port": "50051",
        "protocol": "grpc",
        "serviceName": "image",
        "serviceNamespace": PLACE,
    }
    pods = namespaced("/api/v1", PLACE, "pods")
    pod = kube.until(pods, lambda item: item["metadata"]["labels"].get("olm.catalogSource") == "image")
    assert pod["spec"]["containers"][0]["image"] == "registry.invalid/none/catalog:v1"
    assert kube.exists(f"{namespaced('/api/v1', PLACE, 'services')}/image")
    assert kube.exists(f"{namespaced('/api/v1', PLACE, 'serviceaccounts')}/image")
    kube.delete(f"{SOURCES}/image")
    kube.until_gone(pods, pod["metadata"]["name"])


def test_a_config_map_that_is_not_there(kube: Kube) -> None:
    status = source(kube, "map", sourceType="configmap", configMap="nothere")
    assert status == {
        "reason": "ConfigMapError",
        "message": 'failed to get catalog config map nothere: configmaps "nothere" not found',
    }
    kube.delete(f"{SOURCES}/map")


def test_one_silent_catalog_holds_up_a_namespace_until_it_goes(kube: Kube) -> None:
    source(kube, "silent", sourceType="grpc", address="127.0.0.1:9")
    group = {"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "metadata": {"name": "group"}}
    kube.create(namespaced(GROUPS, PLACE, "operatorgroups"), {**group, "spec": {"targetNamespaces": [PLACE]}})
    path = namespaced(OLM, PLACE, "subscriptions")
    body = {"apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription", "metadata": {"name": "sub"}}
    kube.create(path, {**body, "spec": {"name": "sampledb", "source": "samples-catalog", "sourceNamespace": "olm"}})

    def failed(item: dict) -> dict:
        conditions = (item.get("status") or {}).get("conditions") or []
        return next((condition for condition in conditions if condition["type"] == "ResolutionFailed"), {})

    found = failed(kube.until(path, failed))
    assert (found["reason"], found["status"]) == ("ErrorPreventedResolution", "True")
    assert (
        found["message"]
        == f"error using catalogsource {PLACE}/silent: failed to list bundles: rpc error: code = Unavailable desc ="
        ' connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:9: connect: connection'
        ' refused"'
    )
    kube.delete(f"{SOURCES}/silent")
    kube.until(path, lambda item: item["status"].get("currentCSV") and not failed(item))
