"""…/<object>/labels/: its labels and annotations, edited in rows.

Only changed keys are sent, so that others' keys stay as they are.
"""

from dataclasses import dataclass

from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.errors import KubeError
from resources.acting import metadata_pairs
from resources.acting.metadata_pairs import KINDS, Pair
from resources.history import writes
from resources.place import Place, place_of

_EMPTY = (Pair(),)


@dataclass(frozen=True, slots=True)
class Rows:
    """`before`: what the page showed when it was made, key by key; what the user did not touch is never sent."""

    kind: str
    title: str
    pairs: tuple[Pair, ...]
    before: tuple[Pair, ...]


@dataclass(frozen=True, slots=True)
class LabelsPage:
    place: Place
    parts: tuple[Rows, ...]
    problem: Problem | None = None


def _title(kind: str) -> str:
    return _("Labels") if kind == "labels" else _("Annotations")


@require_http_methods(["GET", "HEAD", "POST"])
def labels(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """`<kind>-key`, `<kind>-value`: the rows; `<kind>-was-key`, `<kind>-was-value`: as they were when the page was
    made.
    """
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if request.method != "POST":
        obj = place.get(request.cluster)
        parts = tuple(
            Rows(kind, _title(kind), metadata_pairs.pairs(obj, kind) + _EMPTY, metadata_pairs.pairs(obj, kind))
            for kind in KINDS
        )
        return render.page(request, "resources/labels.html", {"page": LabelsPage(place, parts)})
    return _save(request, place)


def _save(request: ConsoleRequest, place: Place) -> HttpResponse:
    post, parts = request.POST, []
    for kind in KINDS:
        typed = metadata_pairs.read(post.getlist(f"{kind}-key"), post.getlist(f"{kind}-value"), kind)
        was = post.getlist(f"{kind}-was-key"), post.getlist(f"{kind}-was-value")
        before = tuple(Pair(key, metadata_pairs.lines(value)) for key, value in zip(*was, strict=False))
        parts.append(Rows(kind, _title(kind), typed, before))
    if any(pair.error for part in parts for pair in part.pairs) or "more" in post:
        shown = tuple(Rows(part.kind, part.title, part.pairs + _EMPTY, part.before) for part in parts)
        status = 200 if "more" in post else 422
        return render.page(request, "resources/labels.html", {"page": LabelsPage(place, shown)}, status=status)
    patch = {part.kind: change for part in parts if (change := metadata_pairs.changes(part.before, part.pairs))}
    if patch:
        was_before = writes.current_object(request.cluster, place)
        try:
            with audit.recorded(request, "label", place.ref):
                after = request.cluster.patch(place.type, place.name, {"metadata": patch}, place.namespace)
        except KubeError as error:
            problem = explain(error)
            page = LabelsPage(place, tuple(parts), problem)
            return render.page(request, "resources/labels.html", {"page": page}, status=problem.status)
        words = {"kind": place.type.kind, "name": place.name}
        back = writes.wrote(request.cluster, "label", place, was_before, after) if was_before else ""
        writes.add_message(request, _("%(kind)s “%(name)s”: labels and annotations saved.") % words, back)
    return HttpResponseRedirect(place.url())
