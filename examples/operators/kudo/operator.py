"""The engine: which changes lead to a pass. Run as ``python -m examples.operators.kudo.operator``.

kopf watches; reconcile.py does the work. WATCH_NAMESPACE lists the namespaces to serve, separated by commas; empty
means all of them (OLM sets it from the OperatorGroup). KUDO_PACKAGES names the packages that come along, as folders
beside this one; RELATED_IMAGE_WAITER the image that holds the files of Pipe tasks.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

import kopf

from examples.operators import health
from examples.operators.access import process_access
from examples.operators.events import event_recorder
from examples.operators.kubeapi import KubeApi
from examples.operators.leader import elect
from examples.operators.login import login
from examples.operators.workqueue import WorkQueue

from . import package
from .instance import INSTANCE_LABEL
from .pipes import IMAGE
from .reconcile import Engine
from .version import GROUP, VERSION

log = logging.getLogger("kudo")
record_event = event_recorder(log)

OURS = {INSTANCE_LABEL: kopf.PRESENT}
NAMESPACES = [name for name in os.environ.get("WATCH_NAMESPACE", "").split(",") if name]


@kopf.on.startup()
async def start(settings: kopf.OperatorSettings, memo: kopf.Memo, **_: Any) -> None:
    """Settings of kopf, what all handlers share, and the packages where they can be seen before the first Instance."""
    settings.posting.level = logging.ERROR
    settings.watching.server_timeout = 300
    # The API server leaves out what is not ours: an engine for all namespaces must not be sent every Job of the
    # cluster.
    for plural, group in (("deployments", "apps"), ("statefulsets", "apps"), ("jobs", "batch")):
        settings.watching.label_selectors[group, "v1", plural] = INSTANCE_LABEL
    # Looking for new kinds and namespaces would need rights in the whole cluster; OLM starts us when our kinds are
    # there.
    settings.scanning.disabled = True
    memo.health = await health.serve()
    memo.api = await KubeApi(process_access(), "kudo-manager").__aenter__()
    memo.leader = await elect(memo.api, process_access().namespace, "kudo-manager")
    packages = package.shipped(os.environ.get("KUDO_PACKAGES", ""), Path(__file__).resolve().parents[1])
    for namespace in NAMESPACES:
        for operator_package in packages.values():
            await package.install(memo.api, operator_package, namespace)
    memo.queue = WorkQueue(
        Engine(memo.api, packages, record_event, os.environ.get("RELATED_IMAGE_WAITER") or IMAGE).reconcile
    )


@kopf.on.cleanup()
async def stop(memo: kopf.Memo, **_: Any) -> None:
    """Ends the passes and closes the connection."""
    memo.health.close()
    await memo.queue.stop()
    if memo.leader:
        await memo.leader.release()
    await memo.api.__aexit__()


kopf.on.login()(login)


@kopf.on.event(GROUP, VERSION, "instances")
async def changed(namespace: str | None, name: str | None, memo: kopf.Memo, **_: Any) -> None:
    """An Instance is new, another, or met again after a restart."""
    memo.queue.add(namespace, name)


@kopf.on.event("apps", "v1", "deployments", labels=OURS)
@kopf.on.event("apps", "v1", "statefulsets", labels=OURS)
@kopf.on.event("batch", "v1", "jobs", labels=OURS)
async def below_changed(namespace: str | None, labels: kopf.Labels, memo: kopf.Memo, **_: Any) -> None:
    """An object that a step may wait for has changed."""
    memo.queue.add(namespace, labels[INSTANCE_LABEL])


@kopf.on.event(GROUP, VERSION, "operatorversions")
async def version_changed(namespace: str | None, name: str | None, memo: kopf.Memo, **_: Any) -> None:
    """One that Instances may wait for is there."""
    for instance in await memo.api.list("Instance", namespace or ""):
        if ((instance.get("spec") or {}).get("operatorVersion") or {}).get("name") == name:
            memo.queue.add(namespace, instance["metadata"]["name"])


def main() -> None:
    """Runs until SIGTERM."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    # Each handler's success would hide what happens to the Instances.
    logging.getLogger("kopf.objects").setLevel(logging.WARNING)
    kopf.run(
        standalone=True,
        clusterwide=not NAMESPACES,
        namespaces=NAMESPACES,
        memo=kopf.Memo(),
    )


if __name__ == "__main__":
    main()
