"""What every view may ask of its request: the signed-in user's cluster and the chosen namespace."""

import time
from collections.abc import Callable
from functools import partial

from django.conf import settings
from django.contrib import messages
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject
from django.utils.http import url_has_allowed_host_and_scheme
from django_htmx.http import trigger_client_event
from django_htmx.middleware import HtmxDetails

from console.prefer import store as preferred
from console.reach import discovery
from console.reach.discovery import is_name
from console.web import clusters
from console.web.clusters import console_client
from console.web.front import place_of
from kube import recording
from kube.client import ClusterClient
from kube.errors import KubeError

NAMESPACE_COOKIE = "console_namespace"
ALL_NAMESPACES = "-"
#: The mark of messages that are the API server's warnings: they stand above a page's content (templates/base.html).
CLUSTER_WARNING = "cluster-warning"
#: Headers by which htmx goes to another page: events of such an answer are heard by no page.
_LEADING_AWAY = ("HX-Redirect", "HX-Location", "HX-Refresh")


class ConsoleRequest(HttpRequest):
    """The type that views declare. `cluster` and `namespace` are put there by ClusterMiddleware."""

    htmx: HtmxDetails
    cluster: ClusterClient
    namespace: str
    LANGUAGE_CODE: str
    started: float  # time.monotonic() at its arrival: live updates of the page begin there


def namespace_of(request: HttpRequest) -> str:
    """The namespace of this page: `?namespace=`, else the one picked last, else where this person's visits begin; ''
    is all namespaces.
    """
    value = request.GET.get("namespace")
    if value is None:
        value = picked_namespace(request) or preferred.preferences_of(request).namespace
    return "" if value == ALL_NAMESPACES else value


def picked_namespace(request: HttpRequest) -> str:
    """What the namespace bar remembers: a name, ALL_NAMESPACES, or '' for nothing.

    A cookie with anything else is ignored.
    """
    value = request.COOKIES.get(NAMESPACE_COOKIE, "")
    return value if value == ALL_NAMESPACES or is_name(value) else ""


def remember_namespace(request: HttpRequest, response: HttpResponse, namespace: str) -> None:
    """Pick a namespace for the pages to come: only for what the reader did to pick one, never for an address that
    names one.
    """
    response.set_cookie(
        NAMESPACE_COOKIE,
        namespace,
        # People whose visits begin in a namespace of their own choice pick another one for this visit.
        max_age=None if preferred.preferences_of(request).namespace else 365 * 24 * 3600,
        samesite="Lax",
        httponly=True,
        secure=settings.HTTPS,
    )


def wants_fragment(request: HttpRequest) -> bool:
    """True when htmx asks for a part of a page; not for a boosted link nor a restored history entry, which need it
    whole.
    """
    # Absent where an earlier middleware refused the request.
    htmx: HtmxDetails | None = getattr(request, "htmx", None)
    return htmx is not None and bool(htmx) and not htmx.boosted and not htmx.history_restore_request


def _add_messages(request: HttpRequest, response: HttpResponse, texts: list[str]) -> None:
    """The cluster's warnings, in the answer; on the next page where the answer leads to another one.

    A whole page has printed them itself.
    """
    if 300 <= response.status_code < 400 or any(name in response.headers for name in _LEADING_AWAY):
        for text in texts:
            messages.warning(request, text, extra_tags=CLUSTER_WARNING)
    elif wants_fragment(request):
        trigger_client_event(response, "console:warnings", {"texts": texts})
    elif request.path_info.startswith("/api/"):
        quoted = (text.encode("ascii", "replace").decode().replace("\\", r"\\").replace('"', r"\"") for text in texts)
        response.headers["Warning"] = ", ".join(f'299 - "{text}"' for text in quoted)


def _note(request: HttpRequest, named: object) -> None:
    """Remembers the namespaces in a user's addresses, for users who can't list namespaces (console/reach)."""
    namespace = str(named or request.GET.get("namespace", ""))
    local = settings.SIGN_IN == "local"
    if (local and not namespace) or (not local and getattr(request, "person", None) is None):
        return
    try:
        client = request.cluster  # type: ignore[attr-defined]
        if not discovery.limited(client):
            return
        discovery.own(client)  # for those of its threads that read: they ask no database
        if namespace != ALL_NAMESPACES and request.method in ("GET", "HEAD"):
            discovery.opened(client, namespace)
    except (KubeError, DatabaseError):
        return  # pages that need them report the error


class ClusterMiddleware:
    """Gives each request its `cluster` (on first use) and `namespace`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        request.started = time.monotonic()  # type: ignore[attr-defined]
        # With sign-in, console/signin/middleware.py has set the user's client; without a user there is none.
        place = place_of(request)
        own = console_client if place.default else partial(clusters.client_of, place)
        of = getattr(request, "client_of", None) or own
        request.cluster = SimpleLazyObject(of)  # type: ignore[attr-defined]
        request.namespace = namespace_of(request)  # type: ignore[attr-defined]
        with recording.collect_warnings() as texts:
            request.cluster_warnings = texts  # type: ignore[attr-defined]
            response = self.get_response(request)
        if texts:
            _add_messages(request, response, texts)
        return response

    def process_view(self, request: HttpRequest, view: object, arguments: object, named: dict[str, object]) -> None:
        _note(request, named.get("namespace"))


def own_address(request: HttpRequest, address: str) -> str:
    """The address that a form sent to return to, '' unless it is one of this console."""
    allowed = {request.get_host()}
    is_own = url_has_allowed_host_and_scheme(address, allowed_hosts=allowed, require_https=request.is_secure())
    return address if is_own else ""
