"""…/undo/: what an install has made, and its removal; at any time, from the install's page or after a create that
failed halfway.
"""

from functools import partial

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from console.web import audit, render
from console.web.frame import forget_namespaces
from console.web.request import ConsoleRequest
from operatorhub.install import undo as subject
from operatorhub.progress import read as progress


@require_http_methods(["GET", "HEAD", "POST"])
def undo(request: ConsoleRequest, namespace: str, subscription: str) -> HttpResponse:
    """GET lists what an unfinished install has made; POST removes what is ticked, each by its uid.

    An operator that runs is uninstalled instead.
    """
    if request.method != "POST":
        runs = progress.read(request.cluster, namespace, subscription).usable_csv
        if runs:
            return HttpResponseRedirect(reverse("operatorhub:uninstall", args=[namespace, runs]))
    found = subject.find_traces(request.cluster, namespace, subscription) if request.method != "POST" else None
    removed = _remove(request) if found is None else ()
    context = {"found": found, "removed": removed, "namespace": namespace, "name": subscription, "back": ""}
    return render.page(request, "operatorhub/undo.html", context)


@require_POST
def made(request: ConsoleRequest) -> HttpResponse:
    """After a create that was refused halfway: the objects made before that go, newest first."""
    back = request.POST.get("back", "")
    context = {
        "found": None,
        "removed": _remove(request, newest_first=True),
        "namespace": "",
        "name": "",
        "back": back if back.startswith(reverse("operatorhub:catalog")) else "",
    }
    return render.page(request, "operatorhub/undo.html", context)


def _remove(request: ConsoleRequest, newest_first: bool = False) -> tuple[subject.Removed, ...]:
    wanted = subject.targets(request.POST.getlist("target"))
    removed = subject.remove(
        request.cluster, wanted[::-1] if newest_first else wanted, partial(audit.record, request, "delete")
    )
    forget_namespaces()
    return removed
