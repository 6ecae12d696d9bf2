"""…/<package>/apis/<crd>/: the schema of a kind, before its operator is installed."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest


@require_safe
def schema(request: ConsoleRequest, namespace: str, catalog: str, package: str, crd: str) -> HttpResponse:
    """`?bundle=` picks the operator's version, `?version=` the API's."""
    return render.page(request, "operatorhub/schema.html", {})
