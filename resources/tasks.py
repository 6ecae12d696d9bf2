"""What the worker does for resources/ on a schedule."""

import logging

from celery import shared_task

from resources.history import bounds

log = logging.getLogger("resources.tasks")


@shared_task(name="resources.tasks.prune_history", soft_time_limit=300)
def prune_history() -> None:
    """The history within its bounds."""
    if number := bounds.prune():
        log.info("%d rows of the history went: they were too old or too much", number)
