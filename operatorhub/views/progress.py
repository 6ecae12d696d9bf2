"""/operators/<namespace>/subscriptions/<name>/: an install as it goes on; and the approval that a manual one waits for."""

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from console.web import audit, render
from console.web.access import can
from console.web.request import ConsoleRequest
from kube.errors import KubeError
from operatorhub import olm
from operatorhub import package as packages
from operatorhub import progress as subject


@require_safe
def progress(request: ConsoleRequest, namespace: str, subscription: str) -> HttpResponse:
    """Live by its topics; a reload shows the same."""
    client = request.cluster
    found = subject.read(client, namespace, subscription)
    sub = found.subscription
    answer = can(client, "patch", olm.type_of(client, olm.PLANS), namespace) if found.plan else None
    topics = [olm.topic(client, plural, namespace) for plural in (olm.SUBSCRIPTIONS, olm.PLANS, olm.CSVS)]
    topics += [
        olm.topic(client, "deployments", namespace, "apps", "v1"),
        olm.topic(client, "pods", namespace, "", "v1"),
    ]
    context = {
        "progress": found,
        "sub": sub,
        "icon_name": packages.icon_name(client, sub.catalog_namespace, sub.catalog, sub.package),
        "topics": " ".join(topics),
        "refused": ""
        if answer is None or answer.allowed
        else answer.reason or _("You may not approve InstallPlans here."),
    }
    return render.page(request, "operatorhub/progress.html", context, fragment="operatorhub/_progress.html")


@require_POST
def approve(request: ConsoleRequest, namespace: str, plan: str) -> HttpResponse:
    """Approve and go back to the install's page."""
    ref = olm.ref(olm.PLANS, namespace, plan)
    try:
        subject.approve(request.cluster, namespace, plan)
    except KubeError as error:
        audit.record(request, "approve", ref, error.reason)
        raise
    audit.record(request, "approve", ref, "ok")
    subscription = request.POST.get("subscription", "")
    place = (
        reverse("operatorhub:progress", args=[namespace, subscription])
        if subscription
        else reverse("operatorhub:installed")
    )
    return HttpResponseRedirect(place)
