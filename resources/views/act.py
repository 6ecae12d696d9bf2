"""Pages of one action on one object: an act, cordon, scale, roll back.

…/<object>/act/<act>/: an act of resources/acting/acts.py, after a page that says what it does and how kubectl does it.
…/nodes/-/<name>/cordon/: whether the scheduler may put new Pods on a node, as `kubectl cordon` and `kubectl uncordon`.
…/<object>/scale/: the number of replicas, for every type with a scale subresource, custom resources too.
…/<object>/rollback/?revision=N: sets a workload's Pod template back to revision N, as
`kubectl rollout undo --to-revision=N`, after a dry run and a comparison with the template now.
"""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST

from console.web import audit, render
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube import answers
from kube.client import ClusterClient
from kube.errors import AlreadyExists, Invalid, KubeError, NotFound
from kube.objects import KubeObject
from kube.reader import read
from kube.types.meta import Object, TypicalObject
from resources.acting import acts
from resources.acting.actions import refusal_of_act
from resources.acting.acts import Act
from resources.history import writes
from resources.kinds import workloads
from resources.kinds.workloads import Revision
from resources.place import Place, place_of
from resources.writing.review import Review, review


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


# What the Scale's int32 holds.
_MAX_REPLICAS = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalePage:
    """`wanted`: of the spec; `present`: of the status; `typed`: what stood in the field when it was refused."""

    place: Place
    wanted: int
    present: int
    typed: str = ""
    error: str = ""
    problem: Problem | None = None

    @property
    def value(self) -> str:
        return self.typed or str(self.wanted)


@require_http_methods(["GET", "HEAD", "POST"])
def scale(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """The number now; a POST sets another."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if request.method != "POST":
        return render.page(request, "resources/scale.html", {"page": _scale_page(request.cluster, place)})
    typed = request.POST.get("replicas", "").strip()
    number = _replicas(typed)
    if number is None:
        page = _scale_page(request.cluster, place, typed, _("Enter a whole number, 0 or more."))
        return render.page(request, "resources/scale.html", {"page": page}, status=422)
    before = writes.current_object(request.cluster, place)
    try:
        patch = {"spec": {"replicas": number}}
        with audit.recorded(request, "scale", place.ref):
            request.cluster.patch(place.type, place.name, patch, place.namespace, subresource="scale")
    except Invalid as error:
        words = "; ".join(cause.message for cause in error.causes) or str(error)
        return render.page(
            request, "resources/scale.html", {"page": _scale_page(request.cluster, place, typed, words)}, status=422
        )
    except KubeError as error:
        page = ScalePage(place=place, wanted=0, present=0, typed=typed, problem=explain(error))
        return render.page(request, "resources/scale.html", {"page": page}, status=explain(error).status)
    back = writes.changed(request.cluster, "scale", place, before)
    message = _("%(kind)s “%(name)s” scaled to %(number)d.")
    writes.add_message(request, message % {"kind": place.type.kind, "name": place.name, "number": number}, back)
    return HttpResponseRedirect(place.url())


def _scale_page(client: ClusterClient, place: Place, typed: str = "", error: str = "") -> ScalePage:
    if "scale" not in place.type.subresources:
        raise NotFound(f"{place.type.kind} has no scale: this type does not say where its number of replicas is kept")
    found = answers.document(client.raw("GET", place.type.path(place.namespace, place.name, "scale")))
    spec, status = found.get("spec") or {}, found.get("status") or {}
    return ScalePage(
        place=place,
        wanted=int(spec.get("replicas") or 0),
        present=int(status.get("replicas") or 0),
        typed=typed,
        error=error,
    )


def _replicas(typed: str) -> int | None:
    return int(typed) if typed.isascii() and typed.isdigit() and int(typed) <= _MAX_REPLICAS else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackPage:
    """`generation`: of the spec that the comparison is with. `found`: None where the cluster refused."""

    place: Place
    revision: Revision
    generation: str
    found: Review | None
    problem: Problem | None = None
    editing: bool = True

    @property
    def kubectl(self) -> str:
        scope = f" -n {self.place.namespace}" if self.place.namespace else ""
        kind = self.place.type.singular or self.place.type.kind.lower()
        return f"kubectl rollout undo {kind}/{self.place.name}{scope} --to-revision={self.revision.number}"


@require_http_methods(["GET", "HEAD", "POST"])
def rollback(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """The comparison; a POST rolls back, unless the workload was changed since it was looked at."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    wanted = request.POST.get("revision") or request.GET.get("revision", "")
    obj = place.get(request.cluster)
    revision = _find_revision(request, place, obj, wanted)
    if read(obj, TypicalObject).spec.paused:
        # As in kubectl: nothing would happen until it is resumed.
        words = _("“%(name)s” is paused: resume it before rolling back.") % {"name": place.name}
        page = RollbackPage(
            place=place,
            revision=revision,
            generation=_generation(obj),
            found=None,
            problem=Problem(status=409, title=words, advice="", detail=""),
        )
        return render.page(request, "resources/rollback.html", {"page": page}, status=409)
    if request.method != "POST":
        return _rollback_page(request, place, obj, revision)
    if request.POST.get("generation") != _generation(obj):
        words = _("“%(name)s” has changed in the meantime. Review the comparison again.") % {"name": place.name}
        return _rollback_page(request, place, obj, revision, Problem(status=409, title=words, advice="", detail=""))
    patch = _rollback_patch(revision, _generation(obj))
    try:
        with audit.recorded(request, "rollback", place.ref):
            request.cluster.patch(place.type, place.name, patch, place.namespace, style="json")
    except KubeError as error:
        return _rollback_page(request, place, obj, revision, explain(error))
    names = {"kind": place.type.kind, "name": place.name, "number": revision.number}
    messages.success(request, _("%(kind)s “%(name)s” rolled back to revision %(number)d.") % names)
    return HttpResponseRedirect(place.url())


def _find_revision(request: ConsoleRequest, place: Place, obj: KubeObject, wanted: str) -> Revision:
    if place.type.kind not in workloads.REVISED_KINDS or place.type.group != "apps":
        raise NotFound(_("%(kind)s has no revisions.") % {"kind": place.type.kind})
    found = workloads.revisions_of(request.cluster, {**obj, "kind": place.type.kind})
    revision = found.number(wanted)
    if revision is None:
        raise NotFound(
            found.problem
            or _("Revision %(number)s doesn't exist. It may have been removed.") % {"number": wanted[:20] or "–"}
        )
    return revision


def _generation(obj: KubeObject) -> str:
    generation = read(obj, Object).metadata.generation
    return "" if generation is None else str(generation)


def _rollback_patch(revision: Revision, generation: str) -> list[dict[str, Any]]:
    test = [{"op": "test", "path": "/metadata/generation", "value": int(generation)}] if generation else []
    return [*test, {"op": "replace", "path": "/spec/template", "value": revision.template}]


def _rollback_page(
    request: ConsoleRequest, place: Place, obj: KubeObject, revision: Revision, problem: Problem | None = None
) -> HttpResponse:
    asked = {**obj, "spec": {**obj["spec"], "template": revision.template}}
    found = None
    try:
        patch = _rollback_patch(revision, _generation(obj))
        result = request.cluster.patch(place.type, place.name, patch, place.namespace, style="json", dry_run=True)
        found = review(obj, asked, result)
    except KubeError as error:
        problem = problem or explain(error)
    page = RollbackPage(place=place, revision=revision, generation=_generation(obj), found=found, problem=problem)
    status = problem.status if problem else 200
    return render.page(request, "resources/rollback.html", {"page": page}, status=status)
