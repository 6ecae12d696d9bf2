"""/operators/navigation/: the installed operators of the navigation, reloaded."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.views.decorators.http import require_safe

from console.web.request import ConsoleRequest
from operatorhub.running import navigation


@require_safe
def operators(request: ConsoleRequest) -> HttpResponse:
    """A fragment. `?at=`: the path of the page that contains it."""
    found = navigation.read(request, translation.get_language() or "")
    context = navigation.context(found, request.GET.get("at", "")[:2000], ask=False)
    return render(request, "operatorhub/_navigation.html", context)
