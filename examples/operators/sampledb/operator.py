"""The SampleDB operator: which changes lead to which work. Run as ``python -m examples.operators.sampledb.operator``.

kopf watches and holds the finalizer; reconcile.py and farewell.py do the work. WATCH_NAMESPACE lists the namespaces to
serve, separated by commas; empty means all of them (OLM sets it from the OperatorGroup).
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

from .database import DATABASE_LABEL, FINALIZER, GROUP
from .farewell import NotYetError, farewell
from .reconcile import reconcile

record_event = event_recorder(logging.getLogger("sampledb"))
OURS = {DATABASE_LABEL: kopf.PRESENT}
RESOURCE = (GROUP, "v1", "sampledbs")
#: Objects of a database that change without the operator.
BELOW = (
    ("apps", "v1", "statefulsets"),
    ("batch", "v1", "jobs"),
    ("", "v1", "pods"),
    ("", "v1", "persistentvolumeclaims"),
)


@kopf.on.startup()
async def start(settings: kopf.OperatorSettings, memo: kopf.Memo, **_: Any) -> None:
    """Settings of kopf, and what all handlers share: the connection and the queue."""
    settings.persistence.finalizer = FINALIZER
    settings.persistence.progress_storage = kopf.AnnotationsProgressStorage(prefix=GROUP)
    settings.persistence.diffbase_storage = kopf.AnnotationsDiffBaseStorage(prefix=GROUP, key="last-handled")
    # Its own "handler succeeded" is of no use to the people who look at a database; ours is recorded by kopf.event.
    settings.posting.level = logging.ERROR
    settings.watching.server_timeout = 300
    # The API server leaves out what is not ours: an operator for all namespaces must not be sent every Pod of the
    # cluster.
    for resource in BELOW:
        settings.watching.label_selectors[resource] = DATABASE_LABEL
    memo.health = await health.serve()
    memo.api = await KubeApi(process_access(), "sampledb-operator").__aenter__()
    memo.leader = await elect(memo.api, process_access().namespace, "sampledb-operator")
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


# kopf.on.event, and not on.create and on.update: a pass reads everything again, so it need not know what has changed.
@kopf.on.event(*RESOURCE)
async def changed(namespace: str | None, name: str | None, memo: kopf.Memo, **_: Any) -> None:
    """A database is new, another, or met again after a restart."""
    memo.queue.add(namespace, name)


async def below_changed(namespace: str | None, labels: kopf.Labels, memo: kopf.Memo, **_: Any) -> None:
    """A Pod, Job or volume of a database has changed."""
    memo.queue.add(namespace, labels[DATABASE_LABEL])


for watched in BELOW:
    kopf.on.event(*watched, labels=OURS)(below_changed)


@kopf.on.delete(*RESOURCE)
async def deleted(namespace: str | None, name: str | None, memo: kopf.Memo, **_: Any) -> None:
    """The database is to go: first the snapshot, then everything of it. kopf asks again until there is no error."""
    try:
        await farewell(memo.api, namespace or "", name or "", record_event)
    except NotYetError as reason:
        raise kopf.TemporaryError(str(reason), delay=reason.seconds) from None


def main() -> None:
    """Runs until SIGTERM."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    # Each handler's success would hide what happens to the databases.
    logging.getLogger("kopf.objects").setLevel(logging.WARNING)
    # kopf calls it an error when a handler wants to be asked again.
    logging.getLogger("kopf.objects").addFilter(lambda record: "failed temporarily" not in record.getMessage())
    namespaces = [name for name in os.environ.get("WATCH_NAMESPACE", "").split(",") if name]
    kopf.run(
        standalone=True,
        clusterwide=not namespaces,
        namespaces=namespaces,
        memo=kopf.Memo(),
    )


if __name__ == "__main__":
    main()
