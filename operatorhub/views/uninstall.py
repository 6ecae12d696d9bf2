"""/operators/<namespace>/<csv>/uninstall/: what goes and what stays, in clear words, before anything goes."""

from dataclasses import replace
from functools import partial

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.access import can
from console.web.errors import explain
from console.web.request import ConsoleRequest
from kube.errors import KubeError
from operatorhub import olm
from operatorhub import uninstall as subject


@require_http_methods(["GET", "HEAD", "POST"])
def uninstall(request: ConsoleRequest, namespace: str, csv: str) -> HttpResponse:
    """POST deletes what the page showed: objects of the same name that were made since are not touched."""
    plan = subject.look(request.cluster, namespace, csv)
    problem = None
    if request.method == "POST":
        seen = replace(
            plan, csv_uid=request.POST.get("csv_uid", ""), subscription_uid=request.POST.get("subscription_uid", "")
        )
        try:
            subject.remove(request.cluster, seen, partial(audit.record, request, "delete"))
        except KubeError as error:
            audit.record(request, "delete", olm.ref(olm.CSVS, namespace, csv), error.reason)
            problem = explain(error)
        else:
            messages.success(
                request, _("%(name)s is being uninstalled. Its kinds and their objects stay.") % {"name": plan.title}
            )
            return HttpResponseRedirect(reverse("operatorhub:installed"))
    allowed = can(request.cluster, "delete", olm.type_of(request.cluster, olm.CSVS), namespace, csv)
    context = {
        "plan": plan,
        "problem": problem,
        "refused": "" if allowed.allowed else allowed.reason or _("You may not delete ClusterServiceVersions here."),
    }
    return render.page(request, "operatorhub/uninstall.html", context, status=problem.status if problem else 200)
