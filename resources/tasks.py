"""What the worker does for resources/ on a schedule."""

import logging

from celery import shared_task

from console.web import clusters
from kube.errors import KubeError
from resources.changes import RedisError
from resources.changes.heartbeats import active_of
from resources.history import store
from resources.usage import NODES, PODS, READ_SECONDS, metrics_type, note, usages

log = logging.getLogger("resources.tasks")


@shared_task(name="resources.tasks.prune_history", soft_time_limit=300)
def prune_history() -> None:
    """The history within its bounds."""
    if number := store.prune():
        log.info("%d rows of the history went: they were too old or too much", number)


@shared_task(name="resources.tasks.sample_usage")
def sample_usage() -> None:
    """Writes a minute of the history of CPU and memory, as far as the console's own identity can read it.

    Of the default cluster, and of the active ones.
    """
    others = [offered for offered in clusters.offered() if not offered.default]
    try:
        seen = active_of(offered.alias for offered in others)
    except RedisError:
        return
    for cluster in (clusters.default(), *(offered for offered in others if offered.alias in seen)):
        try:
            client = clusters.client_of(cluster).impatient(READ_SECONDS)
            for plural in (NODES, PODS):
                if type_ := metrics_type(client, plural):
                    note(client, plural, usages(client.list(type_).items))
        except KubeError as error:
            log.debug("no usage of %s: %s", cluster.context or "the cluster", error)
