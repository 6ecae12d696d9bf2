"""OLM: an install, from the Subscription to the running operator, and everything that it makes"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.api import Api
from tests.kubectl import Kubectl

from .observations import Seen
from .olm import CRDS, GROUP, Olm, history, owner

PACKAGE, CSV = "conformance-kettles", "conformance-kettles.v1.0.0"
RBAC = "rbac.authorization.k8s.io/v1"
CRD = f"{CRDS}/kettles.{GROUP}"
USERS = {"admin": 0, "edit": 1, "view": 2}


@pytest.fixture(scope="module")
def installed(api: Api, catalog: str) -> Iterator[Olm]:
    """A namespace with the operator, just installed; its CRD is new."""
    api.delete(CRD)
    api.until_gone(CRD)
    home = Olm(api, f"conformance-{uuid4().hex[:8]}", catalog)
    assert api.post("/api/v1/namespaces", {"metadata": {"name": home.namespace}}).status == 201
    assert home.group().status == 201
    home.install(PACKAGE, CSV)
    home.adopted(PACKAGE)
    yield home
    api.delete(f"/api/v1/namespaces/{home.namespace}")
    api.delete(CRD)


@pytest.fixture
def home(installed: Olm, seen: Seen) -> Olm:
    """The same, with the names of its InstallPlan and of its ClusterRole as placeholders."""
    installed.known_to(seen)
    plan = installed.plan(PACKAGE, "Complete")
    seen.alias("install", plan["metadata"]["name"])
    role = next(
        step["resource"]["name"] for step in plan["status"]["plan"] if step["resource"]["kind"] == "ClusterRole"
    )
    seen.alias("cluster role", role)
    return installed


def test_subscription(seen: Seen, home: Olm) -> None:
    """A Subscription ends AtLatestKnown, with its CSV, its InstallPlan and the health of its catalogs"""
    found = home.settled(PACKAGE, CSV)
    seen.value("spec", found["spec"])
    seen.value("labels", found["metadata"]["labels"])
    status = found["status"]
    mine = [health for health in status.pop("catalogHealth") if health["catalogSourceRef"]["name"] == home.catalog]
    seen.value("health of its catalog", mine)
    seen.value("status", status)


def test_install_plan(seen: Seen, home: Olm) -> None:
    """An InstallPlan names its CSVs and belongs to the Subscription; when done it is Complete and Installed"""
    found = home.plan(PACKAGE, "Complete")
    seen.value("metadata", found["metadata"], without=["managedFields"])
    seen.value("spec", found["spec"])
    seen.value("status", found["status"], without=["plan", "startTime"])
    assert found["status"]["startTime"]


def test_steps(seen: Seen, home: Olm) -> None:
    """The steps of a plan: the CSV, its CRDs, its account and its rights, each with its manifest"""
    steps = home.plan(PACKAGE, "Complete")["status"]["plan"]
    assert {step["status"] for step in steps} <= {"Created", "Present"}
    seen.value("steps", steps, only=["resolving", "resource.group", "resource.version", "resource.kind"])
    seen.value("where from", steps, only=["resource.name", "resource.sourceName", "resource.sourceNamespace"])
    manifests = {step["resource"]["kind"]: json.loads(step["resource"]["manifest"]) for step in steps}
    for kind in ("ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"):
        seen.value(f"manifest of the {kind}", manifests[kind], without=["metadata.labels"])
    assert manifests["ClusterServiceVersion"]["metadata"]["namespace"] == home.namespace
    seen.value("manifest of the CSV", manifests["ClusterServiceVersion"])
    assert manifests["CustomResourceDefinition"]["metadata"] == {"name": f"kettles.{GROUP}"}


def test_csv(seen: Seen, home: Olm) -> None:
    """The CSV carries its group's targets and its properties; an Event reports each phase"""
    found = home.csv(CSV, "Succeeded")
    seen.value("metadata", found["metadata"], without=["managedFields"])
    seen.value("spec", found["spec"])
    seen.value("phases", history(found))
    seen.value("status", found["status"], without=["conditions"])


def test_deployment(seen: Seen, home: Olm) -> None:
    """The Deployment belongs to the CSV, whose annotations its Pods carry, and knows its OperatorCondition"""
    found = home.api.get(home.core("deployments", "kettles-operator", "apps/v1")).json
    seen.alias("spec hash", found["metadata"]["labels"]["olm.deployment-spec-hash"])
    seen.value("metadata", found["metadata"], without=["generation"])
    seen.value("spec", found["spec"])


def test_accounts_and_roles(seen: Seen, home: Olm) -> None:
    """permissions become a Role and its binding, named after the CSV, the account and their content"""
    account = home.api.get(home.core("serviceaccounts", "kettles-operator"))
    seen("ServiceAccount", account, only=["metadata.labels", "metadata.ownerReferences"])
    for plural in ("roles", "rolebindings"):
        items = home.api.get(home.core(plural, group=RBAC)).json["items"]
        for obj in items:
            obj["metadata"].get("labels", {}).pop("olm.permissions.hash", None)
        seen.value(plural, sorted(items, key=lambda item: item["metadata"]["name"]))


