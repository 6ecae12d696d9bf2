"""/healthz, /readyz and /metrics: for supervisors, load balancers and `make run`.

/healthz says that this process answers. /readyz says whether the console can do its job: database, Redis, API server
and a living watch hub, each with a sentence when it is not ready. /metrics is this process' own, and what hubs say
(resources/stream/metrics.py).
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from console.web import loop
from console.web.clusters import console_client
from kube.errors import KubeError
from resources.changes import RedisError, ping
from resources.changes.heartbeats import hub_states, is_redis_full
from resources.stream import metrics as _live  # noqa: F401  registers what live status has to tell


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
        full = is_redis_full()
    except RedisError as error:
        return PartState(False, f"Redis does not answer: {error}. Check REDIS_URL")
    if full:
        return PartState(False, "Redis is full, live updates are paused: give it more than its maxmemory, or free some")
    return PartState(True)


def _cluster() -> PartState:
    try:
        console_client().version()
    except KubeError as error:
        return PartState(False, str(error))
    return PartState(True)


def _worker() -> PartState:
    try:
        hubs = hub_states()
    except RedisError:
        return PartState(False, "unknown while Redis does not answer")
    if not hubs:
        return PartState(
            False, "no worker watches the cluster: pages do not update by themselves. Is the Celery worker running?"
        )
    # One hub that can watch is enough to be ready; the problem of another is reported nevertheless.
    problem = next((f"{hub.id}: {hub.problem}" for hub in hubs if hub.problem), "")
    return PartState(any(not hub.problem for hub in hubs), problem)


PARTS: dict[str, Callable[[], PartState]] = {
    "database": _database,
    "redis": _redis,
    "cluster": _cluster,
    "worker": _worker,
}


def _from_outside(request: HttpRequest) -> bool:
    """Whether a request came through a gateway: with sign-in, anyone can reach the console that way.

    Probes and Prometheus call the process directly.
    """
    return settings.SIGN_IN != "local" and any(name in request.headers for name in ("X-Forwarded-For", "Forwarded"))


def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")


def readyz(request: HttpRequest) -> HttpResponse:
    """200 when every part is ready, else 503; either way JSON: {"ready": bool, "parts": {name: {"ready", "message"}}}.

    `?only=database,redis` asks for some parts alone: a load balancer need not take pages away that load without the
    others.
    """
    wanted = [name for name in request.GET.get("only", "").split(",") if name] or [*PARTS]
    if unknown := [name for name in wanted if name not in PARTS]:
        text = f"only={unknown[0]}: there is no such part; there are {', '.join(PARTS)}\n"
        return HttpResponse(text, status=400, content_type="text/plain")
    states = {name: PARTS[name]() for name in wanted}
    if loop.is_shutting_down():
        states["process"] = PartState(False, "this process is told to end: ask another one")
    ready = all(state.ready for state in states.values())
    if _from_outside(request):
        # Addresses and causes are nothing for who has not signed in.
        states = {name: PartState(state.ready) for name, state in states.items()}
    body = {
        "ready": ready,
        "parts": {name: {"ready": state.ready, "message": state.message} for name, state in states.items()},
    }
    return JsonResponse(body, status=200 if ready else 503, headers={"Cache-Control": "no-store"})


def metrics(request: HttpRequest) -> HttpResponse:
    """Of this process. Its labels name kinds and namespaces, so it is not for who comes through a gateway."""
    if _from_outside(request):
        return HttpResponse("for programs that ask this process itself\n", status=403, content_type="text/plain")
    return HttpResponse(generate_latest(), content_type=CONTENT_TYPE_LATEST)
