"""An icon."""

from django.http import HttpResponse

from console.web.request import ConsoleRequest


def icon(request: ConsoleRequest, digest: str) -> HttpResponse:
    return HttpResponse("", status=501)
