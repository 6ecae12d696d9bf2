"""The Content-Security-Policy of every page: nothing inline, nothing from elsewhere.

Setting names and the nonce's life follow Django 6's `SECURE_CSP`, so that the built-in can take over. The nonce is for
the YAML editor's style element only (CodeMirror's `EditorView.cspNonce`).
"""

import secrets
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors"
    " 'none'"
)


def nonce(request: HttpRequest) -> str:
    """This response's nonce, made once per request."""
    if not hasattr(request, "csp_nonce"):
        request.csp_nonce = secrets.token_urlsafe(16)  # type: ignore[attr-defined]
    return str(request.csp_nonce)  # type: ignore[attr-defined]


def with_images(request: HttpRequest) -> str:
    """The policy for a page whose user asked to load the images of an author's text."""
    return POLICY.format(nonce=nonce(request)).replace("img-src 'self' data:", "img-src 'self' data: https:")


class ContentSecurityPolicyMiddleware:
    """Adds the policy unless a view set its own (icons, downloads)."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        value = nonce(request)
        response = self.get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY.format(nonce=value))
        response.headers.setdefault("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
        return response
