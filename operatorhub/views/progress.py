"""/operators/<namespace>/subscriptions/<name>/: progress of an install; the approval that a manual one waits for; fixes
by button.
"""

from django.http import HttpResponse, HttpResponseBadRequest, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from console.web import audit, render
from console.web.access import refusal
from console.web.request import ConsoleRequest
from kube.errors import KubeError
from operatorhub import olm
from operatorhub.bundle import package as packages
from operatorhub.progress import fixes as mending
from operatorhub.progress import read as subject
from operatorhub.upgrade import plans


@require_safe
def progress(request: ConsoleRequest, namespace: str, subscription: str) -> HttpResponse:
    """Live by its topics; a reload shows the same."""
    client = request.cluster
    found = subject.read(client, namespace, subscription)
    sub = found.subscription
    context = {
        "progress": found,
        "plan": plans.plan(found.plan_object) if found.plan_object else None,
        "sub": sub,
        "icon_name": packages.icon_name(client, sub.catalog_namespace, sub.catalog, sub.package),
        "topics": " ".join(mending.topics(client, namespace, sub)),
        "refused": refusal(client, "patch", olm.type_of(client, olm.PLANS), namespace) if found.plan else "",
    }
    return render.page(request, "operatorhub/progress.html", context, part=True)


@require_POST
def mend(request: ConsoleRequest, namespace: str, subscription: str) -> HttpResponse:
    """Do the one thing that the page offered, and go back to it."""
    action = request.POST.get("action", "")
    if action not in mending.ACTIONS:
        return HttpResponseBadRequest(_("This fix is no longer available. Reload the page."))
    verb = "patch" if action == "look-again" else "create"
    try:
        if verb == "patch":
            ref = mending.look_again(request.cluster, namespace, subscription)
        else:
            ref = mending.make_group(request.cluster, namespace, everywhere=action == "group-all")
    except KubeError as error:
        audit.record(request, verb, f"{action} of {namespace}/{subscription}", error.reason)
        raise
    audit.record(request, verb, ref, "ok")
    return HttpResponseRedirect(reverse("operatorhub:progress", args=[namespace, subscription]))
