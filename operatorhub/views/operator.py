"""/operators/<namespace>/<csv>/: an installed operator and the kinds it provides."""

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.access import can
from console.web.request import ConsoleRequest
from operatorhub import installed as subject
from operatorhub import olm


@require_safe
def operator(request: ConsoleRequest, namespace: str, csv: str) -> HttpResponse:
    """Live: its state, its Deployments and the numbers of its instances."""
    client = request.cluster
    found = subject.detail(client, namespace, csv)
    allowed = can(client, "delete", olm.type_of(client, olm.CSVS), namespace, csv)
    context = {
        "detail": found,
        "operator": found.operator,
        "topics": " ".join(subject.topics(client, found, namespace)),
        # Where a new instance goes first: into what it watches, else into the picked namespace, else beside the operator.
        "place": found.targets[0] if len(found.targets) == 1 else request.namespace or namespace,
        "refused": "" if allowed.allowed else allowed.reason or _("You may not delete ClusterServiceVersions here."),
    }
    return render.page(request, "operatorhub/operator.html", context, fragment="operatorhub/_operator.html")
