"""/healthz, /readyz and /metrics: for supervisors, load balancers and `make run`.

/healthz says that this process answers. /readyz says whether the console can do its job: database, Redis, API server and a
living watch hub, each with a sentence when it is not ready.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from console.web.clusters import console_client
from kube.errors import KubeError
from resources.changes import RedisError, living_hubs, ping


@dataclass(frozen=True, slots=True)
class PartState:
    ready: bool
    message: str = ""


def _database() -> PartState:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError as error:
        return PartState(False, f"the database does not answer: {error}. Check DATABASE_URL")
    return PartState(True)


def _redis() -> PartState:
    try:
        ping()
    except RedisError as error:
        return PartState(False, f"Redis does not answer: {error}. Check REDIS_URL")
    return PartState(True)


def _cluster() -> PartState:
    try:
        console_client().version()
    except KubeError as error:
        return PartState(False, str(error))
    return PartState(True)


def _worker() -> PartState:
    try:
        hubs = living_hubs()
    except RedisError:
        return PartState(False, "unknown while Redis does not answer")
    if not hubs:
        return PartState(
            False, "no worker watches the cluster: pages do not update by themselves. Is the Celery worker running?"
        )
    return PartState(True)


PARTS: dict[str, Callable[[], PartState]] = {
    "database": _database,
    "redis": _redis,
    "cluster": _cluster,
    "worker": _worker,
}


def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")


def readyz(request: HttpRequest) -> HttpResponse:
    """200 when every part is ready, else 503; either way JSON: {"ready": bool, "parts": {name: {"ready", "message"}}}."""
    states = {name: check() for name, check in PARTS.items()}
    ready = all(state.ready for state in states.values())
    body = {
        "ready": ready,
        "parts": {name: {"ready": state.ready, "message": state.message} for name, state in states.items()},
    }
    return JsonResponse(body, status=200 if ready else 503, headers={"Cache-Control": "no-store"})


def metrics(request: HttpRequest) -> HttpResponse:
    return HttpResponse(generate_latest(), content_type=CONTENT_TYPE_LATEST)
