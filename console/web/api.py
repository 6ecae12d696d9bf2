"""CSRF check of the JSON views, which serve the console's own pages and programs with a token.

DRF exempts its views from Django's CSRF check and checks only users who signed in with a session. A local console has
no sign-in: the browser itself stands for the user. So every request that changes something is checked, except with a
token, which browsers never send automatically.
"""

from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request


class CsrfChecked(SessionAuthentication):
    """Authenticates no user; refuses a change by cookie without this site's CSRF token with 403."""

    def authenticate(self, request: Request) -> None:
        if not getattr(request._request, "by_token", False):
            self.enforce_csrf(request)
