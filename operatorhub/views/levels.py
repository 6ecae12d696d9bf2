"""/operatorhub/levels/: the five capability levels, explained by operators that can be tried."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest
from operatorhub.judge import levels as subject


@require_safe
def levels(request: ConsoleRequest) -> HttpResponse:
    return render.page(request, "operatorhub/levels.html", {"levels": subject.levels()})
