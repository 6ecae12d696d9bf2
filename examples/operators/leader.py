"""Leader election: of several Pods of an operator one works, by a Lease in the operator's own namespace.

As client-go does it (https://pkg.go.dev/k8s.io/client-go/tools/leaderelection), with its times. Clocks of other
machines aren't trusted: a Lease has run out when it hasn't changed for its duration by our own clock.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import time
import uuid
from collections.abc import Callable
from datetime import UTC, datetime

import aiohttp

from examples.operators.kubeapi import ApiError, KubeApi, Object

log = logging.getLogger("examples.operators.leader")
DURATION_SECONDS, DEADLINE_SECONDS, RETRY_SECONDS = 15, 10.0, 2.0
_FAILURES = (ApiError, aiohttp.ClientError, TimeoutError)


class Leader:
    """Holds the Lease ``name`` in ``namespace`` as ``identity``."""

    def __init__(self, api: KubeApi, namespace: str, name: str, identity: str = ""):
        self._api, self._namespace, self._name = api, namespace, name
        self.identity = identity or f"{socket.gethostname()}_{uuid.uuid4()}"
        self._seen: Object = {}
        self._seen_at = 0.0
        self._renewing: asyncio.Task[None] | None = None

    async def acquire(self, lost: Callable[[], None]) -> None:
        """Returns once the Lease is ours.

        From then on it is renewed; ``lost`` is called when that fails for ten seconds.
        """
        waiting = False
        while not await self._try_once():
            if not waiting:
                log.info("waiting for the lease %s/%s of %s", self._namespace, self._name, self._holder or "nobody")
                waiting = True
            await asyncio.sleep(RETRY_SECONDS)
        log.info("%s leads by the lease %s/%s", self.identity, self._namespace, self._name)
        self._renewing = asyncio.create_task(self._renew(lost))

    async def release(self) -> None:
        """At a planned end: the next one needn't wait until the Lease has run out."""
        if self._renewing is None or self._holder != self.identity:
            return
        self._renewing.cancel()
        with contextlib.suppress(*_FAILURES):
            await self._api.patch("Lease", self._namespace, self._name, {"spec": {"holderIdentity": ""}})

    @property
    def _holder(self) -> str:
        return str(self._seen.get("holderIdentity") or "")

    async def _renew(self, lost: Callable[[], None]) -> None:
        good = time.monotonic()
        while time.monotonic() - good < DEADLINE_SECONDS:
            await asyncio.sleep(RETRY_SECONDS)
            # Also ApiError: the permission may have been taken away.
            with contextlib.suppress(TimeoutError, ApiError):
                async with asyncio.timeout(DEADLINE_SECONDS):
                    if await self._try_once():
                        good = time.monotonic()
                    elif self._holder != self.identity:
                        break
        log.error("%s lost the lease %s/%s", self.identity, self._namespace, self._name)
        lost()

    async def _try_once(self) -> bool:
        """Takes or renews the Lease; False if another holds it, changed it meanwhile, or the API server can't be
        asked.
        """
        try:
            return await self._take()
        except ApiError as refused:
            if refused.code == 403:
                raise
            if refused.code != 409:
                log.warning("the lease %s/%s: %s", self._namespace, self._name, refused)
        except (aiohttp.ClientError, TimeoutError) as error:
            log.warning("the lease %s/%s: %s", self._namespace, self._name, error)
        return False

    async def _take(self) -> bool:
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        spec: Object = {"holderIdentity": self.identity, "leaseDurationSeconds": DURATION_SECONDS, "renewTime": now}
        present = await self._api.get("Lease", self._namespace, self._name)
        if present is None:
            body = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "spec": {**spec, "acquireTime": now}}
            self._see((await self._api.create(body | {"metadata": self._meta}))["spec"])
            return True
        self._see(present.get("spec") or {})
        ours = self._holder == self.identity
        if not ours:
            duration = float(self._seen.get("leaseDurationSeconds") or DURATION_SECONDS)
            if self._holder and time.monotonic() - self._seen_at < duration:
                return False
            spec |= {"acquireTime": now, "leaseTransitions": int(self._seen.get("leaseTransitions") or 0) + 1}
        # With its resourceVersion: of two that try at once, one is answered with a conflict.
        patch = {"metadata": {"resourceVersion": present["metadata"]["resourceVersion"]}, "spec": spec}
        self._see((await self._api.patch("Lease", self._namespace, self._name, patch))["spec"])
        return True

    def _see(self, spec: Object) -> None:
        if spec != self._seen:
            self._seen, self._seen_at = spec, time.monotonic()

    @property
    def _meta(self) -> Object:
        return {"name": self._name, "namespace": self._namespace}


def stop_now() -> None:
    """Another replica leads: exits without one more write. The kubelet restarts the container."""
    logging.shutdown()
    os._exit(1)


async def elect(api: KubeApi, namespace: str, name: str) -> Leader | None:
    """Waits until this process leads.

    None, at once, outside of a Pod (no ``namespace``), or without permission for Leases.
    """
    if not namespace:
        return None
    leader = Leader(api, namespace, name)
    try:
        await leader.acquire(stop_now)
    except ApiError as refused:
        log.warning("working without a lease, so only one Pod of this operator may run: %s", refused)
        return None
    return leader
