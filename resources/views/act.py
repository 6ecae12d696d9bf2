"""…/<object>/act/<act>/: one act on one object (resources/acting/acts.py), after saying what it does and how kubectl
does it.
"""

from dataclasses import dataclass

from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.access import can
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.errors import AlreadyExists, Invalid, KubeError
from resources.acting import acts
from resources.acting.acts import Act
from resources.history import writes
from resources.place import Place, place_of


@dataclass(frozen=True, slots=True)
class ActPage:
    """`refusal`: why the button is grey; `typed` and `error`: the name of what is made, and what is wrong with it."""

    place: Place
    act: Act
    refusal: str
    typed: str = ""
    error: str = ""
    problem: Problem | None = None


def refusal(request: ConsoleRequest, place: Place, act: Act) -> str:
    """Why not, '' when nothing speaks against it."""
    right = act.right
    try:
        access = can(
            client=request.cluster,
            verb=right.verb,
            type_=right.type,
            namespace=place.namespace,
            name=place.name if right.named else "",
            subresource=right.subresource,
        )
    except KubeError:
        return act.refusal
    return act.refusal or ("" if access.allowed else access.reason or _("Permission denied."))


@require_http_methods(["GET", "HEAD", "POST"])
def act(
    request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str, act: str
) -> HttpResponse:
    """The question; a POST does it. `name=`: of what is made."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    obj = place.get(request.cluster)
    found = acts.find(request.cluster, place, obj, act)
    typed = request.POST.get("name", "").strip() or found.new_name
    why = refusal(request, place, found)
    if request.method != "POST":
        return render.page(request, "resources/act.html", {"page": ActPage(place, found, why, typed)})
    if found.refusal:
        return render.page(request, "resources/act.html", {"page": ActPage(place, found, why, typed)}, status=409)
    try:
        then = acts.perform(request.cluster, place, obj, found, typed)
    except KubeError as error:
        audit.record(request, found.name, place.ref, error.reason)
        if found.new_name and isinstance(error, Invalid | AlreadyExists):
            words = "; ".join(cause.message for cause in error.causes) or str(error)
            page = ActPage(place, found, why, typed, error=words)
            return render.page(request, "resources/act.html", {"page": page}, status=422)
        problem = explain(error)
        page = ActPage(place, found, why, typed, problem=problem)
        return render.page(request, "resources/act.html", {"page": page}, status=problem.status)
    audit.record(request, found.name, place.ref, "ok")
    writes.add_message(
        request, found.done, writes.changed(request.cluster, found.name, place, obj) if then == place else ""
    )
    return HttpResponseRedirect(then.url())
