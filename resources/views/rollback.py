"""/…/rollback/?revision=N: a workload's Pod template as it was, tried (dry run), shown beside what it is, and taken
back when that is wanted.

The same as `kubectl rollout undo --to-revision=N`.
"""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject
from resources.kinds import revisions
from resources.kinds.revisions import Revision
from resources.place import Place, place_of
from resources.state.health import mapping, text
from resources.writing.review import Review, review


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
    revision = _find(request, place, obj, wanted)
    if mapping(obj.get("spec")).get("paused") is True:
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
        return _page(request, place, obj, revision)
    if request.POST.get("generation") != _generation(obj):
        words = _("“%(name)s” has changed in the meantime. Review the comparison again.") % {"name": place.name}
        return _page(request, place, obj, revision, Problem(status=409, title=words, advice="", detail=""))
    patch = _patch(revision, _generation(obj))
    try:
        with audit.recorded(request, "rollback", place.ref):
            request.cluster.patch(place.type, place.name, patch, place.namespace, style="json")
    except KubeError as error:
        return _page(request, place, obj, revision, explain(error))
    names = {"kind": place.type.kind, "name": place.name, "number": revision.number}
    messages.success(request, _("%(kind)s “%(name)s” rolled back to revision %(number)d.") % names)
    return HttpResponseRedirect(place.url())


def _find(request: ConsoleRequest, place: Place, obj: KubeObject, wanted: str) -> Revision:
    if place.type.kind not in revisions.KINDS or place.type.group != "apps":
        raise NotFound(_("%(kind)s has no revisions.") % {"kind": place.type.kind})
    found = revisions.revisions_of(request.cluster, {**obj, "kind": place.type.kind})
    revision = found.number(wanted)
    if revision is None:
        raise NotFound(
            found.problem
            or _("Revision %(number)s doesn't exist. It may have been removed.") % {"number": wanted[:20] or "–"}
        )
    return revision


def _generation(obj: KubeObject) -> str:
    return text(mapping(obj.get("metadata")).get("generation"))


def _patch(revision: Revision, generation: str) -> list[dict[str, Any]]:
    test = [{"op": "test", "path": "/metadata/generation", "value": int(generation)}] if generation else []
    return [*test, {"op": "replace", "path": "/spec/template", "value": revision.template}]


def _page(
    request: ConsoleRequest, place: Place, obj: KubeObject, revision: Revision, problem: Problem | None = None
) -> HttpResponse:
    asked = {**obj, "spec": {**obj["spec"], "template": revision.template}}
    found = None
    try:
        patch = _patch(revision, _generation(obj))
        result = request.cluster.patch(place.type, place.name, patch, place.namespace, style="json", dry_run=True)
        found = review(obj, asked, result)
    except KubeError as error:
        problem = problem or explain(error)
    page = RollbackPage(place=place, revision=revision, generation=_generation(obj), found=found, problem=problem)
    status = problem.status if problem else 200
    return render.page(request, "resources/rollback.html", {"page": page}, status=status)
