"""Catalogs served and extensions installed by a really started sandbox, with operator-controller's messages."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sandbox.tests.olm.kube import Kube, Refused
from tests import processes
from tests.eventually import until

ROOT = Path(__file__).resolve().parents[3]
V1 = "/apis/olm.operatorframework.io/v1"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
CONTENT = "/api/v1/namespaces/olmv1-system/services/https:catalogd-service:443/proxy/catalogs/{}/api/v1/{}"
CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/flighttickets.flights.com"
Object = dict[str, Any]


@pytest.fixture(scope="module")
def kube(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kube]:
    data = tmp_path_factory.mktemp("olmv1")
    with processes.sandbox(data, ROOT / "examples" / "operators" / "packages"):
        found = Kube(data / "kubeconfig")
        until(
            lambda: condition(found, "clustercatalogs/samples", "Serving").get("reason") == "UserSpecifiedUnavailable",
            seconds=40,
        )
        found.patch(f"{V1}/clustercatalogs/samples", {"spec": {"availabilityMode": "Available"}})
        until(lambda: condition(found, "clustercatalogs/samples", "Serving").get("status") == "True")
        yield found


def condition(kube: Kube, place: str, type_: str) -> Object:
    try:
        found = kube.get(f"{V1}/{place}").get("status", {}).get("conditions", [])
    except Refused:
        return {}
    return next((item for item in found if item["type"] == type_), {})


def extension(name: str, **catalog: Any) -> Object:
    spec = {
        "namespace": "ext",
        "serviceAccount": {"name": "installer"},
        "source": {"sourceType": "Catalog", "catalog": {"packageName": "flightticket", **catalog}},
    }
    return {
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterExtension",
        "metadata": {"name": name},
        "spec": spec,
    }


def test_the_catalog_is_served(kube: Kube) -> None:
    catalog = kube.get(f"{V1}/clustercatalogs/samples")
    assert catalog["metadata"]["labels"]["olm.operatorframework.io/metadata.name"] == "samples"
    assert catalog["status"]["urls"]["base"].endswith("/catalogs/samples")
    blobs = [json.loads(line) for line in kube.raw("GET", CONTENT.format("samples", "all")).splitlines()]
    assert {blob["schema"] for blob in blobs} == {"olm.package", "olm.channel", "olm.bundle", "olm.deprecations"}
    packages = kube.raw("GET", CONTENT.format("samples", "metas?schema=olm.package")).splitlines()
    assert {json.loads(line)["name"] for line in packages} == {
        path.parent.name for path in (ROOT / "examples" / "operators").glob("packages/*/package.json")
    }
    with pytest.raises(Refused):
        kube.raw("GET", CONTENT.format("nothing", "all"))


def test_an_image_is_not_pulled_and_that_is_said(kube: Kube) -> None:
    body = {
        "apiVersion": "olm.operatorframework.io/v1",
        "kind": "ClusterCatalog",
        "metadata": {"name": "mine"},
        "spec": {"source": {"type": "Image", "image": {"ref": "example.com/c:1"}}},
    }
    kube.create(f"{V1}/clustercatalogs", body)
    until(lambda: condition(kube, "clustercatalogs/mine", "Progressing").get("reason") == "Retrying")
    assert condition(kube, "clustercatalogs/mine", "Serving")["status"] == "False"
    kube.patch(f"{V1}/clustercatalogs/mine", {"spec": {"availabilityMode": "Unavailable"}})
    until(
        lambda: condition(kube, "clustercatalogs/mine", "Serving")["reason"] == "UserSpecifiedUnavailable", seconds=40
    )
    kube.raw("DELETE", f"{V1}/clustercatalogs/mine")


def test_the_schema_refuses_what_upstreams_does(kube: Kube) -> None:
    for bad in ({"sourceType": "Catalog"}, {"sourceType": "Magic"}):
        body = extension("bad")
        body["spec"]["source"] = bad
        with pytest.raises(Refused):
            kube.create(f"{V1}/clusterextensions", body)


def test_installed_with_its_accounts_rights_upgraded_and_deleted(kube: Kube) -> None:
    place = "clusterextensions/flight"

    def message() -> str:
        return str(condition(kube, place, "Progressing").get("message", ""))

    def version() -> str:
        return str(kube.get(f"{V1}/{place}").get("status", {}).get("install", {}).get("bundle", {}).get("version", ""))

    def ask(**catalog: Any) -> None:
        kube.patch(f"{V1}/{place}", {"spec": {"source": {"catalog": catalog}}})

    kube.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ext"}})
    kube.create(f"{V1}/clusterextensions", extension("flight", version="1.0.0"))
    until(lambda: 'service account "installer" not found in namespace "ext"' in message())
    assert condition(kube, place, "Installed")["status"] == "Unknown"

    kube.create(
        "/api/v1/namespaces/ext/serviceaccounts",
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "installer"}},
    )
    until(lambda: "pre-authorization failed" in message())
    assert "customresourcedefinitions" in message()
    assert not kube.exists(CRD)

    binding = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRoleBinding",
        "metadata": {"name": "ext-installer"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"kind": "ServiceAccount", "name": "installer", "namespace": "ext"}],
    }
    kube.create(f"{RBAC}/clusterrolebindings", binding)
    until(lambda: version() == "1.0.0")
    assert condition(kube, place, "Installed")["message"].startswith(
        "Installed bundle operator-console.dev/bundles/flightticket:1.0.0"
    )
    assert condition(kube, place, "BundleDeprecated")["status"] == "True"
    made = kube.get(CRD)
    assert made["metadata"]["labels"]["olm.operatorframework.io/owner-name"] == "flight"

    ask(version=">=1.0.0, <2")
    until(lambda: version() == "1.1.0")
    assert condition(kube, place, "BundleDeprecated")["status"] == "False"
    ask(version="1.0.0")
    until(lambda: "error upgrading from currently installed version" in message())
    ask(version="2.0.0")
    until(lambda: 'validating upgrade for CRD "flighttickets.flights.com"' in message())
    assert version() == "1.1.0"
    kube.patch(f"{V1}/{place}", {"spec": {"install": {"preflight": {"crdUpgradeSafety": {"enforcement": "None"}}}}})
    until(lambda: version() == "2.0.0")
    with pytest.raises(Refused):
        ask(packageName="sampledb")

    kube.raw("DELETE", f"{V1}/{place}")
    until(
        lambda: (
            not kube.exists(CRD) and not kube.exists("/apis/apps/v1/namespaces/ext/deployments/flightticket-operator")
        ),
        seconds=40,
    )
