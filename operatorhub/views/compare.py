"""/operatorhub/compare/: packages side by side."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest


@require_safe
def compare(request: ConsoleRequest) -> HttpResponse:
    """`?package=<namespace>/<catalog>/<name>`, two to four of them."""
    return render.page(request, "operatorhub/compare.html", {})
