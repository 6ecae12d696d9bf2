"""Events are kept for an hour, as kube-apiserver's --event-ttl says."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

from ..cluster import Cluster
from ..context import Context
from ..objects import parse_time

LIFETIME = timedelta(hours=1)
SWEEP_SECONDS = 300.0


async def run(cluster: Cluster, context: Context) -> None:
    """Removes events that are older than an hour."""
    while True:
        await asyncio.sleep(SWEEP_SECONDS)
        oldest = datetime.now(UTC) - LIFETIME
        for event in cluster.list("events"):
            moment = parse_time(event.get("lastTimestamp") or event.get("eventTime") or "")
            if moment is not None and moment < oldest:
                cluster.delete("events", event["metadata"]["name"], event["metadata"]["namespace"])
