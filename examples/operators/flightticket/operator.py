"""The FlightTicket operator. Run as ``python -m examples.operators.flightticket.operator``.

kopf watches and retries; booking.py decides. WATCH_NAMESPACE lists the namespaces to serve, separated by commas; empty
means all of them (OLM sets it from the OperatorGroup).
"""

from __future__ import annotations

import logging
import os
from typing import Any

import kopf

from examples.operators import health
from examples.operators.access import process_access
from examples.operators.kubeapi import KubeApi
from examples.operators.leader import elect
from examples.operators.login import login

from .booking import next_status

log = logging.getLogger("flightticket")

GROUP = "flights.com"
RESOURCE = (GROUP, "v1", "flighttickets")
#: Seconds until the airline answers.
MOMENT = 1.5


@kopf.on.startup()
async def start(settings: kopf.OperatorSettings, memo: kopf.Memo, **_: Any) -> None:
    """Settings of kopf. What it remembers of a ticket, it writes into annotations of the ticket."""
    settings.persistence.progress_storage = kopf.AnnotationsProgressStorage(prefix=GROUP)
    settings.persistence.diffbase_storage = kopf.AnnotationsDiffBaseStorage(prefix=GROUP, key="last-handled")
    # Its own "handler succeeded" is of no use to people who look at a ticket; ours is recorded by kopf.event.
    settings.posting.level = logging.ERROR
    settings.watching.server_timeout = 300
    # Looking for new kinds and namespaces would need rights in the whole cluster; OLM starts us when our kind is there.
    settings.scanning.disabled = True
    memo.health = await health.serve()
    memo.api = await KubeApi(process_access(), "flightticket-operator").__aenter__()
    memo.leader = await elect(memo.api, process_access().namespace, "flightticket-operator")


@kopf.on.cleanup()
async def stop(memo: kopf.Memo, **_: Any) -> None:
    """Gives the lease back and closes the connection."""
    memo.health.close()
    if memo.leader:
        await memo.leader.release()
    await memo.api.__aexit__()


kopf.on.login()(login)


@kopf.on.resume(*RESOURCE)
@kopf.on.create(*RESOURCE)
@kopf.on.update(*RESOURCE, field="spec")
def book(body: kopf.Body, patch: kopf.Patch, **_: Any) -> None:
    """A ticket is new, has another spec, or is met again after a restart: one step, and the next one after a moment."""
    status = next_status(body)
    if status is None:
        return
    patch.status.update(status)
    # The UID guards against a new ticket of the same name.
    patch.metadata["uid"] = body["metadata"]["uid"]
    phase, message = status["phase"], status["conditions"][0]["message"]
    if phase != body.get("status", {}).get("phase"):
        log.info("%s/%s: %s: %s", body["metadata"]["namespace"], body["metadata"]["name"], phase, message)
        kopf.event(body, type="Warning" if phase == "Rejected" else "Normal", reason=phase, message=message)
    if phase == "Pending":
        raise kopf.TemporaryError(message, delay=MOMENT)


def main() -> None:
    """Runs until SIGTERM."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    # kopf logs a handler's request for a retry as an error.
    logging.getLogger("kopf.objects").setLevel(logging.CRITICAL)
    namespaces = [name for name in os.environ.get("WATCH_NAMESPACE", "").split(",") if name]
    kopf.run(standalone=True, clusterwide=not namespaces, namespaces=namespaces)


if __name__ == "__main__":
    main()
