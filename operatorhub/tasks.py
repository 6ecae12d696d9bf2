"""The catalog index is built here, away from people's requests: on a schedule, and when a page finds it missing or out of date."""

import logging

from celery import Task, shared_task
from django.conf import settings
from kombu.exceptions import OperationalError

from console.signin import clients
from console.web import audit
from console.web.clusters import console_client
from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from operatorhub import runs
from operatorhub.admin import catalogs, catalogsources, clustercatalogs
from operatorhub.indexing import index, judging, refresh
from operatorhub.models import Catalog, Run
from operatorhub.removing import removal
from operatorhub.upgrade import plan_check

log = logging.getLogger("operatorhub.tasks")


@shared_task(name="operatorhub.tasks.refresh_catalogs", soft_time_limit=300)
def refresh_catalogs() -> None:
    """Packages first, for people wait for them; then the icons, and what only whole bundles tell. A part that fails holds up no other one."""
    client = console_client()
    try:
        index.build(client)
    except NotFound:
        log.info("this cluster has no PackageManifests: OLM is not installed")
    except KubeError as error:
        log.warning("the catalog index could not be refreshed: %s", error)
    own_catalogs(client)
    try:
        index.fetch_icons(client)
    except KubeError as error:
        log.warning("icons could not be fetched: %s", error)
    judging.judge(client.name)


@shared_task(name="operatorhub.tasks.refresh_catalog", soft_time_limit=600)
def refresh_catalog(key: int, force: bool = True) -> None:
    """One of the console's own, because somebody asked for it."""
    row = Catalog.objects.filter(pk=key).first()
    if row is None:
        return
    client = console_client()
    refresh.refresh(row, client, force=force)
    judging.judge(client.name)


def own_catalogs(client: ClusterClient) -> None:
    """The given folders, the cluster's ClusterCatalogs, and all others whose time has come."""
    catalogs.sync(client.name)
    try:
        clustercatalogs.sync(client)
        catalogsources.follow(client)
    except KubeError as error:
        log.warning("the cluster's catalogs could not be looked at: %s", error)
    for row in catalogs.due(client.name):
        refresh.refresh(row, client)


#: What may be gone on with, by the kind of its Run.
ADVANCES = {removal.KIND: removal.advance, plan_check.KIND: plan_check.advance}


@shared_task(name="operatorhub.tasks.go_on")
def go_on(key: str) -> None:
    """With an uninstall, or the check of all instances, until it is over."""
    kind = Run.objects.filter(key=key).values_list("kind", flat=True).first()
    if kind in ADVANCES:
        with audit.of_worker():
            runs.work(_whose, key, ADVANCES[kind])


def _whose(run: Run) -> ClusterClient | None:
    """The worker has rights that people don't have: what somebody began goes on with his own, or not at all."""
    if run.session or settings.SIGN_IN != "local":
        return clients.living(run.session)
    return console_client()


@shared_task(name="operatorhub.tasks.judge_packages", soft_time_limit=300)
def judge_packages() -> None:
    """What only whole bundles tell, after something was uploaded."""
    judging.judge(console_client().name)


def ask(row: Catalog) -> bool:
    """Have a worker read it; False when none can be asked: then the schedule does it, later."""
    return _asked(refresh_catalog, row.pk)


def ask_for_all() -> bool:
    """Have a worker look at everything; False as above."""
    return _asked(refresh_catalogs)


def ask_to_judge() -> bool:
    return _asked(judge_packages)


def _asked(task: Task[..., None], *arguments: int) -> bool:
    try:
        task.apply_async(arguments, expires=60, retry=False)
    except OperationalError:
        log.warning("no worker can be asked for %s: Redis does not answer", task.name)
        return False
    return True
