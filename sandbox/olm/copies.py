"""Copies of a CSV in the other namespaces that its operator watches, so that people there see it.

Only where the OLMConfig asks for them; operators of one namespace have none. Upstream's copies of operators that watch
some namespaces are made as well. Source: operator-lifecycle-manager, pkg/controller/operators/olm/operatorgroup.go
(ensureCSVsInNamespaces).
"""

from __future__ import annotations

import logging
from typing import Any

from ..cluster import Cluster
from ..context import Context
from ..errors import ApiError, NotFound
from . import csv as csv_of
from .names import COPIED, CSVS, GROUP, OLM_CONFIGS, PACE
from .workqueue import Workqueue

Object = dict[str, Any]

log = logging.getLogger("sandbox.olm.copies")


def copy_of(csv: Object, namespace: str) -> Object:
    """The CSV as it stands in another namespace."""
    meta = csv["metadata"]
    left_out = (csv_of.TARGETS, "kubectl.kubernetes.io/last-applied-configuration")
    annotations = {key: value for key, value in (meta.get("annotations") or {}).items() if key not in left_out}
    labels = {key: value for key, value in (meta.get("labels") or {}).items() if not key.startswith(f"{GROUP}/")}
    message = f"The operator is running in {meta['namespace']} but is managing this namespace"
    return {
        "apiVersion": csv["apiVersion"],
        "kind": csv["kind"],
        "metadata": {
            "name": meta["name"],
            "namespace": namespace,
            "annotations": annotations,
            "labels": {**labels, COPIED: meta["namespace"]},
        },
        "spec": csv["spec"],
        "status": {**(csv.get("status") or {}), "reason": "Copied", "message": message},
    }


def wanted(cluster: Cluster, csv: Object) -> set[str]:
    """The namespaces that should have a copy."""
    targets = csv_of.targets(csv)
    if (
        csv["metadata"].get("deletionTimestamp")
        or csv_of.is_copy(csv)
        or not targets
        or csv_of.phase(csv) != "Succeeded"
    ):
        return set()
    present = {
        namespace["metadata"]["name"]
        for namespace in cluster.list("namespaces")
        if not namespace["metadata"].get("deletionTimestamp")
    }
    if targets == [""]:
        disabled = any(
            (config.get("spec") or {}).get("features", {}).get("disableCopiedCSVs")
            for config in cluster.list(OLM_CONFIGS)
        )
        found = set() if disabled else present
    else:
        found = present & set(targets)
    return found - {csv["metadata"]["namespace"]}


class Copies:
    """Keeps the copies of each CSV name as they should be."""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster.as_manager("olm")

    async def reconcile(self, _: str, name: str) -> None:
        """All originals and copies of one name."""
        found = self._cluster.list(CSVS, fields=f"metadata.name={name}")
        copies = {item["metadata"]["namespace"]: item for item in found if csv_of.is_copy(item)}
        originals = [item for item in found if not csv_of.is_copy(item)]
        taken = {item["metadata"]["namespace"] for item in originals}
        current: set[str] = set()
        for original in originals:
            for namespace in wanted(self._cluster, original) - taken - current:
                self._write(copy_of(original, namespace), copies.get(namespace))
                current.add(namespace)
        for namespace in copies.keys() - current:
            self._delete(name, namespace)

    def _write(self, copy: Object, present: Object | None) -> None:
        meta = copy["metadata"]
        try:
            if present is None:
                self._cluster.create(CSVS, copy, meta["namespace"])
                self._cluster.patch(CSVS, meta["name"], {"status": copy["status"]}, meta["namespace"], "status")
            elif present["spec"] != copy["spec"]:
                self._cluster.patch(CSVS, meta["name"], {"spec": copy["spec"]}, meta["namespace"])
            if present is not None and present.get("status") != copy["status"]:
                self._cluster.patch(CSVS, meta["name"], {"status": copy["status"]}, meta["namespace"], "status")
        except ApiError as error:
            log.debug("no copy of %s in %s: %s", meta["name"], meta["namespace"], error)

    def _delete(self, name: str, namespace: str) -> None:
        try:
            self._cluster.delete(CSVS, name, namespace)
        except NotFound:
            return


async def run(cluster: Cluster, context: Context) -> None:
    """Watches CSVs, namespaces and the OLMConfig until cancelled."""
    queue = Workqueue("copies", Copies(cluster).reconcile)
    try:
        async for event in cluster.watch(CSVS, "namespaces", OLM_CONFIGS):
            if event.resource == CSVS:
                if event.type == "DELETED" or csv_of.is_copy(event.object) or _reaches_out(event.object):
                    queue.add("", event.object["metadata"]["name"], after=PACE)
            elif event.type == "ADDED" or event.resource == OLM_CONFIGS:
                for csv in cluster.outlines(CSVS, csv_of.outline):
                    if csv_of.is_copy(csv) or _reaches_out(csv):
                        queue.add("", csv["metadata"]["name"], after=PACE)
    finally:
        await queue.close()


def _reaches_out(csv: Object) -> bool:
    """Whether its operator watches another namespace than its own."""
    return bool(set(csv_of.targets(csv) or []) - {csv["metadata"]["namespace"]})
