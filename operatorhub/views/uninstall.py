"""Uninstall."""

from django.http import HttpResponse

from console.web.request import ConsoleRequest


def uninstall(request: ConsoleRequest, namespace: str, csv: str) -> HttpResponse:
    return HttpResponse("", status=501)
