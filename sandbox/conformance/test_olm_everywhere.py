"""OLM: an operator for all namespaces, and its copies in them"""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from tests.api import Api

from .observations import Seen
from .olm import CRDS, GROUP, Olm, csv_spec

PACKAGE, CSV = "conformance-clouds", "conformance-clouds.v1.0.0"
RBAC = "rbac.authorization.k8s.io/v1"


@pytest.fixture(scope="module")
def copying(api: Api, catalog: str) -> Iterator[None]:
    """The OLMConfig, so that CSVs are copied; as it was afterwards."""
    path = "/apis/operators.coreos.com/v1/olmconfigs/cluster"
    before = ((api.get(path).json.get("spec") or {}).get("features") or {}).get("disableCopiedCSVs")
    if before:
        api.patch(path, {"spec": {"features": {"disableCopiedCSVs": False}}})
    yield
    if before:
        api.patch(path, {"spec": {"features": {"disableCopiedCSVs": True}}})


@pytest.fixture(scope="module")
def installed(api: Api, catalog: str, copying: None) -> Iterator[Olm]:
    """A namespace whose operator watches all of them."""
    home = Olm(api, f"conformance-{uuid4().hex[:8]}", catalog)
    assert api.post("/api/v1/namespaces", {"metadata": {"name": home.namespace}}).status == 201
    assert home.make("operatorgroups", "everywhere", {}).status == 201
    home.install(PACKAGE, CSV)
    home.adopted(PACKAGE)
    yield home
    api.delete(home.path("subscriptions", PACKAGE))
    api.delete(home.path("clusterserviceversions", CSV))
    api.until_gone(home.path("clusterserviceversions", CSV))
    api.delete(f"/api/v1/namespaces/{home.namespace}")
    api.delete(f"{CRDS}/clouds.{GROUP}")


@pytest.fixture
def home(installed: Olm, seen: Seen) -> Olm:
    """The same, known to this test."""
    return installed.known_to(seen)


@pytest.fixture
def away(api: Api, namespace: str, home: Olm, seen: Seen) -> Olm:
    """Another namespace."""
    seen.alias("home", home.namespace)
    seen.alias("away", namespace)
    return Olm(api, namespace, home.catalog)


def test_targets(seen: Seen, home: Olm) -> None:
    """The CSV's olm.targetNamespaces is empty, which means all"""
    found = home.csv(CSV, "Succeeded")
    seen.value("annotations", found["metadata"]["annotations"], without=["operatorframework.io/properties"])
    group = home.api.get(home.path("operatorgroups", "everywhere")).json
    seen.value("group", group["status"], without=["lastUpdated"])


def test_copy(seen: Seen, home: Olm, away: Olm) -> None:
    """Every other namespace has a copy of the CSV, which says where it comes from"""
    found = away.csv(CSV, "Succeeded")
    seen.value("metadata", found["metadata"])
    seen.value("status", found["status"], without=["conditions"])
    original = home.csv(CSV, "Succeeded")
    left_out = {key for key in original["spec"] if original["spec"][key] != found["spec"].get(key)}
    seen.value("what of the spec is not copied", sorted(left_out))


def test_copy_that_is_deleted(away: Olm) -> None:
    """A deleted copy comes back"""
    first = away.csv(CSV, "Succeeded")["metadata"]["uid"]
    away.api.delete(away.path("clusterserviceversions", CSV))
    path = away.path("clusterserviceversions", CSV)
    away.api.until(path, lambda copy: copy["metadata"]["uid"] != first)


def test_new_namespace(seen: Seen, home: Olm, api: Api) -> None:
    """A namespace that is made later has its copy too"""
    name = f"conformance-{uuid4().hex[:8]}"
    seen.alias("later", name)
    api.post("/api/v1/namespaces", {"metadata": {"name": name}})
    found = Olm(api, name, home.catalog).csv(CSV, "Succeeded")
    seen.value("labels", found["metadata"]["labels"])
    api.delete(f"/api/v1/namespaces/{name}")


def test_rights_in_the_cluster(seen: Seen, home: Olm) -> None:
    """permissions become ClusterRoles too, since the operator works in every namespace"""
    query = f"labelSelector=olm.owner={CSV},olm.owner.namespace={home.namespace}"
    for plural in ("clusterroles", "clusterrolebindings", "roles"):
        items = home.api.get(f"/apis/{RBAC}/{plural}?{query}").json["items"]
        seen.value(plural, sorted((item.get("rules") or item["subjects"] for item in items), key=str))


def test_same_kind_elsewhere(seen: Seen, home: Olm, away: Olm) -> None:
    """Another operator for the same kind fails while one watches all namespaces"""
    assert away.group().status == 201
    owned = {"owned": [{"name": f"clouds.{GROUP}", "kind": "Cloud", "version": "v1"}]}
    spec = csv_spec("OwnNamespace", customresourcedefinitions=owned)
    assert away.make("clusterserviceversions", "fog.v1.0.0", spec).status == 201
    found = away.csv_because("fog.v1.0.0", "InterOperatorGroupOwnerConflict")
    seen.value("status", found["status"], only=["phase", "reason", "message"])


def test_copies_go(seen: Seen, api: Api, catalog: str, olm: Olm, copying: None) -> None:
    """When the operator goes, its copies go"""
    home = Olm(api, f"conformance-{uuid4().hex[:8]}", catalog)
    assert api.post("/api/v1/namespaces", {"metadata": {"name": home.namespace}}).status == 201
    home.make("operatorgroups", "everywhere", {})
    name = f"tea-{uuid4().hex[:6]}"
    assert home.make("clusterserviceversions", name, csv_spec("AllNamespaces")).status == 201
    home.csv(name, "Succeeded")
    copy = olm.csv(name, "Succeeded")
    seen.alias("home", home.namespace)
    seen.value("message of the copy", copy["status"]["message"])
    api.delete(home.path("clusterserviceversions", name))
    api.until_gone(olm.path("clusterserviceversions", name))
    api.delete(f"/api/v1/namespaces/{home.namespace}")
