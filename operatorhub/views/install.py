"""Install form."""

from django.http import HttpResponse

from console.web.request import ConsoleRequest


def install(request: ConsoleRequest, namespace: str, catalog: str, package: str) -> HttpResponse:
    return HttpResponse("", status=501)
