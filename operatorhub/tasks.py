"""The catalog index is built here, away from people's requests: on a schedule, and when a page finds it missing or
out of date.
"""

import logging

from celery import Task, shared_task
from django.conf import settings
from kombu.exceptions import OperationalError

from console.signin import clients
from console.web import audit, clusters
from console.web.clusters import console_client
from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from operatorhub import runs
from operatorhub.admin import catalogs, catalogsources, clustercatalogs
from operatorhub.indexing import index, refresh, rows
from operatorhub.models import Catalog, Run
from operatorhub.removing import removal
from operatorhub.upgrade import plan_check
from resources.changes import RedisError
from resources.changes.heartbeats import active_of

log = logging.getLogger("operatorhub.tasks")


@shared_task(name="operatorhub.tasks.refresh_catalogs", soft_time_limit=300)
def refresh_catalogs(cluster: str = "") -> None:
    """Packages first, because pages wait for them; then icons, and data that only whole bundles have.

    A failed part doesn't block the others.

    `cluster`: '' is the default one, which also queues a task for each other active cluster, so that an unreachable one
    doesn't block the rest.
    """
    if not cluster:
        _others()
    client = _console(cluster)
    if client is None:
        return
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
    rows.review_bundles(client.name)


@shared_task(name="operatorhub.tasks.refresh_catalog", soft_time_limit=600)
def refresh_catalog(key: int, force: bool = True) -> None:
    """Read one of the console's own catalogs on request."""
    row = Catalog.objects.filter(pk=key).first()
    if row is None:
        return
    client = _console(row.cluster)
    if client is None:
        return
    refresh.refresh(row, client, force=force)
    rows.review_bundles(client.name)


def own_catalogs(client: ClusterClient) -> None:
    """The given folders, the cluster's ClusterCatalogs, and all others whose time has come."""
    catalogs.sync(client.name, own_only=bool(client.config.alias))
    try:
        clustercatalogs.sync(client)
        catalogsources.follow(client)
    except KubeError as error:
        log.warning("the cluster's catalogs could not be looked at: %s", error)
    for row in catalogs.due(client.name):
        refresh.refresh(row, client)


#: Functions that advance a Run, by its kind.
ADVANCES = {removal.KIND: removal.advance, plan_check.KIND: plan_check.advance}


@shared_task(name="operatorhub.tasks.go_on")
def go_on(key: str) -> None:
    """With an uninstall, or the check of all instances, until it is over."""
    kind = Run.objects.filter(key=key).values_list("kind", flat=True).first()
    if kind in ADVANCES:
        with audit.of_worker():
            runs.work(_whose, key, ADVANCES[kind])


def _whose(run: Run) -> ClusterClient | None:
    """The client of the run's user; never the worker's own, which has more permissions."""
    if run.session or settings.SIGN_IN != "local":
        found = clients.living(run.session)
        return found if found and found.name == run.cluster else None
    place = clusters.named(run.cluster)
    return clusters.client_of(place) if place else None


@shared_task(name="operatorhub.tasks.judge_packages", soft_time_limit=300)
def judge_packages(cluster: str = "") -> None:
    """What only whole bundles tell, after something was uploaded."""
    rows.review_bundles(cluster or console_client().name)


def _console(cluster: str) -> ClusterClient | None:
    """The console's own identity there; None where the console has no such cluster (any more)."""
    place = clusters.named(cluster) if cluster else clusters.default()
    return clusters.client_of(place) if place else None


def _others() -> None:
    known = [offered.alias for offered in clusters.offered() if offered.alias]
    try:
        wanted = active_of(known)
    except RedisError:
        return
    for alias in sorted(wanted):
        _asked(refresh_catalogs, cluster=alias)


def ask(row: Catalog) -> bool:
    """Have a worker read it; False when none can be asked: then the schedule does it, later."""
    return _asked(refresh_catalog, row.pk)


def ask_for_all(client: ClusterClient) -> bool:
    """Have a worker look at everything of that cluster; False as above."""
    return _asked(refresh_catalogs, **cluster_argument(client))


def ask_to_judge(client: ClusterClient) -> bool:
    return _asked(judge_packages, **cluster_argument(client))


def cluster_argument(client: ClusterClient) -> dict[str, str]:
    """The argument by which a task knows the client's cluster."""
    return {"cluster": client.config.alias} if client.config.alias else {}


def _asked(task: Task[..., None], *arguments: int, **named: str) -> bool:
    try:
        task.apply_async(arguments, named, expires=60, retry=False)
    except OperationalError:
        log.warning("no worker can be asked for %s: Redis does not answer", task.name)
        return False
    return True
