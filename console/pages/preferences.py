"""/settings/: language and theme, kept in cookies of this browser."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods

THEMES = ("", "light", "dark")
_YEAR = 365 * 24 * 3600


@require_http_methods(["GET", "HEAD", "POST"])
def preferences(request: HttpRequest) -> HttpResponse:
    """The form; a POST keeps what is valid and goes back to where it came from."""
    if request.method != "POST":
        return render(request, "console/preferences.html")
    target = request.POST.get("next", "")
    if not url_has_allowed_host_and_scheme(target, allowed_hosts={request.get_host()}):
        target = request.path
    response = HttpResponseRedirect(target)
    language, theme = request.POST.get("language", ""), request.POST.get("theme", "")
    if language in dict(settings.LANGUAGES):
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME, language, max_age=_YEAR, samesite="Lax", httponly=True, secure=settings.HTTPS
        )
    if theme in THEMES:
        response.set_cookie("console_theme", theme, max_age=_YEAR, samesite="Lax", httponly=True, secure=settings.HTTPS)
    return response
