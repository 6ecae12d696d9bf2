"""Catalog page."""

from django.http import HttpResponse

from console.web.request import ConsoleRequest


def catalog(request: ConsoleRequest) -> HttpResponse:
    return HttpResponse("", status=501)
