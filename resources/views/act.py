"""Pages of one action on one object: an act, cordon, scale, roll back.

…/<object>/act/<act>/: an act of resources/acting/acts.py, after a page that says what it does and how kubectl does it.
…/nodes/-/<name>/cordon/: whether the scheduler may put new Pods on a node, as `kubectl cordon` and `kubectl uncordon`.
…/<object>/scale/: the number of replicas, for every type with a scale subresource, custom resources too.
…/<object>/rollback/?revision=N: sets a workload's Pod template back to revision N, as
`kubectl rollout undo --to-revision=N`, after a dry run and a comparison with the template now.
"""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
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
from kube.types.workloads import Scale
from resources.acting import acts
from resources.acting.actions import refusal_of_act
from resources.acting.acts import Act
from resources.history import writes
from resources.kinds import workloads
from resources.kinds.workloads import Revision
from resources.place import Place, place_of
from resources.writing.review import Review, review


class ActForm(forms.Form):
    """`name`: of what is made. The API server checks it."""

    name = forms.CharField(required=False, max_length=253)


@require_http_methods(["GET", "HEAD", "POST"])
def act(
    request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str, act: str
) -> HttpResponse:
    """The page; a POST does it."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    obj = place.get(request.cluster)
    found = acts.find(request.cluster, place, obj, act)
    form = ActForm(request.POST if request.method == "POST" else None, initial={"name": found.new_name})
    if request.method != "POST":
        return _act_page(request, place, found, form)
    if found.refusal or not form.is_valid():
        return _act_page(request, place, found, form, status=409 if found.refusal else 422)
    try:
        with audit.recorded(request, found.name, place.ref):
            then = acts.perform(request.cluster, place, obj, found, form.cleaned_data["name"] or found.new_name)
    except KubeError as error:
        if found.new_name and isinstance(error, Invalid | AlreadyExists):
            form.add_error("name", "; ".join(cause.message for cause in error.causes) or str(error))
            return _act_page(request, place, found, form, status=422)
        problem = explain(error)
        return _act_page(request=request, place=place, act=found, form=form, problem=problem, status=problem.status)
    writes.add_message(
        request, found.done, writes.changed(request.cluster, found.name, place, obj) if then == place else ""
    )
    return HttpResponseRedirect(then.url())


def _act_page(
    request: ConsoleRequest, place: Place, act: Act, form: ActForm, problem: Problem | None = None, status: int = 200
) -> HttpResponse:
    """`refusal`: why the button is disabled."""
    refusal = refusal_of_act(request.cluster, place, act)
    context = {"place": place, "act": act, "refusal": refusal, "form": form, "problem": problem}
    return render.page(request, "resources/act.html", context, status=status)


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


class ScaleForm(forms.Form):
    replicas = forms.IntegerField(
        min_value=0,
        # What the Scale's int32 holds.
        max_value=2**31 - 1,
        error_messages=dict.fromkeys(
            ("required", "invalid", "min_value", "max_value"), gettext_lazy("Enter a whole number, 0 or more.")
        ),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def scale(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """The number now; a POST sets another."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if request.method != "POST":
        present = _scale(request.cluster, place)
        return _scale_page(request, place, ScaleForm(initial={"replicas": present.spec.replicas}), present)
    form = ScaleForm(request.POST)
    if not form.is_valid():
        return _scale_page(request, place, form, _scale(request.cluster, place))
    number = form.cleaned_data["replicas"]
    before = writes.current_object(request.cluster, place)
    try:
        patch = {"spec": {"replicas": number}}
        with audit.recorded(request, "scale", place.ref):
            request.cluster.patch(place.type, place.name, patch, place.namespace, subresource="scale")
    except Invalid as error:
        form.add_error("replicas", "; ".join(cause.message for cause in error.causes) or str(error))
        return _scale_page(request, place, form, _scale(request.cluster, place))
    except KubeError as error:
        return _scale_page(request, place, form, Scale(), explain(error))
    back = writes.changed(request.cluster, "scale", place, before)
    message = _("%(kind)s “%(name)s” scaled to %(number)d.")
    writes.add_message(request, message % {"kind": place.type.kind, "name": place.name, "number": number}, back)
    return HttpResponseRedirect(place.url())


def _scale(client: ClusterClient, place: Place) -> Scale:
    if "scale" not in place.type.subresources:
        raise NotFound(f"{place.type.kind} has no scale: this type does not say where its number of replicas is kept")
    return read(answers.document(client.raw("GET", place.type.path(place.namespace, place.name, "scale"))), Scale)


def _scale_page(
    request: ConsoleRequest, place: Place, form: ScaleForm, present: Scale, problem: Problem | None = None
) -> HttpResponse:
    context = {"place": place, "form": form, "present": present, "problem": problem}
    status = problem.status if problem else 422 if form.errors else 200
    return render.page(request, "resources/scale.html", context, status=status)


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
