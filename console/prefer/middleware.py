"""Activates the language and the format of times that the user prefers."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils import translation

from console.prefer import store
from console.prefer.times import ZONE, Style, shown_as, zone_of


class PreferencesMiddleware:
    """Behind who says who asks, before all that makes pages."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        chosen = store.preferences_of(request)
        language = chosen.language or str(getattr(request, "LANGUAGE_CODE", "")) or translation.get_language() or "en"
        with (
            translation.override(language),
            shown_as(Style(chosen.times, zone_of(request.COOKIES.get(ZONE, "")))),
        ):
            request.LANGUAGE_CODE = language
            response = self.get_response(request)
        response.headers.setdefault("Content-Language", language)
        return response
