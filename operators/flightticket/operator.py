"""The FlightTicket operator. Run as ``python -m operators.flightticket.operator``.

kopf watches and retries; booking.py decides. WATCH_NAMESPACE lists the namespaces to serve, separated by commas; empty means all of
them (OLM sets it from the OperatorGroup).
"""

from __future__ import annotations

import logging
import os
from typing import Any

import kopf

from .booking import next_status

log = logging.getLogger("flightticket")

GROUP = "flights.com"
RESOURCE = (GROUP, "v1", "flighttickets")
#: Seconds until the airline answers.
MOMENT = 1.5


@kopf.on.startup()
async def start(settings: kopf.OperatorSettings, **_: Any) -> None:
    """Settings of kopf. What it remembers of a ticket, it writes into annotations of the ticket."""
    settings.persistence.progress_storage = kopf.AnnotationsProgressStorage(prefix=GROUP)
    settings.persistence.diffbase_storage = kopf.AnnotationsDiffBaseStorage(prefix=GROUP, key="last-handled")
    # Its own "handler succeeded" is of no use to people who look at a ticket; ours is recorded by kopf.event.
    settings.posting.level = logging.ERROR
    settings.watching.server_timeout = 300
    # Looking for new kinds and namespaces would need rights in the whole cluster; OLM starts us when our kind is there.
    settings.scanning.disabled = True


@kopf.on.login()
def login(**_: Any) -> kopf.ConnectionInfo | None:
    """By KUBECONFIG or the Pod's ServiceAccount; importing the official client for it would cost 40 MB."""
    if os.environ.get("KUBECONFIG"):
        return kopf.login_with_kubeconfig(**_)
    return kopf.login_with_service_account(**_)


@kopf.on.resume(*RESOURCE)
@kopf.on.create(*RESOURCE)
@kopf.on.update(*RESOURCE, field="spec")
def book(body: kopf.Body, patch: kopf.Patch, **_: Any) -> None:
    """A ticket is new, has another spec, or is met again after a restart: one step, and the next one after a moment."""
    status = next_status(body)
    if status is None:
        return
    patch.status.update(status)
    # Only onto this very ticket: another one may have its name by now.
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
    # A handler that asks to be called again is no error; the questions about health are many.
    logging.getLogger("kopf.objects").setLevel(logging.CRITICAL)
    logging.getLogger("aiohttp.access").setLevel(logging.WARNING)
    namespaces = [name for name in os.environ.get("WATCH_NAMESPACE", "").split(",") if name]
    port = os.environ.get("SANDBOX_PORT_8080")
    health = f"http://127.0.0.1:{port}/healthz" if port else "http://0.0.0.0:8080/healthz"
    kopf.run(standalone=True, clusterwide=not namespaces, namespaces=namespaces, liveness_endpoint=health)


if __name__ == "__main__":
    main()
