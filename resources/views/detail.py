"""Not built yet."""

from django.http import HttpRequest, HttpResponse


def detail(request: HttpRequest, **_: str) -> HttpResponse:
    return HttpResponse("Not built yet.", status=501)
