"""The operator: which changes lead to a pass. Run as ``python -m examples.operators.argocd.operator``.

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

from .argocd import GROUP, INSTANCE, PART_OF, VERSION
from .metrics import Metrics
from .reconcile import paths, reconcile

log = logging.getLogger("argocd")
record_event = event_recorder(log)

OURS: dict[str, Any] = {PART_OF: "argocd", INSTANCE: kopf.PRESENT}


@kopf.on.startup()
async def start(settings: kopf.OperatorSettings, memo: kopf.Memo, **_: Any) -> None:
    """Settings of kopf, and what all handlers share: the connection, the queue and the answers to probes."""
    settings.posting.level = logging.ERROR
    settings.watching.server_timeout = 300
    # The API server leaves out what is not ours: an operator for all namespaces must not be sent every Secret of the
    # cluster.
    for path in paths():
        settings.watching.label_selectors[path] = f"{PART_OF}=argocd"
    # Looking for new kinds and namespaces would need rights in the whole cluster; OLM starts us when our kind is there.
    settings.scanning.disabled = True
    memo.api = await KubeApi(process_access(), "argocd-operator").__aenter__()
    memo.metrics = Metrics()
    memo.health = await health.serve(8081, metrics=memo.metrics.text)
    memo.leader = await elect(memo.api, process_access().namespace, "argocd-operator")
    memo.queue = WorkQueue(memo.metrics.counted(partial(reconcile, memo.api, record_event=record_event)))


@kopf.on.cleanup()
async def stop(memo: kopf.Memo, **_: Any) -> None:
    """Ends the passes and closes the connection."""
    memo.health.close()
    await memo.queue.stop()
    if memo.leader:
        await memo.leader.release()
    await memo.api.__aexit__()


kopf.on.login()(login)


# kopf.on.event, and not on.create and on.update: these keep notes in annotations of the object, and hold it by a
# finalizer.
@kopf.on.event(GROUP, VERSION, "argocds")
async def changed(
    namespace: str | None, name: str | None, body: kopf.Body, type: str | None, memo: kopf.Memo, **_: Any
) -> None:
    """An ArgoCD is new, another, gone, or met again after a restart."""
    memo.metrics.seen(namespace, name, None if type == "DELETED" else body)
    memo.queue.add(namespace, name)


async def below_changed(namespace: str | None, labels: kopf.Labels, memo: kopf.Memo, **_: Any) -> None:
    """Something of an ArgoCD came, went, or was changed."""
    memo.queue.add(namespace, labels[INSTANCE])


for _path in paths():
    kopf.on.event(*_path, labels=OURS)(below_changed)


def main() -> None:
    """Runs until SIGTERM."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    # Each handler's success would hide what happens to the ArgoCDs.
    logging.getLogger("kopf.objects").setLevel(logging.WARNING)
    namespaces = [name for name in os.environ.get("WATCH_NAMESPACE", "").split(",") if name]
    kopf.run(standalone=True, clusterwide=not namespaces, namespaces=namespaces, memo=kopf.Memo())


if __name__ == "__main__":
    main()
