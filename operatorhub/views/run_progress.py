"""/operators/<namespace>/runs/<package>/: progress of a run; and …/remove/, which deletes all its objects."""

from functools import partial

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.web import audit, render
from console.web.errors import explain
from console.web.frame import forget_namespaces
from console.web.request import ConsoleRequest
from operatorhub import olm
from operatorhub.install.undo import Removed
from operatorhub.run import follow, removal


@require_safe
def progress(request: ConsoleRequest, namespace: str, package: str) -> HttpResponse:
    """Live by its topics; a reload shows the same."""
    client = request.cluster
    topics = [
        olm.topic(client, "operatorgroups", namespace),
        olm.topic(client, olm.CSVS, namespace),
        olm.topic(client, "deployments", namespace, "apps", "v1"),
        olm.topic(client, "pods", namespace, "", "v1"),
    ]
    found = follow.read(client, namespace, package)
    context = {"run": found, "progress": found, "topics": " ".join(topics)}
    return render.page(request, "operatorhub/run_progress.html", context, part=True)


@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: ConsoleRequest, namespace: str, package: str) -> HttpResponse:
    """GET lists what goes; POST takes it, and lists what did not go."""
    client = request.cluster
    found = removal.find_objects(client, namespace, package)
    results: tuple[Removed, ...] = ()
    if request.method == "POST":
        wanted = {name: name in request.POST for name in ("operands", "kinds", "space")}
        results = removal.take(client, found, **wanted, done=partial(audit.record, request, "delete"))
        forget_namespaces()
        if all(result.outcome in ("removed", "gone") for result in results):
            messages.success(request, _("The bundle “%(name)s” is being removed.") % {"name": package})
            return HttpResponseRedirect(reverse("operatorhub:run"))
    bad = [
        (result, explain(result.error).detail if result.error else "")
        for result in results
        if result.outcome not in ("removed", "gone")
    ]
    context = {"removal": found, "bad": bad}
    return render.page(request, "operatorhub/run_remove.html", context, status=409 if bad else 200)
