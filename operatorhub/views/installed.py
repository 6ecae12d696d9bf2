"""Installed operators."""

from django.http import HttpResponse

from console.web.request import ConsoleRequest


def installed(request: ConsoleRequest) -> HttpResponse:
    return HttpResponse("", status=501)
