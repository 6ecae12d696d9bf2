"""A shell is an act, also when it is refused: with whom and from where, and with nothing of what was typed."""

from typing import Any

import pytest

from console.audit.models import AuditEntry
from kube.client import ClusterClient
from resources.views.terminal import TerminalApp

# From a thread of its own: its connection sees nothing of a test's transaction.
pytestmark = pytest.mark.django_db(transaction=True)


async def test_a_shell_in_a_pod_that_is_not_there(client: ClusterClient, redis_server: str) -> None:
    sent: list[Any] = []

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [(b"host", b"localhost"), (b"origin", b"http://localhost"), (b"x-request-id", b"0123456789")]
    path = "/resources/core/v1/pods/default/no-such-pod/terminal/socket/"
    scope = {
        "type": "websocket",
        "path": path,
        "query_string": b"container=web&command=echo+hunter2",
        "headers": headers,
        "client": ("192.0.2.9", 1),
    }
    await TerminalApp()(scope, receive, send)
    assert sent[-1]["type"] == "websocket.close"
    # Alone by its name: what another test could not write at once is tried again, and may come in between.
    (row,) = AuditEntry.objects.filter(name="no-such-pod")
    assert (row.verb, row.resource, row.name, row.outcome) == ("exec", "pods", "no-such-pod", "NotFound")
    assert (row.user, row.address, row.request_id) == (client.user, "192.0.2.9", "0123456789")
    assert (row.detail, row.source, row.diff) == ("container=web", "page", [])
    assert "hunter2" not in row.words
