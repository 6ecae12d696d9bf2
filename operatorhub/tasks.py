"""The catalog index is built here, away from people's requests: on a schedule, and when a page finds it missing or out of date."""

import logging

from celery import shared_task

from console.web.clusters import console_client
from kube.errors import KubeError, NotFound
from operatorhub import index

log = logging.getLogger("operatorhub.tasks")


@shared_task(name="operatorhub.tasks.refresh_catalogs", soft_time_limit=300)
def refresh_catalogs() -> None:
    """Packages first, for people wait for them; then the icons. A cluster without OLM or out of reach is no failure: the next run looks again."""
    try:
        client = console_client()
        index.build(client)
        index.fetch_icons(client)
    except NotFound:
        log.info("this cluster has no PackageManifests: OLM is not installed")
    except KubeError as error:
        log.warning("the catalog index could not be refreshed: %s", error)
