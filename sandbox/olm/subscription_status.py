"""A Subscription's status, from the objects in its namespace. Pure functions.

Source of states, conditions and reasons: operator-lifecycle-manager, pkg/controller/operators/catalog/subscription and
operator-framework/api, subscription_types.go.
"""

from __future__ import annotations

from typing import Any

from ..objects import decode
from ..store import Key, Store, StoreChange, StoreEntry
from .names import CSVS, INSTALL_PLANS, SUBSCRIPTIONS, now

Object = dict[str, Any]

#: Conditions about the InstallPlan, of which at most one is set.
ABOUT_PLAN = ("InstallPlanMissing", "InstallPlanPending", "InstallPlanFailed")
GENERATED_BY = "olm.generated-by"


def followed(entry: StoreEntry) -> set[tuple[str, str]]:
    """(resource, name) of the CSVs and InstallPlans in a Subscription's status; an index
    (sandbox/store.py).
    """
    subscription = decode(entry.data)
    status = subscription.get("status") or {}
    plan = (status.get("installPlanRef") or {}).get("name")
    made_by = (subscription["metadata"].get("annotations") or {}).get(GENERATED_BY)
    found = [(CSVS, status.get("currentCSV")), (CSVS, status.get("installedCSV"))]
    found += [(INSTALL_PLANS, plan), (INSTALL_PLANS, made_by)]
    return {(resource, name) for resource, name in found if name}


def followers(store: Store, change: StoreChange) -> list[Key]:
    """The Subscriptions, by namespace and name, that a change concerns: itself, or those that follow the CSV or
    InstallPlan.
    """
    entry = change.entry
    if change.resource == SUBSCRIPTIONS:
        return [entry.key]
    found = store.indexed(SUBSCRIPTIONS, followed, (change.resource, entry.name), namespace=entry.namespace)
    return [subscription.key for subscription in found]


def is_pending(status: Object) -> bool:
    """Whether the Subscription waits for its InstallPlan."""
    return bool(status.get("installPlanRef")) and status.get("state") == "UpgradePending"


def observed(subscription: Object, sources: list[Object], csvs: dict[str, Object], plans: dict[str, Object]) -> Object:
    """The status as it should be; equal to the present one (but for lastUpdated) when nothing happened."""
    status = dict(subscription.get("status") or {})
    status = _catalogs(subscription, status, sources)
    status = _adopted(subscription, status, plans)
    status = _plan(status, plans)
    if current := status.get("currentCSV"):
        if current in csvs:
            status |= {"state": "AtLatestKnown", "installedCSV": current}
        else:
            # What was installed is still reported after its deletion.
            status["state"] = "UpgradePending"
    return status


def deprecated(status: Object, package: str, channel: str, described: Object) -> Object:
    """The catalog's deprecations of a package, its channel and the current CSV, as conditions.

    ``described``: a PackageManifest's status.
    A Subscription without a channel follows all of them, and gets no condition for a channel.
    """
    channels = {item["name"]: item for item in described.get("channels") or []}
    followed = [item for name, item in channels.items() if channel in ("", name)]
    entries = {entry["name"]: entry for item in followed for entry in item.get("entries") or []}
    csv = str(status.get("currentCSV") or "")
    found = []
    for type_, schema, name, about in (
        ("PackageDeprecated", "olm.package", package, described),
        ("ChannelDeprecated", "olm.channel", channel, channels.get(channel, {})),
        ("BundleDeprecated", "olm.bundle", csv, entries.get(csv, {})),
    ):
        if about.get("deprecation"):
            found.append((type_, f"{schema}/{name}: {about['deprecation']['message']}"))
    if found:
        found.append(("Deprecated", "; ".join(message for _, message in found)))
    present = [type_ for type_, _ in found]
    every = ("PackageDeprecated", "ChannelDeprecated", "BundleDeprecated", "Deprecated")
    status = without(status, *(type_ for type_ in every if type_ not in present))
    for type_, message in found:
        status = with_condition(status, type_, "True", "", message)
    return status


def pending(status: Object, csv: str, plan: Object, generation: int) -> Object:
    """The status right after an InstallPlan was made."""
    found = without(status, "ResolutionFailed")
    found |= {"currentCSV": csv, "state": "UpgradePending", "installPlanGeneration": generation, **_references(plan)}
    return found


