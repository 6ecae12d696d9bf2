"""What the ways of signing in have in common: the page, where it may lead back to, and what a browser forgets."""

from urllib.parse import urlencode

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.utils.http import url_has_allowed_host_and_scheme

from console.signin.oidc.troubles import name
from console.signin.sessions import Person
from console.web.request import NAMESPACE_COOKIE

#: A digest of who used this browser last: what it keeps (drafts of forms) is not the next one's.
_LAST = f"{settings.SESSION_COOKIE_NAME}_last"
_YEAR = 365 * 24 * 3600


def ways() -> frozenset[str]:
    """The enabled methods of sign-in: `token`, `oidc`; none with SIGN_IN=local."""
    return frozenset(settings.SIGN_IN.split(",")) - {"local"}


def sign_in(request: HttpRequest, back: str, *, error: str = "", over: str = "", status: int = 200) -> HttpResponse:
    """The sign-in page. `over`: why the user was redirected here, see middleware.address()."""
    # A change of the language returns to this page, never to an address with a code in it.
    here = f"{reverse('signin:sign-in')}{'?' + urlencode({'next': back}) if back else ''}"
    context = {"back": back, "here": here, "error": error, "over": over, "ways": ways(), "provider": name()}
    return render(request, "signin/sign_in.html", context, status=status)


def entered(request: HttpRequest, person: Person, back: str) -> HttpResponse:
    """In, and on to where one wanted to go."""
    response = HttpResponseRedirect(back or reverse("pages:overview"))
    mark = salted_hmac("console.signin.last", person.user).hexdigest()
    if request.COOKIES.get(_LAST) != mark:
        forget(response)
        response.set_cookie(_LAST, mark, max_age=_YEAR, samesite="Lax", httponly=True, secure=settings.HTTPS)
    return response


def forget(response: HttpResponse) -> None:
    """Names of objects that the browser keeps: drafts of forms, messages, the chosen namespace.

    https://www.w3.org/TR/clear-site-data/ : browsers do it where the page is of https or localhost.
    """
    response["Clear-Site-Data"] = '"cache", "storage"'
    for cookie in (NAMESPACE_COOKIE, "messages"):
        response.delete_cookie(cookie, samesite="Lax")


def safe(request: HttpRequest, back: str) -> str:
    """The address to return to, or '' unless it is a page of this console other than sign-in and sign-out."""
    good = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()}, require_https=request.is_secure())
    return back if good and not back.startswith((reverse("signin:sign-in"), reverse("signin:sign-out"))) else ""
