"""The one place where errors become answers: a page, a part for htmx, or a JSON problem.

Views let KubeError rise. The message says what happened, to which object, and what to do; what the API server said is
kept, word for word, below it.

If a form can't be processed and its page can't be rendered (the cluster is unreachable, the type isn't served any more,
or the CSRF token has expired), the error page has the form's input, for copying and ready to be sent again.
"""

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import DisallowedHost, RequestDataTooBig, TooManyFieldsSent
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from console import request_id
from console.web.access import missing_permission
from console.web.render import skeleton
from console.web.request import wants_fragment
from kube.errors import (
    AlreadyExists,
    BadRequest,
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    InvalidAnswer,
    InvalidConfig,
    KubeError,
    NotFound,
    NotRenewed,
    PluginFailed,
    TooDeepAnswer,
    TooLarge,
    TooManyRequests,
    Unauthorized,
    Unreachable,
)

log = logging.getLogger("console.errors")

# Of the API server's error messages, see _server_problem().
_CONVERSION = re.compile(r"conversion webhook for (?P<api>\S+), Kind=(?P<kind>\w+) failed", re.S)
_ADMISSION = re.compile(r'failed calling webhook "(?P<name>[^"]+)"')
_SERVICE = re.compile(r'service "(?P<name>[^"]+)" not found')
# See _admission_problem().
_QUOTA = re.compile(r"(?:exceeded|failed) quota: (?P<name>[a-z0-9.-]+)")
_POLICY = re.compile(r"ValidatingAdmissionPolicy '(?P<name>[^']+)' with binding '[^']+' denied request")
_WEBHOOK = re.compile(r'admission webhook "(?P<name>[^"]+)" denied the request')
_TERMINATING = re.compile(r"because it is being terminated")


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What a person reads. `status` is the HTTP status of the answer."""

    status: int
    title: str
    advice: str
    detail: str
    reason: str = ""
    retry_after: float = 0


def explain(error: KubeError) -> Problem:
    """The problem in words: one title and one advice for each kind of error."""
    for kind, status, title, advice in (
        (
            PluginFailed,
            503,
            _("The kubeconfig's credential plugin failed"),
            _(
                "Run the plugin's command where the console runs to see why. You might have to sign in again. The"
                " console retries every few seconds."
            ),
        ),
        (
            InvalidConfig,
            503,
            _("The kubeconfig can't be used"),
            _("Correct the file named below. The console detects the change."),
        ),
        (
            NotRenewed,
            503,
            _("Your sign-in can't be renewed at the moment"),
            _("The sign-in provider isn't responding. You are still signed in; try again in a moment."),
        ),
        (
            TooDeepAnswer,
            502,
            _("The object is nested too deeply"),
            _("The console can't read this object, but kubectl can. Other objects aren't affected."),
        ),
        (
            InvalidAnswer,
            502,
            _("The response didn't come from the cluster"),
            _(
                "A proxy or a sign-in page may be responding instead. Check the cluster's address and proxy in the"
                " kubeconfig. This page works again as soon as the API server responds."
            ),
        ),
        (
            Unreachable,
            503,
            _("The cluster isn't responding"),
            _(
                "Check that the API server is running and that this machine can reach it. This page works "
                "again as soon as the API server responds."
            ),
        ),
        (
            Unauthorized,
            401,
            _("The cluster doesn't accept the credentials"),
            _(
                "The token or certificate in the kubeconfig has expired or is wrong. Renew it; the console detects the"
                " change."
            ),
        ),
        (
            Forbidden,
            403,
            _("Permission denied"),
            _("Ask an administrator of the cluster for the permission named below."),
        ),
        (
            NotFound,
            404,
            _("Not found"),
            _("It may have been deleted, or the cluster no longer serves its type."),
        ),
        (
            AlreadyExists,
            409,
            _("An object with this name already exists"),
            _("Choose another name, or open the existing object."),
        ),
        (
            Conflict,
            409,
            _("Another user changed the object"),
            _("Reload the object, check what changed, and repeat your change."),
        ),
        (Gone, 410, _("This part of the list has expired"), _("Reload the list from its first page.")),
        (BadRequest, 400, _("The cluster can't process this request"), _("Correct the fields listed below.")),
        (Invalid, 422, _("The cluster rejected the object"), _("Correct the fields listed below.")),
        (
            TooLarge,
            413,
            _("The object is too large for the cluster"),
            _(
                "The API server accepts requests of up to 3 MB, and stores objects of up to 1.5 MB. Split "
                "the object, or store large data elsewhere."
            ),
        ),
        (TooManyRequests, 429, _("The cluster is busy"), _("Wait a few seconds, then try again.")),
    ):
        if isinstance(error, kind):
            if kind in (Forbidden, BadRequest, Invalid):
                title, advice = _admission_problem(error) or (title, advice)
            if error.retry_after:
                advice = _("Try again in %(seconds)d seconds.") % {"seconds": ceil(error.retry_after)}
            return Problem(
                status=status,
                title=title,
                advice=advice,
                detail=str(error),
                reason=error.reason,
                retry_after=error.retry_after,
            )
    # An API server's 500 isn't the console's: monitoring counts it as a fault of the cluster.
    status = error.code if 400 <= error.code < 600 and error.code != 500 else 502
    known = _server_problem(error)
    title, advice = known or (
        _("The cluster returned an error"),
        _("Try again. If it continues, check the API server's log."),
    )
    return Problem(status=status, title=title, advice=advice, detail=str(error), reason=error.reason)


def _admission_problem(error: KubeError) -> tuple[str, str] | None:
    """(title, advice) if neither a missing permission nor a field is the reason of a refusal; else None.

    Recognized by kube-apiserver's messages: apiserver pkg/admission/plugin/{resourcequota/controller.go,
    policy/validating/dispatcher.go, webhook/errors/statuserror.go, namespace/lifecycle/admission.go}.
    """
    text = str(error)
    ask = _("The message below says why. Follow it, or ask an administrator of the cluster.")
    for pattern, title, advice in (
        (
            _QUOTA,
            _("The resource quota “%(name)s” doesn't allow this"),
            _("Delete objects that you no longer need, or ask an administrator to change the quota."),
        ),
        (_POLICY, _("The admission policy “%(name)s” doesn't allow this"), ask),
        (_WEBHOOK, _("The admission webhook “%(name)s” doesn't allow this"), ask),
        (
            _TERMINATING,
            _("The namespace is being deleted"),
            _("Select another namespace, or wait until it is deleted."),
        ),
    ):
        if found := pattern.search(text):
            return title % found.groupdict(), advice
    return None


def _server_problem(error: KubeError) -> tuple[str, str] | None:
    """(title, advice) if a webhook that the API server calls is broken, or another API server behind it; else None.

    Recognized by kube-apiserver's messages, which have been the same since webhooks exist: apiextensions-apiserver
    pkg/apiserver/conversion/webhook_converter.go, apiserver pkg/admission/plugin/webhook/errors, kube-aggregator
    pkg/apiserver/handler_proxy.go.
    """
    text = str(error)
    if found := _CONVERSION.search(text):
        title = _("%(kind)s objects can't be converted to this version") % {"kind": found["kind"]}
        if service := _SERVICE.search(text):
            advice = _(
                "The custom resource definition names a conversion webhook whose Service “%(name)s” doesn't "
                "exist. Reinstall the operator that provides it, or set spec.conversion.strategy of the "
                "definition to None if the versions don't differ. Other resource types aren't affected."
            )
            return title, advice % {"name": service["name"]}
        return title, _(
            "The conversion webhook of the custom resource definition isn't responding correctly. Check "
            "the Pods of the operator that runs it, and the certificate (caBundle) in the definition. "
            "Objects can still be read in their stored version; other resource types aren't affected."
        )
    if found := _ADMISSION.search(text):
        title = _("The webhook “%(name)s” isn't responding") % {"name": found["name"]}
        return title, _(
            "The cluster must call this webhook before it accepts the change. Check the Pods of the "
            "operator that runs it. The ValidatingWebhookConfiguration or MutatingWebhookConfiguration "
            "names the Service; its failurePolicy defines what happens without a response."
        )
    if error.code == 503:
        return _("The server of this API isn't responding"), _(
            "This API group is served by another server, which is down or missing. Other resource types aren't"
            " affected. The group's APIService names the Service and says why it isn't available."
        )
    return None


def wants_json(request: HttpRequest) -> bool:
    return request.path_info.startswith("/api/") or request.headers.get("Accept", "").startswith("application/json")


def as_json(problem: Problem) -> dict[str, Any]:
    """The shape of every error under /api/."""
    return {
        "status": problem.status,
        "title": problem.title,
        "detail": problem.detail,
        "advice": problem.advice,
        "reason": problem.reason,
    }


def headers_of(problem: Problem) -> dict[str, str]:
    """What the API server asked for is passed on: whole seconds to wait."""
    return {"Retry-After": str(ceil(problem.retry_after))} if problem.retry_after else {}


def needs_namespace(request: HttpRequest, problem: Problem) -> bool:
    """Whether all namespaces were refused, and one of them may be allowed: the page asks for its name."""
    missing = missing_permission(problem.detail) if problem.status == 403 and request.method == "GET" else None
    if missing is None or missing.namespace or getattr(request, "namespace", "-"):
        return False
    try:
        types = request.cluster.types()  # type: ignore[attr-defined]
    except KubeError:
        return False
    wanted = (missing.group, missing.resource.partition("/")[0])
    return any(type_.namespaced and (type_.group, type_.plural) == wanted for type_ in types)


def all_namespaces_refused() -> str:
    """The advice on a page that shows all namespaces, to a user who can read in some."""
    return _("You don't have permission to list all namespaces. Pick one of yours.")


def problem_response(request: HttpRequest, problem: Problem) -> HttpResponse:
    """HTML page, htmx part or JSON, by who asks."""
    if wants_json(request):
        return JsonResponse(as_json(problem), status=problem.status, headers=headers_of(problem))
    if pick := needs_namespace(request, problem):
        problem = replace(problem, advice=all_namespaces_refused())
    context = {"problem": problem, "number": request_id.current(), "skeleton": skeleton(request), "pick": pick}
    response = render(request, "console/problem.html", context, status=problem.status)
    for name, value in headers_of(problem).items():
        response[name] = value
    return response


class KubeErrorMiddleware:
    """Answers every KubeError that a view lets rise."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, KubeError):
            return None
        problem = explain(error)
        log.info("%s %s: %s", request.method, request.path, error)
        return problem_response(request, problem)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return problem_response(
        request,
        Problem(
            status=404,
            title=_("Page not found"),
            advice=_("Check the address, or start from the navigation."),
            detail=request.path,
        ),
    )


