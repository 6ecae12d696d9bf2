"""OLM: plans that wait for an approval, and Subscriptions that change channels"""

from .observations import Seen
from .olm import Olm, condition

PACKAGE = "conformance-pots"
V1, V3 = f"{PACKAGE}.v1.0.0", f"{PACKAGE}.v1.2.0"
MANUAL = {"installPlanApproval": "Manual"}


def waiting(olm: Olm, seen: Seen, word: str, csv: str) -> dict:
    """The plan for this CSV as it waits for its approval."""
    plan = olm.plan(PACKAGE, "RequiresApproval", csv)
    seen.alias(word, plan["metadata"]["name"])
    return plan


def test_a_plan_waits_for_its_approval(seen: Seen, olm: Olm) -> None:
    """With manual approval a plan waits, and the Subscription says UpgradePending"""
    olm.group()
    assert olm.subscribe(PACKAGE, **MANUAL).status == 201
    plan = waiting(olm, seen, "install", V3)
    seen.value("spec", plan["spec"])
    seen.value("status", plan["status"], without=["plan"])
    assert {step["status"] for step in plan["status"]["plan"]} == {"Unknown"}
    found = olm.subscription(
        PACKAGE,
        lambda status: condition(status, "InstallPlanPending") and condition(status, "CatalogSourcesUnhealthy"),
    )
    status = found["status"]
    seen.value("subscription", status, without=["catalogHealth", "conditions"])
    assert "installedCSV" not in status
    seen.value("pending", condition(status, "InstallPlanPending"))
    assert olm.api.get(olm.path("clusterserviceversions", V3)).status == 404


def test_approval(seen: Seen, olm: Olm) -> None:
    """An approved plan is carried out"""
    olm.group()
    olm.subscribe(PACKAGE, **MANUAL)
    plan = waiting(olm, seen, "install", V3)
    seen("approve", olm.approve(plan["metadata"]["name"]), only=["spec", "status.phase"])
    done = olm.plan(PACKAGE, "Complete")
    seen.value("status", done["status"], without=["plan"])
    olm.csv(V3, "Succeeded")
    seen.value("subscription", olm.settled(PACKAGE, V3)["status"], without=["catalogHealth"])


def test_skip_range_in_another_channel(seen: Seen, olm: Olm) -> None:
    """A Subscription that changes to a channel whose head has the installed version in its skipRange is upgraded"""
    olm.group()
    olm.install(PACKAGE, V1, channel="first")
    seen("change", olm.api.patch(olm.path("subscriptions", PACKAGE), {"spec": {"channel": "range"}}), only=["spec"])
    found = olm.csv(V3, "Succeeded")
    seen.value("replaces", found["spec"]["replaces"])
    olm.api.until_gone(olm.path("clusterserviceversions", V1))


def test_nothing_above(seen: Seen, olm: Olm) -> None:
    """A channel without the installed version has no upgrade for it, which isn't a failure"""
    olm.group()
    olm.install(PACKAGE, V3)
    olm.api.patch(olm.path("subscriptions", PACKAGE), {"spec": {"channel": "range"}})
    found = olm.subscription(PACKAGE, lambda status: not condition(status, "ResolutionFailed"))
    seen.value("status", found["status"], only=["state", "currentCSV", "installedCSV"])
