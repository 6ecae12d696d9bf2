"""OLM: taking an operator away, as a whole and in parts"""

import pytest

from .observations import Seen
from .olm import CRDS, GROUP, Olm, condition

PACKAGE, CSV = "conformance-jugs", "conformance-jugs.v1.0.0"
RBAC = "rbac.authorization.k8s.io/v1"


@pytest.fixture
def home(olm: Olm) -> Olm:
    """A namespace with the operator."""
    assert olm.group().status == 201
    assert olm.subscribe(PACKAGE).status == 201
    olm.csv(CSV, "Succeeded")
    return olm


def test_subscription_then_csv(seen: Seen, home: Olm) -> None:
    """Without its Subscription an operator keeps running; without its CSV too, only the CRD is left"""
    seen("delete", home.api.delete(home.path("subscriptions", PACKAGE)), only=["kind", "status", "details.name"])
    assert home.api.get(home.path("subscriptions", PACKAGE)).status == 404
    # The plan belonged to the Subscription.
    home.api.until(home.path("installplans"), lambda found: not found["items"])
    seen.value("csv", home.csv(CSV, "Succeeded")["status"], only=["phase", "reason"])
    assert home.api.get(home.core("deployments", "jugs-operator", "apps/v1")).status == 200
    home.api.delete(home.path("clusterserviceversions", CSV))
    home.api.until_gone(home.path("clusterserviceversions", CSV))
    home.api.until_gone(home.core("deployments", "jugs-operator", "apps/v1"))
    assert home.api.get(f"{CRDS}/jugs.{GROUP}").status == 200
    group = home.api.until(
        home.path("operatorgroups", "group"),
        lambda item: not (item["metadata"].get("annotations") or {}).get("olm.providedAPIs"),
    )
    seen.value("annotations of the group", group["metadata"].get("annotations"))


@pytest.mark.timeout(400)
def test_csv_only(seen: Seen, home: Olm) -> None:
    """Without its CSV an operator's Deployment, account and rights go; the CRD stays, and so does the Subscription"""
    home.settled(PACKAGE, CSV)
    home.plan(PACKAGE, "Complete")  # until then OLM makes again what goes
    query = f"labelSelector=olm.owner={CSV},olm.owner.namespace={home.namespace}"
    seen("delete", home.api.delete(home.path("clusterserviceversions", CSV)), only=["kind", "metadata.name"])
    home.api.until_gone(home.path("clusterserviceversions", CSV))
    home.api.until_gone(home.core("deployments", "jugs-operator", "apps/v1"))
    home.api.until_gone(home.core("serviceaccounts", "jugs-operator"))
    home.api.until_gone(home.path("operatorconditions", CSV))
    for path in (home.core("roles", group=RBAC), home.core("rolebindings", group=RBAC)):
        home.api.until(path, lambda found: not found["items"], 90)
    for plural in ("clusterroles", "clusterrolebindings"):
        home.api.until(f"/apis/{RBAC}/{plural}?{query}", lambda found: not found["items"])
    assert home.api.get(f"{CRDS}/jugs.{GROUP}").status == 200
    # What OLM then says in the Subscription's status depends on its last resolution, which may be minutes
    # ago.
    assert home.api.get(home.path("subscriptions", PACKAGE)).status == 200


def test_install_plan_only(seen: Seen, home: Olm) -> None:
    """A plan that is done may be deleted: the Subscription misses it and nothing else happens"""
    home.settled(PACKAGE, CSV)
    plan = home.plan(PACKAGE, "Complete")
    seen.alias("install", plan["metadata"]["name"])
    home.api.delete(home.path("installplans", plan["metadata"]["name"]))
    found = home.subscription(PACKAGE, lambda status: condition(status, "InstallPlanMissing"))
    seen.value("condition", condition(found["status"], "InstallPlanMissing"))
    seen.value("status", found["status"], only=["state", "currentCSV", "installedCSV", "installPlanRef.name"])


def test_namespace(home: Olm) -> None:
    """A namespace with an operator can be deleted; what its operator had in the cluster goes too"""
    query = f"labelSelector=olm.owner={CSV},olm.owner.namespace={home.namespace}"
    home.api.delete(f"/api/v1/namespaces/{home.namespace}")
    home.api.until_gone(f"/api/v1/namespaces/{home.namespace}")
    for plural in ("clusterroles", "clusterrolebindings"):
        home.api.until(f"/apis/{RBAC}/{plural}?{query}", lambda found: not found["items"])
