"""The request of a stream, read from raw ASGI before anything is answered: who asks, and for what.

A stream ends with its user's session. Only the session's digest is passed on: it grants no access, so other processes
and Redis may see it. The signal that ends streams is connected on import, so where streams are.
"""

import io
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.urls import set_script_prefix
from django.utils.http import is_same_domain
from django_htmx.middleware import HtmxDetails

from console.signin import impersonation, sessions, signals
from console.signin.middleware import SignInMiddleware, set_impersonation
from console.web.asgi import Receive, Scope
from console.web.front import place_of
from console.web.language import LanguageMiddleware
from console.web.request import ClusterMiddleware
from console.web.request_body import BodyRefused, read_body
from kube import limits
from kube.client import ClusterClient
from kube.errors import KubeError
from resources.changes import RedisError
from resources.changes.streams import end_session
from resources.stream.subscriptions import (
    TooManyTopics,
    TopicSubscription,
    subscriptions_in_address,
    subscriptions_in_body,
)

log = logging.getLogger(__name__)


class Refused(Exception):
    """An error response instead of a stream."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamRequest:
    """The request of one connection.

    `since`: where to resume. `session`: its digest, '' without sign-in; `lives()`: whether the session still exists.
    """

    client: ClusterClient
    language: str
    subscriptions: list[TopicSubscription]
    since: str
    session: str
    lives: Callable[[], bool]


def _capture(request: HttpRequest) -> HttpResponse:
    """The innermost "view": what the middleware found stays on the request."""
    return HttpResponse()


def _acting(get_response: Any) -> Any:
    """As ActingMiddleware, whose refusals are pages."""

    def layer(request: Any) -> HttpResponse:
        request.acting = None
        if not getattr(request, "by_token", False):
            set_impersonation(request)
        response: HttpResponse = get_response(request)
        return response

    return layer


# As settings.MIDDLEWARE has them, as far as a stream needs them: who asks, in which language, of which cluster.
_chain: Any = ClusterMiddleware(_capture)
for _layer in (_acting, SignInMiddleware, AuthenticationMiddleware, LanguageMiddleware, SessionMiddleware):
    _chain = _layer(_chain)


def request_of(scope: Scope) -> Any:
    """The request as a view would get it: who asks, of which cluster, in which language. Raises Refused."""
    request: Any = ASGIRequest(dict(scope), io.BytesIO())
    try:
        request.get_host()
    except DisallowedHost as error:
        raise Refused(400, "this host name is not the console's: see ALLOWED_HOSTS") from error
    set_script_prefix(f"{place_of(request).prefix}/")
    request.htmx = HtmxDetails(request)  # ?namespace= asks for it
    _chain(request)
    if settings.SIGN_IN != "local" and request.person is None:
        raise Refused(401, "sign in first")
    if request.acting is not None and request.acting.over:
        raise Refused(403, "you do not act as somebody else any more: load the page again")
    mark = request.headers.get("X-Console-Who")
    if mark is not None and mark != (request.acting.mark if request.acting else ""):
        raise Refused(401, "this page was made for somebody else: load it again")
    return request


def client_of(request: Any) -> ClusterClient:
    """The client of the request's user on its cluster. Raises Refused where there is none."""
    try:
        client: ClusterClient = request.cluster
        # It is made when it is used first.
        assert client.name is not None
    except KubeError as error:
        raise Refused(503, str(error)) from error
    return client


def asked_of(scope: Scope, body: bytes | None) -> StreamRequest:
    """`body`: of a POST, None of a GET. Raises Refused."""
    request = request_of(scope)
    if body is not None:
        _only_from_here(request)
    try:
        if body is None:
            subscriptions = subscriptions_in_address(request.GET.getlist("topic"), request.GET.getlist("notice"))
            since, language = request.GET.get("since", ""), ""
        else:
            subscriptions, since, language = subscriptions_in_body(body)
    except TooManyTopics as error:
        raise Refused(400, str(error)) from error
    except ValueError as error:
        raise Refused(400, f"the body is not what a stream can be asked for: {error}") from error
    client = client_of(request)
    since = request.headers.get("Last-Event-ID") or since
    if language not in dict(settings.LANGUAGES):
        language = request.LANGUAGE_CODE
    session = session_digest(request)
    return StreamRequest(
        client=client,
        language=language,
        subscriptions=subscriptions,
        since=since,
        session=session,
        # Asks the database. Holds on to the key only, not to the request.
        lives=partial(impersonation.lives, session),
    )


def _only_from_here(request: Any) -> None:
    """Keeps other sites from opening streams with a user's cookies.

    Their pages can't send JSON without a CORS preflight, so this is a second line of defence.

    https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site ; programs send neither header.
    """
    site, origin = request.headers.get("Sec-Fetch-Site", ""), request.headers.get("Origin", "")
    # https comes in front of us where HTTPS is not ours: the host is what counts.
    foreign = origin and urlsplit(origin).netloc != request.get_host() and not _trusted(origin)
    if site not in ("", "same-origin", "none") or foreign:
        raise Refused(403, "a page of another site may not open a stream here")


def _trusted(origin: str) -> bool:
    """As Django's own check of forms has it: CSRF_TRUSTED_ORIGINS, also `https://*.example.com`."""
    asked = urlsplit(origin)
    known = (urlsplit(trusted) for trusted in settings.CSRF_TRUSTED_ORIGINS)
    return any(
        asked.scheme == trusted.scheme and is_same_domain(asked.netloc, trusted.netloc.lstrip("*")) for trusted in known
    )


async def body_of(scope: Scope, receive: Receive) -> bytes | None:
    """The JSON of a POST, None of a GET. Raises Refused."""
    if scope["method"] == "GET":
        return None
    if scope["method"] != "POST":
        raise Refused(405, "only GET and POST")
    headers = dict(scope["headers"])
    if headers.get(b"content-type", b"").partition(b";")[0].strip().lower() != b"application/json":
        raise Refused(415, "Content-Type has to be application/json")
    try:
        return await read_body(scope, receive, limits.STREAM_BODY_BYTES.value)
    except BodyRefused as error:
        raise Refused(error.status or 400, error.title) from error


def session_digest(request: HttpRequest) -> str:
    """The digest of the session, or of the impersonation within it; '' without sign-in."""
    person: sessions.Person | None = getattr(request, "person", None)
    as_another: impersonation.Acting | None = getattr(request, "acting", None)
    return as_another.key if as_another else person.session if person else ""


@receiver(signals.ended, dispatch_uid="console-streams")
def _ended(session: str, **_kwargs: Any) -> None:
    """Ends the streams of a session that ended."""
    try:
        end_session(session)
    except RedisError as error:
        # The sign-out itself must not fail. The periodic check ends the streams later.
        log.error("open streams of a session that ended could not be notified: %s", error)
