"""Watches ArgoCDs and their workloads: ``python -m operators.argocd``.

WATCH_NAMESPACE lists the namespaces, separated by commas; empty means all of them. One pass an instance, which can be
repeated at any time: make what is missing, then write what is running into the status.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import time
from collections import defaultdict
from typing import Any

from operators.kubeapi import Access, Api, ApiError

from . import health
from .objects import cluster_secret, everything, part_names, replicas

Object = dict[str, Any]

log = logging.getLogger("argocd")


class Operator:
    """Passes for the same instance never overlap."""

    def __init__(self, api: Api):
        self._api = api
        self._locks: defaultdict[tuple[str, str], asyncio.Lock] = defaultdict(asyncio.Lock)

    async def reconcile(self, namespace: str, name: str) -> None:
        """Brings one instance to what its spec asks for."""
        async with self._locks[namespace, name]:
            argocd = await self._api.get("ArgoCD", namespace, name)
            if argocd is None or argocd["metadata"].get("deletionTimestamp"):
                return
            secret = cluster_secret(argocd)
            if await self._api.get("Secret", namespace, secret["metadata"]["name"]) is None:
                await self._api.create(secret)
            for obj in everything(argocd):
                await self._api.ensure(obj)
            await self._publish(argocd)

    async def _publish(self, argocd: Object) -> None:
        namespace, name = argocd["metadata"]["namespace"], argocd["metadata"]["name"]
        wanted: Object = {}
        for part, workload in part_names(argocd):
            found = await self._api.get(part.kind, namespace, workload) or {}
            ready = (found.get("status") or {}).get("readyReplicas", 0)
            wanted[part.field] = "Running" if ready >= replicas(argocd, part) else "Pending"
        wanted["phase"] = "Available" if set(wanted.values()) == {"Running"} else "Pending"
        old = argocd.get("status") or {}
        if all(old.get(key) == value for key, value in wanted.items()):
            return
        wanted["conditions"] = [_condition(old)]
        await self._api.patch("ArgoCD", namespace, name, {"status": wanted}, "status")
        log.info("%s/%s is %s", namespace, name, wanted["phase"])

    async def follow(self, kind: str, namespace: str) -> None:
        """Reconciles after each change of a kind."""
        labels = "" if kind == "ArgoCD" else "app.kubernetes.io/part-of=argocd"
        async for event, obj in self._api.watch(kind, namespace, labels):
            meta = obj["metadata"]
            name = meta["name"] if kind == "ArgoCD" else meta["labels"].get("app.kubernetes.io/managed-by", "")
            if event == "DELETED" and kind == "ArgoCD":
                continue
            try:
                await self.reconcile(meta["namespace"], name)
            except ApiError as error:
                log.warning("%s/%s: %s", meta["namespace"], name, error)


def _condition(old: Object) -> Object:
    for condition in old.get("conditions") or []:
        if condition["type"] == "Reconciled":
            return dict(condition)
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return {"type": "Reconciled", "status": "True", "reason": "Success", "message": "", "lastTransitionTime": moment}


async def run() -> None:
    """Until SIGTERM."""
    namespaces = os.environ.get("WATCH_NAMESPACE", "").split(",")
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with Api(Access.find()) as api:
        operator = Operator(api)
        server = await health.serve()
        kinds = ("ArgoCD", "Deployment", "StatefulSet")
        tasks = [asyncio.create_task(operator.follow(kind, name)) for kind in kinds for name in namespaces]
        log.info("simulating the Argo CD operator for %s", ", ".join(namespaces) or "all namespaces")
        ending = asyncio.create_task(stopped.wait())
        await asyncio.wait([ending, *tasks], return_when=asyncio.FIRST_COMPLETED)
        if server is not None:
            server.close()
        for task in tasks:
            task.cancel()
        for outcome in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(outcome, Exception):
                raise outcome


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    asyncio.run(run())
