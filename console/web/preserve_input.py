"""Preserves the input of a form that could not be processed: shown for copying, and ready to be sent again.

For forms whose page can't be rendered: the cluster is unreachable, the type isn't served any more, or the CSRF token
has expired.
"""

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from console.web.errors import Problem, problem_response, wants_json
from console.web.render import skeleton
from console.web.request import wants_fragment

#: Not posted again: they belong to one request.
_OWN = frozenset({"csrfmiddlewaretoken"})
HEADER = "X-Console-Kept"
#: In the session of a browser that started or stopped impersonation: its older pages belong to the other identity.
SWITCHED = "console_switched"


def preserved_response(request: HttpRequest, problem: Problem, text: str = "") -> HttpResponse:
    """The error page with the input. `text`: the input as text for reading. htmx gets the message alone: its page still
    has the input.
    """
    if wants_fragment(request):
        context = {"problem": problem, "skeleton": skeleton(request)}
        response = render(request, "console/kept.html", context, status=problem.status)
        # Scripts of our own origin alone can read it: the page takes it and sends once more.
        response[HEADER] = get_token(request)
        return response
    pairs = [(name, value) for name, values in request.POST.lists() if name not in _OWN for value in values]
    context = {"problem": problem, "pairs": pairs, "text": text, "skeleton": skeleton(request)}
    response = render(request, "console/kept.html", context, status=problem.status)
    response["Cache-Control"] = "no-store"
    return response


def too_old(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's CSRF_FAILURE_VIEW: the form was open longer than its token lived, or cookies are off."""
    if secret(request):
        advice = _("Reload the page, then enter your input again. Cookies must be allowed.")
        return problem_response(
            request, Problem(status=403, title=_("This form was open for too long"), advice=advice, detail="")
        )
    if not from_here(request):
        advice = _("Open the page in the console and submit the form there. Cookies must be allowed.")
        return problem_response(
            request,
            Problem(
                status=403, title=_("This form can't be submitted from another site"), advice=advice, detail=reason
            ),
        )
    if request.session.get(SWITCHED):
        return _other(request, reason)
    advice = _("The form's token has expired. Submit it again; cookies must be allowed.")
    response = preserved_response(
        request, Problem(status=403, title=_("This form was open for too long"), advice=advice, detail=reason)
    )
    if HEADER in response:
        response["X-Console-Again"] = "1"
    return response


def _other(request: HttpRequest, reason: str) -> HttpResponse:
    """Refuses a request of a page that was loaded with another identity: the user reloads the page, or sends the form
    again below a notice that names the identity.
    """
    title = _("Your identity changed after this page was loaded")
    advice = _("You started or stopped impersonation in this browser. Nothing was changed.")
    if wants_fragment(request) or wants_json(request):
        again = _("Reload the page.")
        return problem_response(request, Problem(status=403, title=title, advice=f"{advice} {again}", detail=""))
    return preserved_response(request, Problem(status=403, title=title, advice=advice, detail=reason))


def secret(request: HttpRequest) -> bool:
    """Whether what was typed must not be shown again, not even to who typed it: the sign-in's form."""
    return request.path == reverse("signin:sign-in")


def from_here(request: HttpRequest) -> bool:
    """Whether a page of ours sent this. A form of another site must not be offered for sending again."""
    origin = request.headers.get("Origin") or request.headers.get("Referer") or ""
    return urlsplit(origin).netloc == request.get_host()
