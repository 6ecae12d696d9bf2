"""Marks clusters as active so that workers watch them: the default one always, others for a while after the last page
view.
"""

import logging
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from console.web.front import place_of
from resources.changes import RedisError
from resources.changes.heartbeats import ACTIVE_SECONDS, mark_active

log = logging.getLogger("console.active_clusters")
_AGAIN_SECONDS = ACTIVE_SECONDS / 60
_marked_until: dict[str, float] = {}


class ActiveClusterMiddleware:
    """Marks the request's cluster as active. After the sign-in, so that only signed-in users do."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if alias := place_of(request).alias:
            _mark_active(alias)
        return self.get_response(request)


def _mark_active(alias: str) -> None:
    now = time.monotonic()
    if _marked_until.get(alias, 0.0) > now:
        return
    _marked_until[alias] = now + _AGAIN_SECONDS
    try:
        mark_active(alias)
    except RedisError as error:
        log.warning("no worker hears that somebody looks at %s: %s", alias, error)
