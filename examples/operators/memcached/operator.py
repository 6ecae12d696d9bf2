"""The Memcached operator: which changes lead to a pass. Run as ``python -m examples.operators.memcached.operator``.

kopf watches; reconcile.py does the work. WATCH_NAMESPACE lists the namespaces to serve, separated by commas; empty
means all of them (OLM sets it from the OperatorGroup).
"""

from __future__ import annotations

import logging
import os
from functools import partial
from typing import Any

import kopf

from examples.operators import health
from examples.operators.access import process_access
from examples.operators.events import event_recorder
from examples.operators.kubeapi import KubeApi
from examples.operators.leader import elect
from examples.operators.login import login
from examples.operators.workqueue import WorkQueue

from .memcached import GROUP, LABEL, VERSION
from .reconcile import reconcile

log = logging.getLogger("memcached")
record_event = event_recorder(log)

OURS = {LABEL: kopf.PRESENT}


@kopf.on.startup()
async def start(settings: kopf.OperatorSettings, memo: kopf.Memo, **_: Any) -> None:
    """Settings of kopf, and what all handlers share: the connection and the queue."""
    # Its own "handler succeeded" is of no use to the people who look at a Memcached; ours is recorded by kopf.event.
    settings.posting.level = logging.ERROR
    settings.watching.server_timeout = 300
    # The API server leaves out what is not ours: an operator for all namespaces must not be sent every Pod of the
    # cluster.
    settings.watching.label_selectors["apps", "v1", "deployments"] = LABEL
    settings.watching.label_selectors["", "v1", "pods"] = LABEL
    # Looking for new kinds and namespaces would need rights in the whole cluster; OLM starts us when our kind is there.
    settings.scanning.disabled = True
    memo.health = await health.serve()
    memo.api = await KubeApi(process_access(), "memcached-operator").__aenter__()
    memo.leader = await elect(memo.api, process_access().namespace, "memcached-operator")
    memo.queue = WorkQueue(partial(reconcile, memo.api, record_event=record_event))


@kopf.on.cleanup()
async def stop(memo: kopf.Memo, **_: Any) -> None:
    """Ends the passes and closes the connection."""
    memo.health.close()
    await memo.queue.stop()
    if memo.leader:
        await memo.leader.release()
    await memo.api.__aexit__()


kopf.on.login()(login)


# kopf.on.event, and not on.create and on.update: these keep notes in annotations of the object, to know what has
# changed since. A pass does not want to know it, so nothing but the status is written into a Memcached.
@kopf.on.event(GROUP, VERSION, "memcacheds")
async def changed(namespace: str | None, name: str | None, memo: kopf.Memo, **_: Any) -> None:
    """A Memcached is new, another, or met again after a restart."""
    memo.queue.add(namespace, name)


@kopf.on.event("apps", "v1", "deployments", labels=OURS)
@kopf.on.event("", "v1", "pods", labels=OURS)
async def below_changed(namespace: str | None, labels: kopf.Labels, memo: kopf.Memo, **_: Any) -> None:
    """Nodes came or went, or a user changed the Deployment."""
    memo.queue.add(namespace, labels[LABEL])


def main() -> None:
    """Runs until SIGTERM."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    # Each handler's success would hide what happens to the Memcacheds.
    logging.getLogger("kopf.objects").setLevel(logging.WARNING)
    namespaces = [name for name in os.environ.get("WATCH_NAMESPACE", "").split(",") if name]
    kopf.run(
        standalone=True,
        clusterwide=not namespaces,
        namespaces=namespaces,
        memo=kopf.Memo(),
    )


if __name__ == "__main__":
    main()