def server_error(request: HttpRequest) -> HttpResponse:
    return problem_response(
        request,
        Problem(
            status=500,
            title=_("Console error"),
            advice=_(
                "This is a bug in the console. What you typed is still on the previous page; the log has the details."
            ),
            detail=request.path,
        ),
    )


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's word for what no page of ours sends, but for two cases: another host name, and more than it takes."""
    if isinstance(exception, DisallowedHost):
        # Plain, and nothing of the console's frame: the question may come from a page whose name was bent to this
        # address.
        words = _("This console doesn't serve this host name. If it should, add the name to ALLOWED_HOSTS.")
        return HttpResponse(f"{words}\n", status=400, content_type="text/plain; charset=utf-8")
    if isinstance(exception, (RequestDataTooBig, TooManyFieldsSent)):
        advice = _(
            "The console accepts up to 16 MB and 200,000 fields; a cluster accepts objects of up to 1.5 "
            "MB. Go back: your browser keeps what you typed. Make the object smaller, or use kubectl."
        )
        return problem_response(
            request, Problem(status=413, title=_("Your input is too large"), advice=advice, detail="")
        )
    advice = _("Go back, reload the page and try again.")
    return problem_response(
        request, Problem(status=400, title=_("The console can't process this request"), advice=advice, detail="")
    )


