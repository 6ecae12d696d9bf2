"""Settings of Django REST framework: the CSRF check of its views, and the shape of its errors.

Imported by the JSON views alone. The worker needs neither: the framework and what it imports (a PostgreSQL driver,
Pygments, requests) cost each process 15 MiB.
"""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import views
from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request
from rest_framework.response import Response

from console.web.errors import Problem, as_json, explain, headers_of
from kube.errors import KubeError


class CsrfChecked(SessionAuthentication):
    """Authenticates no user; refuses a change by cookie without this site's CSRF token with 403.

    DRF exempts its views from Django's CSRF check and checks only users who signed in with a session. A local console
    has no sign-in: the browser itself stands for the user. So every request that changes something is checked, except
    with a token, which browsers never send automatically.
    """

    def authenticate(self, request: Request) -> None:
        if not getattr(request._request, "by_token", False):
            self.enforce_csrf(request)


def api_exception(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: the same problem shape as everywhere else."""
    if isinstance(error, KubeError):
        problem = explain(error)
        return Response(as_json(problem), status=problem.status, headers=headers_of(problem))
    response = views.exception_handler(error, context)
    if response is not None:
        detail = response.data.get("detail", response.data) if isinstance(response.data, dict) else response.data
        response.data = as_json(
            Problem(
                status=response.status_code,
                title=_("This request can't be processed"),
                advice="",
                detail=detail if isinstance(detail, str) else str(detail),
                reason=type(error).__name__,
            )
        )
    return response
