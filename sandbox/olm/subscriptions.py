"""Follows the Subscriptions of a namespace: what they should get, and how far they have come.

One pass a namespace, as in OLM: first the status of each Subscription is brought up to date, then, when none of them
waits for an InstallPlan, what is new in the catalogs is resolved into one.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from typing import Any

from ..catalog.store import CatalogStore
from ..cluster import Cluster
from ..context import Context
from ..errors import ApiError
from ..outlines import outline_of, whole
from ..store import Key, StoreChange
from . import subscription_status as status_of
from .csv import as_installed, followed, is_copy, outline, phase, targets
from .installplan import new_plan
from .names import (
    CATALOG_SOURCES,
    CSVS,
    GLOBAL_CATALOGS,
    INSTALL_PLANS,
    OPERATOR_GROUPS,
    PACE,
    SUBSCRIPTIONS,
    now,
    store_path,
)
from .resolution import Installed, Request, Resolution, SelectedBundle, Unsatisfiable
from .steps import UnreadableBundle, steps
from .workqueue import Workqueue

Object = dict[str, Any]

log = logging.getLogger("sandbox.olm.subscriptions")


#: InstallPlans that are kept in a namespace.
KEPT_PLANS = 5


def plan_outline(plan: Object) -> Object:
    """An InstallPlan without its manifests: they can be megabytes."""
    status = plan.get("status") or {}
    outlined_status = {key: value for key, value in status.items() if key not in ("plan", "bundleLookups")}
    return {**plan, "status": outlined_status}


class Namespace:
    """One pass over one namespace."""

    def __init__(self, cluster: Cluster, store: CatalogStore, name: str):
        self._cluster = cluster
        self._store = store
        self.name = name
        self.sources = cluster.list(CATALOG_SOURCES, GLOBAL_CATALOGS)
        if name != GLOBAL_CATALOGS:
            self.sources += cluster.list(CATALOG_SOURCES, name)
        # Copies: write() gives them a new status.
        self.subscriptions = [
            {**subscription}
            for subscription in cluster.outlines(SUBSCRIPTIONS, whole, name)
            if not subscription["metadata"].get("deletionTimestamp")
        ]
        self.csvs = {csv["metadata"]["name"]: csv for csv in cluster.outlines(CSVS, outline, name) if not is_copy(csv)}
        self.plans = {plan["metadata"]["name"]: plan for plan in cluster.outlines(INSTALL_PLANS, plan_outline, name)}

    def publish(self, names: set[str]) -> bool:
        """Writes the status of these Subscriptions; True when one of them changed (the change leads to another
        pass).
        """
        changed = False
        for subscription in self.subscriptions:
            if subscription["metadata"]["name"] not in names:
                continue
            old = subscription.get("status") or {}
            wanted = status_of.observed(subscription, self.sources, self.csvs, self.plans)
            wanted = self._with_deprecations(subscription, wanted)
            if {**wanted, "lastUpdated": ""} != {**old, "lastUpdated": ""}:
                self.write(subscription, wanted)
                changed = True
        return changed

    def _with_deprecations(self, subscription: Object, status: Object) -> Object:
        spec = subscription["spec"]
        described = self._store.deprecations(spec["source"], spec["name"])
        return status_of.deprecated(status, spec["name"], spec.get("channel", ""), described)

    def write(self, subscription: Object, status: Object) -> None:
        """Replaces a Subscription's status."""
        metadata = {key: value for key, value in subscription["metadata"].items() if key != "resourceVersion"}
        body = {**subscription, "metadata": metadata, "status": {**status, "lastUpdated": now()}}
        subscription["status"] = self._cluster.update(SUBSCRIPTIONS, body, self.name, "status")["status"]

    def waiting(self) -> bool:
        """Whether an InstallPlan is being carried out, or a catalog is still being read."""
        reading = any(_state(source) == "CONNECTING" for source in self.sources)
        pending = any(status_of.is_pending(subscription.get("status") or {}) for subscription in self.subscriptions)
        return reading or pending

    def choices(self) -> list[SelectedBundle]:
        """The bundles to install. Raises Unsatisfiable."""
        if len(self._cluster.list(OPERATOR_GROUPS, self.name)) != 1:
            return []  # its CSVs would fail; as upstream, no condition reports it here
        if broken := [source for source in self.sources if _state(source) != "READY"]:
            raise ValueError(unanswered(broken))
        ready = [source["metadata"]["name"] for source in self.sources]
        resolution = Resolution(self._store, ready, GLOBAL_CATALOGS, self._installed())
        found = resolution.resolve(filter(None, map(self._request, self.subscriptions)))
        if not found:
            self._resolved()
        return found

    def _resolved(self) -> None:
        """Removes the conditions of an earlier failure."""
        for subscription in self.subscriptions:
            old = subscription.get("status") or {}
            wanted = status_of.without(old, "ResolutionFailed")
            if wanted != old:
                self.write(subscription, wanted)

    def _installed(self) -> list[Installed]:
        subscriptions = {
            (subscription.get("status") or {}).get("installedCSV"): subscription for subscription in self.subscriptions
        }
        seen = {csv.name: csv for csv in self._cluster.outlines(CSVS, as_installed, self.name)}
        found = [
            followed(seen[name], subscriptions[name]["metadata"]["name"] if name in subscriptions else "")
            for name, csv in self.csvs.items()
            if phase(csv) != "Replacing" or self._stuck()
        ]
        # Operators of other namespaces that watch all of them serve this one too; upstream copies their CSVs for that.
        others = [
            (csv["metadata"]["name"], csv["metadata"]["namespace"])
            for csv in self._cluster.outlines(CSVS, outline)
            if csv["metadata"]["namespace"] != self.name
            and not is_copy(csv)
            and targets(csv) == [""]
            and phase(csv) == "Succeeded"
        ]
        return found + [followed(self._cluster.outline(CSVS, as_installed, *csv), "-") for csv in others]

    def _stuck(self) -> bool:
        """Whether a plan can't continue: upstream then reports a conflict of the old and the new version."""
        states = [plan.get("status") or {} for plan in self.plans.values()]
        return any(state.get("phase") in ("Installing", "Failed") and state.get("message") for state in states)

    def _request(self, subscription: Object) -> Request | None:
        """None while the installed version is not healthy: nothing replaces it then."""
        spec, status = subscription["spec"], subscription.get("status") or {}
        csv = self.csvs.get(status.get("installedCSV", ""))
        if csv is not None and phase(csv) != "Succeeded":
            return None
        return Request(
            name=subscription["metadata"]["name"],
            package=spec["name"],
            channel=spec.get("channel", ""),
            starting_csv=spec.get("startingCSV", ""),
            catalog=spec["source"],
            catalog_namespace=spec["sourceNamespace"],
            current=self._current(csv["metadata"]["name"], subscription) if csv else None,
        )

    def _current(self, csv: str, subscription: Object) -> Installed:
        found: Installed = self._cluster.outline(CSVS, as_installed, csv, self.name)
        return followed(found, subscription["metadata"]["name"])

    async def install(self, choices: list[SelectedBundle]) -> None:
        """Creates the InstallPlan and points the Subscriptions at it."""
        plan_steps = [step for choice in choices for step in await steps(choice, self.name)]
        known = [plan["spec"].get("generation", 0) for plan in self.plans.values()]
        known += [(item.get("status") or {}).get("installPlanGeneration", 0) for item in self.subscriptions]
        generation = 1 + max(known, default=0)
        manual = any(item["spec"].get("installPlanApproval") == "Manual" for item in self.subscriptions)
        body, status = new_plan(self.name, self.subscriptions, choices, plan_steps, generation, manual=manual)
        plan = self._cluster.create(INSTALL_PLANS, body, self.name)
        self._cluster.patch(INSTALL_PLANS, plan["metadata"]["name"], {"status": status}, self.name, "status")
        by_subscription = {choice.subscription: choice for choice in choices}
        for subscription in self.subscriptions:
            if choice := by_subscription.get(subscription["metadata"]["name"]):
                old = subscription.get("status") or {}
                self.write(subscription, status_of.pending(old, choice.bundle.name, plan, generation))

    def forget_old_plans(self) -> None:
        """Keeps the newest plans of a namespace, as OLM does; each can carry megabytes of manifests."""
        by_age = sorted(self.plans.values(), key=lambda plan: plan["spec"].get("generation", 0))
        for plan in by_age[:-KEPT_PLANS]:
            self._cluster.delete(INSTALL_PLANS, plan["metadata"]["name"], self.name)

    def refuse(self, reason: str, message: str) -> None:
        """Says on every Subscription why nothing can be installed."""
        for subscription in self.subscriptions:
            old = subscription.get("status") or {}
            wanted = status_of.with_condition(old, "ResolutionFailed", "True", reason, message)
            if wanted != old:
                self.write(subscription, wanted)


