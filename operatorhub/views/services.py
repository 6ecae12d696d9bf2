"""/operators/services/: the kinds that the installed operators provide, as tiles with a button."""

from urllib.parse import quote

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest
from operatorhub import olm
from operatorhub.running import installed_operators
from operatorhub.running import services as subject


@require_safe
def services(request: ConsoleRequest) -> HttpResponse:
    """`?q=` keeps those that have its words."""
    client = request.cluster
    if not olm.served(client):
        return render.page(request, "operatorhub/no_olm.html", {})
    q = " ".join(request.GET.get("q", "").split())[:200]
    listed = installed_operators.listed(client, request.namespace)
    operators = listed.rows
    shown = subject.services(operators, q)
    context = {
        "services": subject.served(client, shown, request.namespace),
        "everything": len(shown) if not q else len(subject.services(operators)),
        "q": q,
        "in_namespace": f"?namespace={quote(request.namespace)}" if request.namespace else "",
        "gaps": listed.gaps,
        "topics": olm.topic(client, olm.CSVS, request.namespace),
    }
    return render.page(request, "operatorhub/services.html", context, part=True)
