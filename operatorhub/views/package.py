"""A package."""

from django.http import HttpResponse

from console.web.request import ConsoleRequest


def package(request: ConsoleRequest, namespace: str, catalog: str, package: str) -> HttpResponse:
    return HttpResponse("", status=501)
