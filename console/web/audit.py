"""Records each change made through the console: user, verb, object and outcome.

A line in the log, and a row of the audit (console/audit).
"""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager

from console import request_id
from console.audit import recorder
from console.audit.scene import Scene, Where
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.errors import KubeError


def record(request: ConsoleRequest, verb: str, ref: str, outcome: str) -> None:
    """`ref` is group/version/plural namespace/name; `outcome` is 'ok' or the API server's reason.

    Never holds values of the object.

    The changed fields come from the requests sent to that object during this request (console/audit/entries.py).
    """
    note(request.cluster, verb, ref, outcome)


@contextmanager
def recorded(request: ConsoleRequest, verb: str, ref: str, *, dry_run: bool = False) -> Iterator[None]:
    """Around a change: record()s that it was made, or why the API server refused it; nothing of a dry run."""
    if dry_run:
        yield
        return
    try:
        yield
    except KubeError as error:
        record(request, verb, ref, error.reason)
        raise
    record(request, verb, ref, "ok")


def note(client: ClusterClient, verb: str, ref: str, outcome: str, where: Where | None = None) -> None:
    """As record(), outside of a request. `where`: its origin, if no scene is active."""
    user, as_user = (client.by, client.user) if client.by else (client.user, "")
    recorder.note(cluster=client.name, user=user, verb=verb, ref=ref, outcome=outcome, where=where, as_user=as_user)


def secrets_read(client: ClusterClient, ref: str, how: str, names: Iterable[str], where: Where | None = None) -> None:
    """Values of Secrets were handed out by the API: one act, whether of one, of a list or of a watch.

    `how`: get, patch or delete; list or watch, with `names`.
    """
    found = list(names)
    words = f" {how} of {len(found)}: {', '.join(found)}" if how in ("list", "watch") else f" {how}"
    note(client, "reveal", ref + words, "ok", where)


def of_worker() -> AbstractContextManager[Scene]:
    """Around a task that changes objects."""
    return recorder.scene(Where("worker", request_id=request_id.current()))


def write_now() -> None:
    """Writes what is recorded so far; for tasks that run long."""
    recorder.write_now()
