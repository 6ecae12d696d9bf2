"""A line in the audit log for every change that somebody makes through the console: who, what, which object, how it ended."""

import logging

from console.web.request import ConsoleRequest
from kube.client import ClusterClient

log = logging.getLogger("console.audit")


def record(request: ConsoleRequest, verb: str, ref: str, outcome: str) -> None:
    """`ref` is group/version/plural namespace/name; `outcome` is 'ok' or the API server's reason. Never holds values of the object."""
    note(request.cluster, verb, ref, outcome)


def note(client: ClusterClient, verb: str, ref: str, outcome: str) -> None:
    """The same for what goes on without a request."""
    log.info("user=%s cluster=%s verb=%s object=%s outcome=%s", client.user, client.name, verb, ref, outcome)
