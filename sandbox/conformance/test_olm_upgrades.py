"""OLM: upgrades, along replaces and skips"""

import json

from .observations import Seen
from .olm import Olm

PACKAGE, SAUCERS = "conformance-pots", "conformance-saucers"
V1, V2, V3 = (f"{PACKAGE}.v1.{number}.0" for number in range(3))
MANUAL = {"installPlanApproval": "Manual"}


def waiting(olm: Olm, seen: Seen, word: str, csv: str) -> dict:
    """The plan for this CSV as it waits for its approval."""
    plan = olm.plan(PACKAGE, "RequiresApproval", csv)
    seen.alias(word, plan["metadata"]["name"])
    return plan


def names(plan: dict) -> list[str]:
    """The CSVs of a plan."""
    found: list[str] = plan["spec"]["clusterServiceVersionNames"]
    return found


def test_step_by_step(seen: Seen, olm: Olm) -> None:
    """From a startingCSV, a Subscription goes up its channel one version at a time, each plan with an approval of
    its own
    """
    olm.group()
    olm.subscribe(PACKAGE, startingCSV=V1, **MANUAL)
    for number, csv in enumerate((V1, V2, V3)):
        plan = waiting(olm, seen, f"plan {number}", csv)
        assert names(plan) == [csv]
        seen.value(f"generation of plan {number}", plan["spec"]["generation"])
        if number:
            status = olm.subscription(PACKAGE, lambda status: status.get("state") == "UpgradePending")["status"]
            seen.value(f"subscription before {number}", status, only=["state", "currentCSV", "installedCSV"])
        manifest = json.loads(plan["status"]["plan"][0]["resource"]["manifest"])
        seen.value(f"replaces {number}", manifest["spec"].get("replaces"))
        if number == 1:
            seen.value("phases of the one that is replaced", phases_until_gone(olm, V1, plan["metadata"]["name"]))
        else:
            olm.approve(plan["metadata"]["name"])
        found = olm.csv(csv, "Succeeded")
        assert found["spec"].get("replaces") == (None, V1, V2)[number]
    olm.api.until_gone(olm.path("clusterserviceversions", V2))
    seen.value("spec", olm.settled(PACKAGE, V3)["spec"])
    seen.value("image", image(olm))


def phases_until_gone(olm: Olm, csv: str, plan: str) -> list[str]:
    """Approves a plan; phase, reason and message of the CSV that it replaces, as they follow each other."""
    found: list[str] = []
    query = f"watch=1&fieldSelector=metadata.name%3D{csv}"
    with olm.api.watch(f"{olm.path('clusterserviceversions')}?{query}") as watch:
        olm.approve(plan)
        for event in watch:
            status = event["object"]["status"]
            if event["type"] == "DELETED":
                return found
            line = f"{status['phase']}, {status['reason']}: {status['message']}"
            if line not in found:
                found.append(line)
    raise AssertionError(found)


def image(olm: Olm) -> str:
    """Of the operator's Deployment."""
    deployment = olm.api.get(olm.core("deployments", "pots-operator", "apps/v1")).json
    assert deployment["metadata"]["labels"]["olm.owner"] == V3
    found: str = deployment["spec"]["template"]["spec"]["containers"][0]["image"]
    return found


def test_skips(seen: Seen, olm: Olm) -> None:
    """Automatic approval leads from a startingCSV to the channel's head, past the versions that are skipped"""
    olm.group()
    olm.subscribe(PACKAGE, "fast", startingCSV=V1)
    found = olm.csv(V3, "Succeeded")
    seen.value("replaces", found["spec"]["replaces"])
    olm.api.until_gone(olm.path("clusterserviceversions", V1))
    status = olm.settled(PACKAGE, V3)["status"]
    seen.value("subscription", status, only=["state", "currentCSV", "installedCSV", "installPlanGeneration"])
    plans = olm.api.get(olm.path("installplans")).json["items"]
    seen.value("plans", [names(plan) for plan in sorted(plans, key=lambda plan: plan["spec"]["generation"])])


def test_without_a_channel(seen: Seen, olm: Olm) -> None:
    """A Subscription without a channel begins with the default channel's head, and upgrades to what replaces it in any
    channel
    """
    olm.group()
    olm.subscribe(SAUCERS, "", **MANUAL)
    for number in (1, 2, 3):
        csv = f"{SAUCERS}.v{number}.0.0"
        plan = olm.plan(SAUCERS, "RequiresApproval", csv)
        assert names(plan) == [csv]
        olm.approve(plan["metadata"]["name"])
        seen.value(f"replaces {number}", olm.csv(csv, "Succeeded")["spec"].get("replaces"))
    seen.value("spec", olm.settled(SAUCERS, csv)["spec"])


def test_a_starting_csv_of_any_channel(seen: Seen, olm: Olm) -> None:
    """Without a channel a startingCSV may be in any of them; of the ways on from there the default channel's is the
    first
    """
    olm.group()
    olm.subscribe(PACKAGE, "", startingCSV=V1, **MANUAL)
    for csv in (V1, V2):
        plan = olm.plan(PACKAGE, "RequiresApproval", csv)
        seen.value(f"plan for {csv}", names(plan))
        olm.approve(plan["metadata"]["name"])
        olm.csv(csv, "Succeeded")