def unanswered(broken: list[Object]) -> str:
    """One catalog that does not answer holds up everything in the namespaces that it is for: upstream's words."""
    texts = []
    for source in broken:
        meta, status = source["metadata"], source.get("status") or {}
        where = f"{meta['namespace']}/{meta['name']}"
        address = (status.get("connectionState") or {}).get("address", "")
        why = "failed to list bundles: rpc error: code = Unavailable desc = "
        if not address:
            why = f"no registry client established for catalogsource {where}"
        elif ".svc:" in address:
            why += "name resolver error: produced zero addresses"
        else:
            why += (
                f'connection error: desc = "transport: Error while dialing: dial tcp {address}: connect: connection'
                ' refused"'
            )
        texts.append(f"error using catalogsource {where}: {why}")
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _state(source: Object) -> str:
    return str(((source.get("status") or {}).get("connectionState") or {}).get("lastObservedState", ""))


def resolution_facts(csv: Object) -> Any:
    """The fields of a CSV that resolution and the status of Subscriptions follow; an outline (sandbox/outlines.py)."""
    meta = csv["metadata"]
    state = (phase(csv), targets(csv), is_copy(csv), bool(meta.get("deletionTimestamp")))
    return meta["uid"], state, as_installed(csv)


def plan_facts(plan: Object) -> Any:
    """The same of an InstallPlan: it is written at each of its steps."""
    status = plan.get("status") or {}
    return plan["metadata"]["uid"], plan["spec"], status.get("phase"), status.get("message"), status.get("conditions")