def test_cluster_roles(seen: Seen, home: Olm) -> None:
    """clusterPermissions become a ClusterRole and its binding, found by the labels of their owner"""
    query = f"labelSelector=olm.owner={CSV},olm.owner.namespace={home.namespace}"
    for plural in ("clusterroles", "clusterrolebindings"):
        items = home.api.get(f"/apis/{RBAC}/{plural}?{query}").json["items"]
        for obj in items:
            assert not owner(obj)
            obj["metadata"]["labels"].pop("olm.permissions.hash")
        seen.value(plural, items)


def test_roles_of_the_group(seen: Seen, home: Olm) -> None:
    """An OperatorGroup has three ClusterRoles, which aggregate the permissions on the kinds of its operators"""
    query = f"labelSelector=olm.owner=group,olm.owner.namespace={home.namespace}"
    items = home.api.get(f"/apis/{RBAC}/clusterroles?{query}").json["items"]
    assert len(items) == 3
    for obj in items:
        assert len(obj["metadata"]["name"]) <= 63
        role = obj["metadata"]["name"].split(".")[3].split("-")[0]
        (selector,) = obj["aggregationRule"]["clusterRoleSelectors"]
        (key,) = selector["matchLabels"]
        assert key.startswith("olm.opgroup.permissions/aggregate-to-") and key.endswith(f"-{role}")
        seen.value(f"rules of {role}", obj["rules"])
        seen.value(f"labels of {role}", obj["metadata"]["labels"])


@pytest.mark.parametrize("role", ["admin", "edit", "view", "crdview"])
def test_rights_for_users(seen: Seen, home: Olm, role: str) -> None:
    """Each owned kind has ClusterRoles that add it to admin, edit and view"""
    found = home.api.until(f"/apis/{RBAC}/clusterroles/kettles.{GROUP}-v1-{role}", bool)
    labels = found["metadata"]["labels"]
    mine = {
        "olm.opgroup" if key.startswith("olm.opgroup.permissions/aggregate-to-") else key: value
        for key, value in labels.items()
    }
    seen.value("labels", mine)
    seen.value("rules", found["rules"])
    seen.value("owners", owner(found))


def test_operator_group(seen: Seen, home: Olm) -> None:
    """The OperatorGroup says in an annotation which kinds its operators provide"""
    found = home.api.until(
        home.path("operatorgroups", "group"),
        lambda item: item["metadata"].get("annotations", {}).get("olm.providedAPIs"),
    )
    seen.value("group", found)


def test_operator_condition(seen: Seen, home: Olm) -> None:
    """The OperatorCondition of a CSV names its Deployments and accounts"""
    found = home.api.get(home.path("operatorconditions", CSV))
    seen("operator condition", found)


def test_operator_object(seen: Seen, home: Olm) -> None:
    """The Operator of a package and namespace refers to every component of it"""
    components = home.adopted(PACKAGE)["status"]["components"]
    seen.value("label selector", components["labelSelector"])
    refs = sorted(components["refs"], key=lambda ref: (ref["kind"], ref["name"]))
    seen.value("kinds", sorted({f"{ref['apiVersion']} {ref['kind']}" for ref in refs}))
    csv = next(ref for ref in refs if ref["kind"] == "ClusterServiceVersion")
    seen.value("reference to the CSV", {**csv, "conditions": [condition["type"] for condition in csv["conditions"]]})


def test_custom_resource_definition(seen: Seen, home: Olm) -> None:
    """The CRD has no owner; labels show that OLM installed it, and for which package"""
    found = home.api.until(CRD, lambda crd: len(crd["metadata"].get("labels", {})) > 1)
    assert not owner(found)
    labels = found["metadata"]["labels"]
    assert labels.get(f"operators.coreos.com/{PACKAGE}.{home.namespace}") == ""
    seen.value("olm.managed", labels.get("olm.managed"))
    alongside = found["metadata"].get("annotations") or {}
    seen.value("installed alongside", sorted(alongside.values()))
    assert all(key.startswith("operatorframework.io/installed-alongside-") for key in alongside)


def test_tables(seen: Seen, home: Olm, kubeconfig: Path, tmp_path: Path) -> None:
    """kubectl shows OLM's objects in columns of their own"""
    program = shutil.which("kubectl")
    if program is None:
        pytest.skip("needs kubectl on PATH")
    k = Kubectl(program, kubeconfig, home.namespace, tmp_path)
    for kind in ("subscriptions", "installplans", "clusterserviceversions", "operatorgroups", "operatorconditions"):
        seen.text(kind, k("get", f"{kind}.operators.coreos.com"))


def test_events(seen: Seen, home: Olm) -> None:
    """Each phase of the CSV is an Event of it"""
    query = f"fieldSelector=involvedObject.name={CSV},involvedObject.kind=ClusterServiceVersion"
    items = home.api.get(f"{home.core('events')}?{query}").json["items"]
    passing = ("RequirementsNotMet", "InstallWaiting")
    found = {f"{item['type']} {item['reason']}: {item['message']}" for item in items if item["reason"] not in passing}
    seen.value("events", sorted(found))
    (first,) = [item for item in items if item["reason"] == "RequirementsUnknown"]
    first["metadata"].pop("name")
    seen.value("one of them", first)
