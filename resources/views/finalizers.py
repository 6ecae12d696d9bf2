"""…/<object>/finalizers/: what holds the deletion of an object up, and the last resort: taking a finalizer away,
after the name was typed.
"""

import json
from dataclasses import dataclass, replace

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.access import refusal
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject
from resources.acting import finalizers as of
from resources.acting.finalizers import Controller, Finalizer
from resources.place import Place, place_of
from resources.state.health import mapping, text


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalizersPage:
    """`deleted`: since when it is being deleted, '' when it is not.

    `chosen`, `typed`, `error`: what was asked for and why it was not done.
    """

    place: Place
    finalizers: tuple[Finalizer, ...]
    controllers: tuple[Controller, ...]
    deleted: str
    refusal: str
    chosen: str = ""
    typed: str = ""
    error: str = ""
    problem: Problem | None = None

    @property
    def command(self) -> str:
        patch = json.dumps([{"op": "remove", "path": "/metadata/finalizers/0"}])
        return f"kubectl patch {self.place.kubectl} --type json -p '{patch}'"


def _page(request: ConsoleRequest, place: Place, obj: KubeObject) -> FinalizersPage:
    refused = refusal(request.cluster, "patch", place.type, place.namespace, place.name)
    deleted = text(mapping(obj.get("metadata")).get("deletionTimestamp"))
    running = of.controllers(request.cluster, place.type)
    return FinalizersPage(
        place=place, finalizers=of.finalizers(obj), controllers=running, deleted=deleted, refusal=refused
    )


@require_http_methods(["GET", "HEAD", "POST"])
def finalizers(
    request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str
) -> HttpResponse:
    """A POST takes `finalizer` away when `typed` is the object's name."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    obj = place.get(request.cluster)
    if request.method != "POST":
        return render.page(request, "resources/finalizers.html", {"page": _page(request, place, obj)})
    chosen, typed = request.POST.get("finalizer", ""), request.POST.get("typed", "").strip()
    if chosen not in [finalizer.name for finalizer in of.finalizers(obj)]:
        error = _("This finalizer no longer exists.")
        page = replace(_page(request, place, obj), typed=typed, error=error)
        return render.page(request, "resources/finalizers.html", {"page": page}, status=409)
    if typed != place.name:
        error = _("Type the name “%(name)s” to confirm.") % {"name": place.name}
        page = replace(_page(request, place, obj), chosen=chosen, typed=typed, error=error)
        return render.page(request, "resources/finalizers.html", {"page": page}, status=422)
    try:
        patch = of.removal(obj, chosen)
        with audit.recorded(request, "remove finalizer", place.ref):
            request.cluster.patch(place.type, place.name, patch, place.namespace, style="json")
    except KubeError as problem:
        explained = explain(problem)
        page = replace(_page(request, place, obj), chosen=chosen, typed=typed, problem=explained)
        return render.page(request, "resources/finalizers.html", {"page": page}, status=explained.status)
    messages.warning(
        request, _("Finalizer “%(finalizer)s” was removed from “%(name)s”.") % {"finalizer": chosen, "name": place.name}
    )
    try:
        place.get(request.cluster)
    except NotFound:
        return HttpResponseRedirect(place.list_url)
    return HttpResponseRedirect(place.url())
