"""Carries out InstallPlans: each step creates one object, and says so in the plan.

A step that is refused is tried again for a minute, then the plan has failed; the sentence is the API server's.
Source of phases and messages: operator-lifecycle-manager, pkg/controller/operators/catalog/operator.go.
"""

from __future__ import annotations

import asyncio
import copy
import json
import logging
import time
from typing import Any

from ..cluster import Cluster
from ..context import Context
from ..errors import AlreadyExists, ApiError, NotFound
from ..rbac import Authorizer
from .attenuation import Attenuated
from .crd_upgrade import refusal
from .csv import owner_reference
from .digests import fnv
from .names import CRDS, CSVS, INSTALL_PLANS, PACE, now
from .steps import ORDER
from .subscription_status import GENERATED_BY
from .workqueue import Workqueue

Object = dict[str, Any]

log = logging.getLogger("sandbox.olm.installplans")

#: Seconds for which a refused step is tried again, and between two tries.
RETRY_FOR, RETRY_EVERY = 60.0, 2.0
#: Plans with larger manifests (bytes) are written once for each group of steps, not after each one.
LARGE = 300_000
DONE = ("Created", "Present")
#: On a CRD: a CSV that brought it, under the digest of its name.
ALONGSIDE = "operatorframework.io/installed-alongside-"


class StepRefused(Exception):
    """A step can not be carried out now; the message says which object and why."""


class Execution:
    """One run through one plan."""

    def __init__(self, cluster: Cluster, plan: Object, account: Attenuated):
        self._cluster = cluster
        self._account = account
        self._namespace: str = plan["metadata"]["namespace"]
        self._name: str = plan["metadata"]["name"]
        self._status: Object = plan["status"]
        self._pause = PACE / 2 if len(json.dumps(self._status)) < LARGE else 0.0

    async def run(self) -> None:
        """Every step that is not done yet. Raises StepRefused at the first that can not be."""
        steps = self._status["plan"]
        kind = ""
        for step in steps:
            if step["status"] in DONE:
                continue
            if self._pause or (kind in ORDER and step["resource"]["kind"] != kind):
                self.write()
            # Also without a pause: a CRD takes up to half a second of CPU, and requests are answered between two of
            # them.
            await asyncio.sleep(max(self._pause, 0.01))
            kind = step["resource"]["kind"]
            obj = manifest(step["resource"])
            try:
                self._account.check(obj)
                step["status"] = await self._carry_out(kind, obj, step)
            except ApiError as error:
                self.write()
                name, word = step["resource"]["name"], {"ClusterServiceVersion": "csv"}.get(kind, kind)
                raise StepRefused(f"error creating {word} {name}: {error}") from error

    def write(self, **changes: Any) -> None:
        """Writes the plan's status."""
        self._status |= changes
        self._cluster.patch(INSTALL_PLANS, self._name, {"status": self._status}, self._namespace, "status")

    async def _carry_out(self, kind: str, obj: Object, step: Object) -> str:
        if kind == "CustomResourceDefinition":
            return await self._crd(obj, step["resolving"])
        if kind == "ClusterServiceVersion":
            obj["metadata"].setdefault("labels", {})["olm.managed"] = "true"
            return self._create(CSVS, obj)
        resource = self._cluster.resource_for(obj["apiVersion"], obj["kind"])
        if resource is None:
            group, _, version = obj["apiVersion"].rpartition("/")
            raise StepRefused(
                f"api-server resource not found installing {kind} {step['resource']['name']}: GroupVersionKind"
                f" {group}/{version}, Kind={kind} not found on the cluster. This API may have been deprecated and"
                " removed, see https://kubernetes.io/docs/reference/using-api/deprecation-guide/ for more information."
            )
        if obj["kind"] == "Subscription":
            obj["metadata"].setdefault("annotations", {})[GENERATED_BY] = self._name
            return self._create(resource.key, obj)
        if resource.namespaced:
            obj["metadata"]["namespace"] = self._namespace
            self._own(obj, step["resolving"])
        else:
            obj["metadata"].pop("namespace", None)
        obj["metadata"].setdefault("labels", {})["olm.managed"] = "true"
        return self._create(resource.key, obj)

    def _own(self, obj: Object, csv_name: str) -> None:
        """Adds the CSV's ownerReference to namespaced objects, so that they are deleted with it."""
        try:
            csv = self._cluster.get(CSVS, csv_name, self._namespace)
        except NotFound:
            return
        obj["metadata"]["ownerReferences"] = [owner_reference(csv)]

    def _create(self, resource: str, obj: Object) -> str:
        try:
            self._cluster.create(resource, obj)
        except AlreadyExists:
            self._cluster.apply(resource, obj)
            return "Present"
        return "Created"

    async def _crd(self, obj: Object, csv: str) -> str:
        """Creates a CRD or brings it up to date, and waits until its kind is served.

        An annotation tells for which CSV.
        """
        obj["metadata"].setdefault("labels", {})["olm.managed"] = "true"
        whose = f"{self._namespace}/{csv}"
        obj["metadata"].setdefault("annotations", {})[f"{ALONGSIDE}{fnv(whose):x}"] = whose
        wanted, name, outcome = copy.deepcopy(obj), obj["metadata"]["name"], "Created"
        # No operator serves webhooks here, so a conversion webhook would make every other version unreadable.
        obj["spec"]["conversion"] = {"strategy": "None"}
        try:
            self._cluster.create(CRDS, obj)
        except AlreadyExists:
            present = self._cluster.get(CRDS, name)
            if why := refusal(self._cluster, present, wanted):
                raise StepRefused(why) from None
            present["spec"] = obj["spec"]
            present["metadata"]["annotations"] = {
                **(present["metadata"].get("annotations") or {}),
                **obj["metadata"]["annotations"],
            }
            self._cluster.update(CRDS, present)
            outcome = "Present"
        for _ in range(200):
            conditions = (self._cluster.get(CRDS, name).get("status") or {}).get("conditions") or []
            if any(condition["type"] == "Established" and condition["status"] == "True" for condition in conditions):
                return outcome
            await asyncio.sleep(0.05)
        raise StepRefused(f"CustomResourceDefinition {name} was created, but its kind is not served")


