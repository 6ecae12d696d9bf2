"""/operators/navigation/: the installed operators of the navigation, reloaded."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.http import require_safe

from console.web.request import ConsoleRequest
from operatorhub.running import navigation


@require_safe
def operators(request: ConsoleRequest) -> HttpResponse:
    """A fragment. `?at=`: the address of the page that it stands on."""
    path = request.GET.get("at", "")[:2000]
    found = navigation.read(request, translation.get_language() or "", path)
    context = navigation.context(found, path, ask=False, namespace=request.namespace)
    return render(request, "operatorhub/_navigation.html", context)
