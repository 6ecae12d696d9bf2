"""Deleting an object, and what holds up its deletion.

…/<object>/delete/: what is deleted with it, then the deletion.
…/<object>/finalizers/: the finalizers that a deletion waits for; as a last resort one is removed, after the object's
name was typed.
"""

import json
from dataclasses import dataclass, replace

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.access import refusal
from console.web.errors import Problem, explain
from console.web.frame import forget_namespaces
from console.web.request import ConsoleRequest
from kube.discovery import is_custom
from kube.errors import KubeError, NotFound
from kube.kubectl import Command, Commands
from kube.objects import KubeObject, uid_of
from kube.reader import read
from kube.types.meta import Object
from resources.acting.finalizers import Controller, Finalizer, controllers, removal
from resources.acting.finalizers import finalizers as finalizers_of
from resources.history import writes
from resources.kinds import Panel
from resources.page.deletion_impact import Impact, deletion_impact
from resources.place import Place, place_of

# A namespace and a CRD take everything in them along, a volume its data.
TAKES_ALONG = ("Namespace", "CustomResourceDefinition", "PersistentVolume", "PersistentVolumeClaim")
PROPAGATIONS = ("Background", "Foreground", "Orphan")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletePage:
    """`must_type`: the name has to be typed, since what is in it can't be brought back.

    `typed`: what stood there when it was refused.
    `going`: what goes with it, for kinds that take something along.
    `refusal`: why this user can't delete it, '' if they can.
    """

    place: Place
    uid: str
    terminating: bool
    finalizers: tuple[str, ...]
    must_type: bool
    propagation: str = "Background"
    typed: str = ""
    error: str = ""
    problem: Problem | None = None
    going: Panel | None = None
    refusal: str = ""
    propagations: tuple[str, ...] = PROPAGATIONS

    @property
    def kubectl(self) -> Commands:
        """By what becomes of the owned objects."""
        flags = {"Background": "", "Foreground": " --cascade=foreground", "Orphan": " --cascade=orphan"}
        commands = (
            Command(f"kubectl delete {self.place.kubectl}{flag}", (frozenset({value}),))
            for value, flag in flags.items()
        )
        return Commands(tuple(commands), frozenset({self.propagation}))

    @property
    def way(self) -> str:
        """How it is undone, for console/_undo.html."""
        if self.going is not None and isinstance(self.going.data, Impact):
            return self.going.data.way
        return one_way(self.place)


def one_way(place: Place) -> str:
    """What takes its data along comes back empty at best; of Secrets nothing is kept."""
    if place.type.kind in TAKES_ALONG:
        return "data"
    if place.secret:
        return "secret"
    # Of one object the page says what goes (resources/page/deletion_impact.py); an operator's kinds may own anything.
    return "partly" if is_custom(place.type.group) else "again"


def _needs_name(place: Place) -> bool:
    return place.type.kind in TAKES_ALONG


@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """The question; a POST deletes the object that the question was about, not a namesake made since."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if request.method == "POST":
        return _delete(request, place)
    return render.page(request, "resources/delete.html", {"page": _delete_page(request, place)})


def _delete(request: ConsoleRequest, place: Place) -> HttpResponse:
    typed, uid = request.POST.get("typed", "").strip(), request.POST.get("uid", "")
    chosen = request.POST.get("propagation", "Background")
    propagation = chosen if chosen in PROPAGATIONS else "Background"
    if _needs_name(place) and typed != place.name:
        shown = _delete_page(request, place)
        error = _("Type the name “%(name)s” to confirm.") % {"name": place.name}
        page = replace(shown, propagation=propagation, typed=typed, error=error)
        return render.page(request, "resources/delete.html", {"page": page}, status=422)
    before = writes.current_object(request.cluster, place)
    try:
        with audit.recorded(request, "delete", place.ref):
            left = request.cluster.delete(place.type, place.name, place.namespace, propagation=propagation, uid=uid)
    except KubeError as error:
        problem = explain(error)
        page = DeletePage(
            place=place,
            uid=uid,
            terminating=False,
            finalizers=(),
            must_type=_needs_name(place),
            propagation=propagation,
            typed=typed,
            problem=problem,
        )
        return render.page(request, "resources/delete.html", {"page": page}, status=problem.status)
    back = writes.wrote(request.cluster, "delete", place, before, None)
    words = {"kind": place.type.kind, "name": place.name}
    if uid_of(left):
        messages.info(request, _("%(kind)s “%(name)s” is being deleted and waits for its finalizers.") % words)
    else:
        writes.add_message(request, _("%(kind)s “%(name)s” deleted.") % words, back)
    if place.type.kind == "Namespace":
        forget_namespaces()
        return HttpResponseRedirect(f"{reverse('pages:namespaces')}?namespace=-")
    return HttpResponseRedirect(place.list_url)


def _delete_page(request: ConsoleRequest, place: Place) -> DeletePage:
    obj = place.get(request.cluster)
    metadata = obj["metadata"]
    return DeletePage(
        place=place,
        uid=str(metadata.get("uid") or ""),
        terminating=bool(metadata.get("deletionTimestamp")),
        finalizers=tuple(metadata.get("finalizers") or ()),
        must_type=_needs_name(place),
        going=deletion_impact(request.cluster, place.type, obj),
        refusal=refusal(request.cluster, "delete", place.type, place.namespace, place.name),
    )


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


@require_http_methods(["GET", "HEAD", "POST"])
def finalizers(
    request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str
) -> HttpResponse:
    """A POST takes `finalizer` away when `typed` is the object's name."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    obj = place.get(request.cluster)
    if request.method != "POST":
        return render.page(request, "resources/finalizers.html", {"page": _finalizers_page(request, place, obj)})
    chosen, typed = request.POST.get("finalizer", ""), request.POST.get("typed", "").strip()
    if chosen not in [finalizer.name for finalizer in finalizers_of(obj)]:
        error = _("This finalizer no longer exists.")
        page = replace(_finalizers_page(request, place, obj), typed=typed, error=error)
        return render.page(request, "resources/finalizers.html", {"page": page}, status=409)
    if typed != place.name:
        error = _("Type the name “%(name)s” to confirm.") % {"name": place.name}
        page = replace(_finalizers_page(request, place, obj), chosen=chosen, typed=typed, error=error)
        return render.page(request, "resources/finalizers.html", {"page": page}, status=422)
    try:
        patch = removal(obj, chosen)
        with audit.recorded(request, "remove finalizer", place.ref):
            request.cluster.patch(place.type, place.name, patch, place.namespace, style="json")
    except KubeError as problem:
        explained = explain(problem)
        page = replace(_finalizers_page(request, place, obj), chosen=chosen, typed=typed, problem=explained)
        return render.page(request, "resources/finalizers.html", {"page": page}, status=explained.status)
    messages.warning(
        request, _("Finalizer “%(finalizer)s” was removed from “%(name)s”.") % {"finalizer": chosen, "name": place.name}
    )
    try:
        place.get(request.cluster)
    except NotFound:
        return HttpResponseRedirect(place.list_url)
    return HttpResponseRedirect(place.url())


def _finalizers_page(request: ConsoleRequest, place: Place, obj: KubeObject) -> FinalizersPage:
    refused = refusal(request.cluster, "patch", place.type, place.namespace, place.name)
    deleted = read(obj, Object).metadata.deletion_timestamp
    running = controllers(request.cluster, place.type)
    return FinalizersPage(
        place=place, finalizers=finalizers_of(obj), controllers=running, deleted=deleted, refusal=refused
    )