def with_condition(status: Object, type_: str, value: str, reason: str, message: str = "") -> Object:
    """The status with a condition; its time changes only when the rest of it does."""
    fields = {"type": type_, "status": value, "reason": reason, "message": message}
    condition = {key: text for key, text in fields.items() if text}
    others = []
    for old in status.get("conditions") or []:
        if old["type"] != type_:
            others.append(old)
        elif {key: old.get(key) for key in condition} == condition:
            return status
    return {**status, "conditions": [*others, {**condition, "lastTransitionTime": now()}]}


def without(status: Object, *types: str) -> Object:
    """The status without conditions of these types."""
    remaining = [old for old in status.get("conditions") or [] if old["type"] not in types]
    if len(remaining) == len(status.get("conditions") or []):
        return dict(status)
    return {**status, "conditions": remaining}


def _references(plan: Object) -> Object:
    meta = plan["metadata"]
    reference = {
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "InstallPlan",
        "name": meta["name"],
        "namespace": meta["namespace"],
        "resourceVersion": meta.get("resourceVersion", ""),
        "uid": meta["uid"],
    }
    short = {"apiVersion": reference["apiVersion"], "kind": "InstallPlan", "name": meta["name"], "uuid": meta["uid"]}
    return {"installPlanRef": reference, "installplan": short}


def _catalogs(subscription: Object, status: Object, sources: list[Object]) -> Object:
    """catalogHealth and the condition that sums it up."""
    health, old = [], {item["catalogSourceRef"]["name"]: item for item in status.get("catalogHealth") or []}
    for source in sources:
        meta = source["metadata"]
        state = ((source.get("status") or {}).get("connectionState") or {}).get("lastObservedState", "")
        known = old.get(meta["name"])
        if known and known["healthy"] == (state == "READY"):
            health.append(known)
            continue
        reference = {
            "apiVersion": "operators.coreos.com/v1alpha1",
            "kind": "CatalogSource",
            "name": meta["name"],
            "namespace": meta["namespace"],
            "resourceVersion": meta["resourceVersion"],
            "uid": meta["uid"],
        }
        health.append({"catalogSourceRef": reference, "healthy": state == "READY", "lastUpdated": now()})
    found = {**status, "catalogHealth": health}
    spec, type_ = subscription["spec"], "CatalogSourcesUnhealthy"
    healthy = {item["catalogSourceRef"]["name"]: item["healthy"] for item in health}
    if spec["source"] not in healthy:
        message = f"targeted catalogsource {spec['sourceNamespace']}/{spec['source']} missing"
        return with_condition(found, type_, "True", "UnhealthyCatalogSourceFound", message)
    if not all(healthy.values()):
        return with_condition(found, type_, "True", "UnhealthyCatalogSourceFound")
    return with_condition(found, type_, "False", "AllCatalogSourcesHealthy", "all available catalogsources are healthy")


def _adopted(subscription: Object, status: Object, plans: dict[str, Object]) -> Object:
    """A Subscription that an InstallPlan made knows that plan from its annotation."""
    name = (subscription["metadata"].get("annotations") or {}).get(GENERATED_BY)
    if not name or status.get("installPlanRef") or name not in plans:
        return status
    csv = subscription["spec"].get("startingCSV", "")
    return {**status, "currentCSV": csv, "state": "UpgradePending", **_references(plans[name])}


def _plan(status: Object, plans: dict[str, Object]) -> Object:
    """The condition about the InstallPlan that is referred to."""
    reference = status.get("installPlanRef")
    if not reference:
        return status
    plan = plans.get(reference["name"])
    if plan is None:
        if status.get("state") == "UpgradePending":
            found = without(status, *ABOUT_PLAN)
            return {
                key: value
                for key, value in found.items()
                if key not in ("installPlanRef", "installplan", "currentCSV", "state")
            }
        found = without(status, "InstallPlanPending", "InstallPlanFailed")
        return with_condition(found, "InstallPlanMissing", "True", "ReferencedInstallPlanNotFound")
    state = plan.get("status") or {}
    phase = state.get("phase", "")
    if phase == "Complete":
        return without(status, *ABOUT_PLAN)
    if phase == "Failed":
        found = without(status, "InstallPlanMissing", "InstallPlanPending")
        reasons = [
            condition["reason"]
            for condition in state.get("conditions") or []
            if condition["type"] == "Installed" and condition.get("reason")
        ]
        reason = reasons[0] if reasons else "InstallPlanFailed"
        return with_condition(found, "InstallPlanFailed", "True", reason, state.get("message", ""))
    found = without(status, "InstallPlanMissing", "InstallPlanFailed")
    return with_condition(
        found, "InstallPlanPending", "True", phase or "InstallPlanNotYetReconciled", state.get("message", "")
    )