#: Not posted again: they belong to one request.
_NOT_PRESERVED = frozenset({"csrfmiddlewaretoken"})
KEPT_HEADER = "X-Console-Kept"
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
        response[KEPT_HEADER] = get_token(request)
        return response
    pairs = [(name, value) for name, values in request.POST.lists() if name not in _NOT_PRESERVED for value in values]
    context = {"problem": problem, "pairs": pairs, "text": text, "skeleton": skeleton(request)}
    response = render(request, "console/kept.html", context, status=problem.status)
    response["Cache-Control"] = "no-store"
    return response


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Django's CSRF_FAILURE_VIEW: the form was open longer than its token lived, or cookies are off."""
    if is_sign_in_form(request):
        advice = _("Reload the page, then enter your input again. Cookies must be allowed.")
        return problem_response(
            request, Problem(status=403, title=_("This form was open for too long"), advice=advice, detail="")
        )
    if not is_own_origin(request):
        advice = _("Open the page in the console and submit the form there. Cookies must be allowed.")
        return problem_response(
            request,
            Problem(
                status=403, title=_("This form can't be submitted from another site"), advice=advice, detail=reason
            ),
        )
    if request.session.get(SWITCHED):
        return _other_identity(request, reason)
    advice = _("The form's token has expired. Submit it again; cookies must be allowed.")
    response = preserved_response(
        request, Problem(status=403, title=_("This form was open for too long"), advice=advice, detail=reason)
    )
    if KEPT_HEADER in response:
        response["X-Console-Again"] = "1"
    return response


def _other_identity(request: HttpRequest, reason: str) -> HttpResponse:
    """Refuses a request of a page that was loaded with another identity: the user reloads the page, or sends the form
    again below a notice that names the identity.
    """
    title = _("Your identity changed after this page was loaded")
    advice = _("You started or stopped impersonation in this browser. Nothing was changed.")
    if wants_fragment(request) or wants_json(request):
        again = _("Reload the page.")
        return problem_response(request, Problem(status=403, title=title, advice=f"{advice} {again}", detail=""))
    return preserved_response(request, Problem(status=403, title=title, advice=advice, detail=reason))


def is_sign_in_form(request: HttpRequest) -> bool:
    """Whether what was typed must not be shown again, not even to who typed it: the sign-in's form."""
    return request.path == reverse("signin:sign-in")


def is_own_origin(request: HttpRequest) -> bool:
    """Whether a page of ours sent this. A form of another site must not be offered for sending again."""
    origin = request.headers.get("Origin") or request.headers.get("Referer") or ""
    return urlsplit(origin).netloc == request.get_host()
