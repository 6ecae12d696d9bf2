"""What every JSON view shares: requests of the console's own pages, or of programs that bring a token.

DRF exempts its views from Django's CSRF check and looks only where somebody signed in with a session. Here the browser
itself stands for the user (a local console has no sign-in), so every request that changes something is checked. A token
no browser sends by itself.
"""

from rest_framework.authentication import SessionAuthentication
from rest_framework.request import Request


class CsrfChecked(SessionAuthentication):
    """Nobody is authenticated by this; a change by cookie without this site's CSRF token is refused with 403."""

    def authenticate(self, request: Request) -> None:
        if not getattr(request._request, "by_token", False):
            self.enforce_csrf(request)
