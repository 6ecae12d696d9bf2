"""Progress of an install."""

from django.http import HttpResponse

from console.web.request import ConsoleRequest


def progress(request: ConsoleRequest, namespace: str, subscription: str) -> HttpResponse:
    return HttpResponse("", status=501)


def approve(request: ConsoleRequest, namespace: str, plan: str) -> HttpResponse:
    return HttpResponse("", status=501)
