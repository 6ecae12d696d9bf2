"""Not built yet."""

from django.http import HttpRequest, HttpResponse


def new(request: HttpRequest, **_: str) -> HttpResponse:
    return HttpResponse("Not built yet.", status=501)


def edit(request: HttpRequest, **_: str) -> HttpResponse:
    return HttpResponse("Not built yet.", status=501)


def section(request: HttpRequest, **_: str) -> HttpResponse:
    return HttpResponse("Not built yet.", status=501)
