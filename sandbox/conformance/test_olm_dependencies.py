"""OLM: what an operator brings along"""

from .observations import Seen
from .olm import Olm

POTS = "conformance-pots"


def test_a_required_kind(seen: Seen, olm: Olm) -> None:
    """An operator that requires a kind brings its provider, in one plan, with a Subscription of its own"""
    olm.group()
    olm.subscribe("conformance-cups")
    plan = olm.plan("conformance-cups", "Complete")
    seen.alias("install", plan["metadata"]["name"])
    seen.value("csvs", sorted(plan["spec"]["clusterServiceVersionNames"]))
    kinds = [
        f"{step['resolving']}: {step['resource']['kind']} {step['resource']['name']}" for step in plan["status"]["plan"]
    ]
    seen.value("steps", sorted(kinds))
    (provider,) = set(plan["spec"]["clusterServiceVersionNames"]) - {"conformance-cups.v1.0.0"}
    olm.csv(provider, "Succeeded")
    olm.csv("conformance-cups.v1.0.0", "Succeeded")
    items = olm.api.get(olm.path("subscriptions")).json["items"]
    (name,) = {item["metadata"]["name"] for item in items} - {"conformance-cups"}
    made = olm.settled(name, provider)
    seen.value("its Subscription", made, only=["metadata.name", "metadata.annotations", "spec"])
    status = ["state", "installedCSV", "installPlanRef.name", "installPlanGeneration"]
    seen.value("its status", made["status"], only=status)


def test_a_required_package(seen: Seen, olm: Olm) -> None:
    """An operator that requires a package in a range brings the newest of that range"""
    olm.group()
    olm.subscribe("conformance-trays")
    plan = olm.plan("conformance-trays", "Complete")
    seen.value("csvs", sorted(plan["spec"]["clusterServiceVersionNames"]))
    found = olm.api.get(olm.path("subscriptions")).json["items"]
    specs = [item["spec"] for item in found if item["spec"]["name"] == POTS]
    seen.value("its Subscription", specs)


def test_a_dependency_that_is_there(seen: Seen, olm: Olm) -> None:
    """What is installed already is not brought again"""
    olm.group()
    olm.install(POTS, f"{POTS}.v1.2.0")
    olm.subscribe("conformance-cups")
    plan = olm.plan("conformance-cups", "Complete", "conformance-cups.v1.0.0")
    seen.value("csvs", plan["spec"]["clusterServiceVersionNames"])
