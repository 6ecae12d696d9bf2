"""One operator."""

from django.http import HttpResponse

from console.web.request import ConsoleRequest


def operator(request: ConsoleRequest, namespace: str, csv: str) -> HttpResponse:
    return HttpResponse("", status=501)