class News:
    """Tells changes that a pass answers to from those that leave everything as it is."""

    def __init__(self, cluster: Cluster):
        self._store = cluster.verbs.store
        self._known: dict[tuple[str, Key], Any] = {}

    def tells(self, change: StoreChange) -> bool:
        """Whether this change needs a pass."""
        outline = {CSVS: resolution_facts, INSTALL_PLANS: plan_facts}.get(change.resource)
        if outline is None:
            return True
        key = (change.resource, change.entry.key)
        if change.type == "DELETED":
            self._known.pop(key, None)
            return True
        before, facts = self._known.get(key), outline_of(self._store, change.resource, change.entry, outline)
        self._known[key] = facts
        return bool(before != facts)


async def run(cluster: Cluster, context: Context) -> None:
    """Watches everything that a resolution depends on, until cancelled."""
    store = CatalogStore(store_path(context))
    #: By namespace: Subscriptions of which something has changed that their status tells.
    unpublished: defaultdict[str, set[str]] = defaultdict(set)

    async def reconcile(name: str, _: str) -> None:
        namespace = Namespace(cluster, store, name)
        names = unpublished.pop(name, set())
        try:
            changed = namespace.publish(names)
        except Exception:
            unpublished[name] |= names
            raise
        if not namespace.subscriptions or changed or namespace.waiting():
            return
        try:
            choices = namespace.choices()
            if choices:
                await namespace.install(choices)
                namespace.forget_old_plans()
        except Unsatisfiable as error:
            namespace.refuse("ConstraintsNotSatisfiable", str(error))
        except (ValueError, UnreadableBundle) as error:
            namespace.refuse("ErrorPreventedResolution", str(error))
        except ApiError as error:
            namespace.refuse("ErrorPreventedResolution", f"error ensuring InstallPlan: {error}")
            raise

    queue = Workqueue("subscription", reconcile)
    news = News(cluster)
    try:
        async for change in cluster.changes(SUBSCRIPTIONS, INSTALL_PLANS, CSVS, OPERATOR_GROUPS, CATALOG_SOURCES):
            if change.resource == CATALOG_SOURCES:
                for entry in cluster.verbs.store.scan(SUBSCRIPTIONS):
                    unpublished[entry.namespace].add(entry.name)
                    queue.add(entry.namespace)
            elif news.tells(change):
                for namespace, name in status_of.followers(cluster.verbs.store, change):
                    unpublished[namespace].add(name)
                # After a delay, so that changes that come together are resolved once, and users can follow the steps.
                queue.add(change.entry.namespace, after=PACE / 2)
    finally:
        await queue.close()
        store.close()
