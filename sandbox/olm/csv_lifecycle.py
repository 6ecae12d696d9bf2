"""One step in the life of a ClusterServiceVersion: Pending, InstallReady, Installing, Succeeded, and what can go wrong.

Source of phases, reasons and sentences: operator-lifecycle-manager, pkg/controller/operators/olm/operator.go
(transitionCSVState).
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

from ..catalog.manifests import provided
from ..cluster import Cluster
from ..errors import ApiError, NotFound
from ..objects import copy
from ..outlines import whole
from ..rbac import Authorizer
from . import csv as csv_of
from . import operator_conditions, rbac, user_roles
from .deployments import deployments, problem
from .events import record
from .names import CRDS, CSVS, DEPLOYMENTS, FINALIZER, OPERATOR_GROUPS, PACE, SUBSCRIPTIONS, now
from .operatorgroups import targets
from .requirements import requirement_status

Object = dict[str, Any]

#: Seconds an install may take, and seconds a Deployment may be down before the operator counts as unhealthy.
INSTALL_TIMEOUT, PATIENCE = 300.0, 15.0
#: Reasons for which a CSV has failed because of its OperatorGroup; it gets another chance when that changes.
GROUP_REASONS = (
    "UnsupportedOperatorGroup",
    "NoOperatorGroup",
    "TooManyOperatorGroups",
    "NoTargetNamespaces",
    "InterOperatorGroupOwnerConflict",
)


def subscription_config(subscription: Object) -> tuple[str, Object]:
    """The CSV that a Subscription has come to, and its settings for the Pods; an outline (sandbox/outlines.py)."""
    return (subscription.get("status") or {}).get("currentCSV", ""), subscription["spec"].get("config") or {}


class Lifecycle:
    """One pass over one CSV. ``down_since`` remembers between passes since when (monotonic) an operator is down, by
    uid.
    """

    def __init__(self, cluster: Cluster, csv: Object, down_since: dict[str, float], authorizer: Authorizer):
        self._cluster = cluster
        self._csv = csv
        self._authorizer = authorizer
        self._down_since = down_since
        self._namespace: str = csv["metadata"]["namespace"]
        self._name: str = csv["metadata"]["name"]
        self._status: Object = dict(csv.get("status") or {})

    def step(self) -> float:
        """Advances by one phase at most. Returns after how many seconds to reconcile again; 0 to wait for a change."""
        if not self._join_group():
            return 0.0
        phases = {
            "": self._begin,
            "Pending": self._check,
            "InstallReady": self._install,
            "Installing": self._wait,
            "Succeeded": self._watch_over,
            "Failed": self._recover,
            "Replacing": self._replaced,
            "Deleting": self._delete,
        }
        return phases[self._status.get("phase", "")]()

    # The OperatorGroup

    def _join_group(self) -> bool:
        """Puts the group's name and targets on the CSV; False when that has to be seen first, or when it can not be."""
        groups = self._cluster.list(OPERATOR_GROUPS, self._namespace)
        if not groups:
            self._fail("NoOperatorGroup", "csv in namespace with no operatorgroups")
            return False
        if len(groups) > 1:
            message = "csv created in namespace with multiple operatorgroups, can't pick one automatically"
            self._fail("TooManyOperatorGroups", message)
            return False
        names = targets(self._cluster, groups[0])
        if self._adopt(groups[0]["metadata"]["name"], names):
            return False
        if not names:
            self._fail("NoTargetNamespaces", "no targetNamespaces are matched operatorgroups namespace selection")
            return False
        if message := csv_of.unsupported(self._csv, names):
            self._fail("UnsupportedOperatorGroup", message)
            return False
        if self._has_rival(names):
            self._fail("InterOperatorGroupOwnerConflict", "intersecting operatorgroups provide the same apis")
            return False
        return True

    def _adopt(self, group: str, names: list[str]) -> bool:
        """Writes what OLM adds to a CSV of this group; False when nothing was missing."""
        meta = self._csv["metadata"]
        annotations: Object = {csv_of.GROUP_NAME: group, csv_of.GROUP_NAMESPACE: self._namespace}
        annotations[csv_of.TARGETS] = ",".join(names) if names else None
        present, finalizers = meta.get("annotations") or {}, meta.get("finalizers") or []
        spec = csv_of.as_typed(self._csv["spec"])
        same = all(present.get(key) == value for key, value in annotations.items()) and spec == self._csv["spec"]
        if same and FINALIZER in finalizers:
            return False
        added = finalizers if FINALIZER in finalizers else [*finalizers, FINALIZER]
        patch = {"metadata": {"annotations": annotations, "finalizers": added}, "spec": spec}
        self._cluster.patch(CSVS, self._name, patch, self._namespace)
        return True

    def _has_rival(self, names: list[str]) -> bool:
        """Whether there is an operator of another namespace that owns one of our kinds and watches one of our
        namespaces; older ones win.
        """
        ours = provided(self._csv)
        for other in self._cluster.outlines(CSVS, csv_of.outline):
            meta = other["metadata"]
            theirs = csv_of.targets(other)
            away = meta["namespace"] != self._namespace and not csv_of.is_copy(other)
            if not away or theirs is None or csv_of.phase(other) in ("", "Failed"):
                continue
            overlap = "" in names or "" in theirs or set(names) & set(theirs)
            older = meta["creationTimestamp"] <= self._csv["metadata"]["creationTimestamp"]
            if overlap and older and ours & provided(other):
                return True
        return False

    # Phases on the way up

    def _begin(self) -> float:
        operator_conditions.ensure(self._cluster, self._csv)
        return self._set("Pending", "RequirementsUnknown", "requirements not yet checked")

    def _check(self) -> float:
        met, statuses = self._requirements()
        previous = self._previous()
        if previous and csv_of.phase(previous) == "Succeeded" and met:
            message = f"being replaced by csv: {self._name}"
            Lifecycle(self._cluster, previous, self._down_since, self._authorizer)._set(
                "Replacing", "BeingReplaced", message
            )
        if not met:
            message = "one or more requirements couldn't be found"
            self._set("Pending", "RequirementsNotMet", message, requirementStatus=statuses)
            return 4 * PACE
        if previous and csv_of.phase(previous) not in ("Replacing", "Succeeded"):
            return 1.0
        message = "all requirements found, attempting install"
        return self._set("InstallReady", "AllRequirementsMet", message, requirementStatus=statuses)

    def _install(self) -> float:
        try:
            self._permissions()
            for deployment in self._deployments():
                self._deploy(deployment)
        except ApiError as error:
            return self._fail("InstallComponentFailed", f"install strategy failed: {error}")
        return self._set("Installing", "InstallSucceeded", "waiting for install components to report healthy")

    def _deploy(self, deployment: Object) -> None:
        """As OLM's PatchDeployment: a setting that spec.config no longer has goes from the Deployment, too."""
        try:
            present = self._cluster.get(DEPLOYMENTS, deployment["metadata"]["name"], self._namespace)
        except NotFound:
            self._cluster.apply(DEPLOYMENTS, deployment, manager="olm")
            return
        meta = {**present["metadata"], **deployment["metadata"]}
        meta["labels"] = {**(present["metadata"].get("labels") or {}), **deployment["metadata"]["labels"]}
        # Whatever was written meanwhile is replaced, without a conflict.
        del meta["resourceVersion"]
        wanted = {**present, "metadata": meta, "spec": deployment["spec"]}
        self._cluster.as_manager("olm").update(DEPLOYMENTS, wanted, self._namespace)

    def _wait(self) -> float:
        text, rewrite = self._problem()
        if rewrite:
            return self._set("InstallReady", "InstallWaiting", f"installing: {text}")
        if not text:
            return self._set("Succeeded", "InstallSucceeded", "install strategy completed with no errors")
        if self._age("lastTransitionTime") > INSTALL_TIMEOUT:
            return self._fail("InstallCheckFailed", "install timeout")
        self._set("Installing", "InstallWaiting", f"installing: {text}")
        return 5.0

    # Phases of an operator that is up

    def _watch_over(self) -> float:
        successor = self._successor()
        if successor:
            return self._set("Replacing", "BeingReplaced", f"being replaced by csv: {successor['metadata']['name']}")
        met, statuses = self._requirements()
        if not met:
            return self._fail("RequirementsNotMet", "requirements no longer met", requirementStatus=statuses)
        text, rewrite = self._problem()
        uid = self._csv["metadata"]["uid"]
        if not text:
            self._down_since.pop(uid, None)
            return 0.0
        # A Pod that is replaced, and every Pod after a restart of this cluster, is down for a moment.
        since = self._down_since.setdefault(uid, time.monotonic())
        if not rewrite and time.monotonic() - since < PATIENCE:
            return PATIENCE
        self._down_since.pop(uid, None)
        return self._fail("ComponentUnhealthy", f"installing: {text}")

    def _recover(self) -> float:
        reason = self._status.get("reason", "")
        if reason in GROUP_REASONS:
            return self._set("Pending", "RequirementsUnknown", "InstallModes now support target namespaces")
        if reason in ("InstallCheckFailed", "InstallComponentFailed"):
            return self._set("Pending", "NeedsReinstall", "calculated deployment install is bad") and 10.0
        met, statuses = self._requirements()
        if not met:
            return self._set("Pending", "RequirementsNotMet", "requirements not met", requirementStatus=statuses)
        text, _ = self._problem()
        return self._set("Pending", "NeedsReinstall", f"installing: {text}" if text else "components are healthy again")

    def _replaced(self) -> float:
        successor = self._successor()
        if successor is None:
            return self._set("Succeeded", "InstallSucceeded", "install strategy completed with no errors")
        if csv_of.phase(successor) != "Succeeded":
            return 0.5
        message = "has been replaced by a newer ClusterServiceVersion that has successfully installed."
        return self._set("Deleting", "Replaced", message)

    def _delete(self) -> float:
        self._cluster.delete(CSVS, self._name, self._namespace)
        return 0.0

    # What is around it

    def _requirements(self) -> tuple[bool, list[Object] | None]:
        """Whether they are met, and their statuses; None removes those from the status."""
        met, found = requirement_status(self._cluster, self._csv, self._authorizer)
        return met, found or None

    def _previous(self) -> Object | None:
        """The CSV that this one replaces, while it exists."""
        name = self._csv["spec"].get("replaces")
        if not name:
            return None
        try:
            return self._cluster.get(CSVS, name, self._namespace)
        except NotFound:
            return None

    def _successor(self) -> Object | None:
        found: Object
        for found in self._cluster.outlines(CSVS, csv_of.outline, self._namespace):
            if found["spec"].get("replaces") == self._name and found["metadata"]["name"] != self._name:
                return found
        return None

    def _permissions(self) -> None:
        """Creates the permissions that the plan does not: those of users, and the operator's outside its namespace."""
        names = csv_of.targets(self._csv) or []
        objects = rbac.promoted(self._csv) if "" in names else []
        for namespace in names:
            if namespace not in ("", self._namespace):
                objects += rbac.namespaced(self._csv, namespace)
        for owned in (self._csv["spec"].get("customresourcedefinitions") or {}).get("owned") or []:
            objects += user_roles.for_kind(self._cluster.get(CRDS, owned["name"]), owned)
        for obj in objects:
            resource = self._cluster.resource_for(obj["apiVersion"], obj["kind"])
            assert resource is not None
            self._cluster.apply(resource.key, obj, manager="olm")

    def _deployments(self) -> list[Object]:
        config: Object = {}
        for current, wanted in self._cluster.outlines(SUBSCRIPTIONS, subscription_config, self._namespace):
            if current == self._name:
                config = copy(wanted)
        return deployments(self._csv, config)

    def _problem(self) -> tuple[str, bool]:
        found = self._cluster.labelled(DEPLOYMENTS, whole, {"olm.owner": self._name}, self._namespace)
        return problem(self._deployments(), {item["metadata"]["name"]: item for item in found})

    # Writing

    def _age(self, field: str) -> float:
        """Seconds since a time in the status."""
        text = self._status.get(field)
        return (datetime.now(UTC) - datetime.fromisoformat(text)).total_seconds() if text else 0.0

    def _fail(self, reason: str, message: str, **more: Any) -> float:
        return self._set("Failed", reason, message, **more)

    def _set(self, phase: str, reason: str, message: str, **more: Any) -> float:
        """Writes the phase where it is new, with a condition for each change and an Event.

        Returns after how many seconds to reconcile again.
        """
        old = self._status
        changed = (old.get("phase"), old.get("reason")) != (phase, reason)
        if not changed and old.get("message") == message and all(old.get(key) == value for key, value in more.items()):
            return 0.0
        moment = now()
        found = {**old, **more, "phase": phase, "reason": reason, "message": message, "lastUpdateTime": moment}
        if old.get("phase") != phase:
            found["lastTransitionTime"] = moment
        entry = {
            key: found[key]
            for key in ("phase", "reason", "message", "lastUpdateTime", "lastTransitionTime")
            if key in found
        }
        conditions = list(old.get("conditions") or [])
        if changed or not conditions:
            conditions.append(entry)
        else:
            conditions[-1] = entry
        found |= {"conditions": conditions[-20:], "cleanup": {}}
        self._cluster.patch(CSVS, self._name, {"status": found}, self._namespace, "status")
        if changed:
            record(self._cluster, self._csv, reason, message, warning=phase == "Failed")
        self._status = found
        return 0.0
