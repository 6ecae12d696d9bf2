"""…/<object>/act/<act>/: one action on one object (resources/acting/acts.py), after a page that says what it does and
how kubectl does it.

…/nodes/-/<name>/cordon/: whether the scheduler may put new Pods on a node, as `kubectl cordon` and `kubectl uncordon`.
"""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from console.web import audit, render
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.errors import AlreadyExists, Invalid, KubeError, NotFound
from resources.acting import acts
from resources.acting.actions import refusal_of_act
from resources.acting.acts import Act
from resources.history import writes
from resources.place import Place, place_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ActPage:
    """`refusal`: why the button is grey; `typed` and `error`: the name of what is made, and what is wrong with it."""

    place: Place
    act: Act
    refusal: str
    typed: str = ""
    error: str = ""
    problem: Problem | None = None


@require_http_methods(["GET", "HEAD", "POST"])
def act(
    request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str, act: str
) -> HttpResponse:
    """The page; a POST does it. `name=`: of what is made."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    obj = place.get(request.cluster)
    found = acts.find(request.cluster, place, obj, act)
    typed = request.POST.get("name", "").strip() or found.new_name
    why = refusal_of_act(request.cluster, place, found)
    if request.method != "POST":
        return render.page(
            request, "resources/act.html", {"page": ActPage(place=place, act=found, refusal=why, typed=typed)}
        )
    if found.refusal:
        return render.page(
            request,
            "resources/act.html",
            {"page": ActPage(place=place, act=found, refusal=why, typed=typed)},
            status=409,
        )
    try:
        with audit.recorded(request, found.name, place.ref):
            then = acts.perform(request.cluster, place, obj, found, typed)
    except KubeError as error:
        if found.new_name and isinstance(error, Invalid | AlreadyExists):
            words = "; ".join(cause.message for cause in error.causes) or str(error)
            page = ActPage(place=place, act=found, refusal=why, typed=typed, error=words)
            return render.page(request, "resources/act.html", {"page": page}, status=422)
        problem = explain(error)
        page = ActPage(place=place, act=found, refusal=why, typed=typed, problem=problem)
        return render.page(request, "resources/act.html", {"page": page}, status=problem.status)
    writes.add_message(
        request, found.done, writes.changed(request.cluster, found.name, place, obj) if then == place else ""
    )
    return HttpResponseRedirect(then.url())


@require_POST
def cordon(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """`closed` is true or false; back to the node's page. Raises what the API server refuses with."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if (place.type.group, place.type.kind) != ("", "Node"):
        raise NotFound(_("Only nodes can be cordoned; %(kind)s can't.") % {"kind": place.type.kind})
    closed = request.POST.get("closed") == "true"
    verb = "cordon" if closed else "uncordon"
    with audit.recorded(request, verb, place.ref):
        request.cluster.patch(place.type, name, {"spec": {"unschedulable": closed or None}})
    words = (
        _("No new Pods are scheduled on “%(name)s”.") if closed else _("New Pods can be scheduled on “%(name)s” again.")
    )
    messages.success(request, words % {"name": name})
    return HttpResponseRedirect(place.url())
