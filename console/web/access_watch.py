"""Permissions of what stays open, asked again while it is: the API server judges a watch, a followed log or a
terminal only when it begins.
"""

import asyncio
import logging
import random
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from console.web.access import can
from kube.client import ClusterClient
from kube.errors import KubeError

log = logging.getLogger("console.web")

#: Asked again after so many seconds at most; console.web.access keeps an answer for ten more.
RECHECK_SECONDS = 20.0
# Of their own, so that an API server that is silent holds up nothing else.
_pool = ThreadPoolExecutor(4, thread_name_prefix="access")


@dataclass(frozen=True, slots=True, kw_only=True)
class Permission:
    """`verbs`: any of them is enough.

    `name`: '' for all objects of the namespace; a permission for all is one for each.
    """

    client: ClusterClient
    verbs: tuple[str, ...]
    plural: str
    namespace: str
    group: str = ""
    version: str = "v1"
    name: str = ""
    subresource: str = ""

    def is_held(self) -> bool:
        """Asks the API server with the person's own credentials. A server that does not answer takes nothing away."""
        try:
            type_ = self.client.find(self.group, self.version, self.plural)
            return any(
                can(
                    client=self.client,
                    verb=verb,
                    type_=type_,
                    namespace=self.namespace,
                    name=name,
                    subresource=self.subresource,
                ).allowed
                for name in dict.fromkeys(("", self.name))
                for verb in self.verbs
            )
        except KubeError as error:
            log.info("whether %s may still be used can't be told: %s", self.words, error)
            return True

    @property
    def words(self) -> str:
        return f"{'/'.join(filter(None, (self.plural, self.subresource)))} in namespace {self.namespace or '-'}"

    @property
    def loss(self) -> str:
        """What a person reads when it ends."""
        return f"You don't have permission to {self.verbs[0]} {self.words} any more"


def pod_permission(client: ClusterClient, subresource: str, namespace: str, pod: str) -> Permission:
    """Of a Pod's subresource: log is read; exec and portforward are created, or read where a WebSocket asks
    (Kubernetes before 1.35).
    """
    verbs = ("get",) if subresource == "log" else ("create", "get")
    return Permission(client=client, verbs=verbs, plural="pods", namespace=namespace, name=pod, subresource=subresource)


async def until_lost(permission: Permission) -> None:
    """Returns when the API server takes it away; never before it is asked a second time."""
    loop = asyncio.get_running_loop()
    while True:
        await asyncio.sleep(RECHECK_SECONDS * random.uniform(0.7, 1.0))  # noqa: S311  spreads work
        if not await loop.run_in_executor(_pool, permission.is_held):
            log.info("%s ended: %s", permission.client.who, permission.loss)
            return


async def while_held(permission: Permission, work: Coroutine[Any, Any, None]) -> bool:
    """Runs `work` to its end, or until the permission is lost. True when it came to its end; raises what it raises."""
    job, watch = asyncio.ensure_future(work), asyncio.ensure_future(until_lost(permission))
    try:
        await asyncio.wait((job, watch), return_when=asyncio.FIRST_COMPLETED)
        if job.done():
            job.result()
            return True
        return False
    finally:
        for task in (job, watch):
            task.cancel()
        await asyncio.gather(job, watch, return_exceptions=True)