def manifest(resource: Object) -> Object:
    """The object of a step; only the step gives the kind of those that OLM makes itself."""
    obj: Object = json.loads(resource["manifest"])
    kind = "Secret" if resource["kind"] == "BundleSecret" else resource["kind"]
    api = f"{resource['group']}/{resource['version']}" if resource["group"] else resource["version"]
    return {"apiVersion": api, "kind": kind, **obj}


async def run(cluster: Cluster, context: Context) -> None:
    """Watches InstallPlans until cancelled."""
    began: dict[str, float] = {}
    authorizer = Authorizer(cluster.verbs.store)

    async def reconcile(namespace: str, name: str) -> None:
        try:
            plan = cluster.get(INSTALL_PLANS, name, namespace)
        except NotFound:
            return
        phase = (plan.get("status") or {}).get("phase")
        if phase == "RequiresApproval" and plan["spec"].get("approved"):
            cluster.patch(
                INSTALL_PLANS, name, {"status": {"phase": "Installing", "message": None}}, namespace, "status"
            )
        elif phase == "Installing":
            await install(plan)

    async def install(plan: Object) -> None:
        meta = plan["metadata"]
        plan["status"].setdefault("startTime", now())
        account = Attenuated(cluster, authorizer, meta["namespace"])
        if reference := account.reference():
            plan["status"]["attenuatedServiceAccountRef"] = reference
        execution = Execution(cluster, plan, account)
        start = began.setdefault(meta["uid"], time.monotonic())
        try:
            await execution.run()
        except StepRefused as refused:
            if time.monotonic() - start < RETRY_FOR:
                execution.write(message=f"retrying execution due to error: {refused}")
                queue.add(meta["namespace"], meta["name"], after=RETRY_EVERY)
            else:
                execution.write(phase="Failed", message=str(refused), conditions=[_condition("False", str(refused))])
        else:
            execution.write(phase="Complete", message=None, conditions=[_condition("True")])
            began.pop(meta["uid"], None)

    queue = Workqueue("installplan", reconcile)
    try:
        async for event in cluster.watch(INSTALL_PLANS):
            meta, status = event.object["metadata"], event.object.get("status") or {}
            # While a plan is being carried out its own writes come by here; only a new or an approved one is news.
            fresh = status.get("phase") == "Installing" and not status.get("startTime") and not status.get("message")
            approved = status.get("phase") == "RequiresApproval" and event.object["spec"].get("approved")
            if event.type != "DELETED" and (fresh or approved or event.type == "ADDED"):
                queue.add(meta["namespace"], meta["name"])
    finally:
        await queue.close()


def _condition(value: str, message: str = "") -> Object:
    moment = now()
    found = {"type": "Installed", "status": value, "lastUpdateTime": moment, "lastTransitionTime": moment}
    return found if value == "True" else {**found, "reason": "InstallComponentFailed", "message": message}
