"""/operators/: what is installed, in the picked namespace or in all."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest
from operatorhub import installed as subject
from operatorhub import olm


@require_safe
def installed(request: ConsoleRequest) -> HttpResponse:
    """`?q=` keeps those whose name has it."""
    client = request.cluster
    if not olm.served(client):
        return render.page(request, "operatorhub/no_olm.html", {})
    q = request.GET.get("q", "").strip()
    rows = subject.listed(client, request.namespace)
    shown = [row for row in rows if q.lower() in f"{row.title} {row.csv} {row.package}".lower()]
    context = {
        "rows": shown,
        "everything": len(rows),
        "q": q,
        "namespace": request.namespace,
        "topics": " ".join(olm.topic(client, plural, request.namespace) for plural in (olm.CSVS, olm.SUBSCRIPTIONS)),
    }
    return render.page(request, "operatorhub/installed.html", context, fragment="operatorhub/_installed.html")
