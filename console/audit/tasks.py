"""What the worker does for the audit on a schedule."""

import logging

from celery import shared_task

from console.audit import bounds

log = logging.getLogger("console.audit.tasks")


@shared_task(name="console.audit.tasks.prune_audit", soft_time_limit=300)
def prune_audit() -> None:
    """The audit within its bounds."""
    if number := bounds.prune():
        log.info("%d entries of the audit went: they were too old or too many", number)
