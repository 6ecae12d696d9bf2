"""How many replicas: for every type with a scale subresource, Deployments and custom resources alike."""

from dataclasses import dataclass

from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube import answers
from kube.client import ClusterClient
from kube.errors import Invalid, KubeError, NotFound
from resources.history import writes
from resources.place import Place, place_of

# What the Scale's int32 holds.
_MOST = 2**31 - 1


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


def _look(client: ClusterClient, place: Place, typed: str = "", error: str = "") -> ScalePage:
    if "scale" not in place.type.subresources:
        raise NotFound(f"{place.type.kind} has no scale: this type does not say where its number of replicas is kept")
    scale = answers.document(client.raw("GET", place.type.path(place.namespace, place.name, "scale")))
    spec, status = scale.get("spec") or {}, scale.get("status") or {}
    return ScalePage(
        place=place,
        wanted=int(spec.get("replicas") or 0),
        present=int(status.get("replicas") or 0),
        typed=typed,
        error=error,
    )


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and int(text) <= _MOST else None


@require_http_methods(["GET", "HEAD", "POST"])
def scale(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """The number now; a POST sets another."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if request.method != "POST":
        return render.page(request, "resources/scale.html", {"page": _look(request.cluster, place)})
    typed = request.POST.get("replicas", "").strip()
    number = _number(typed)
    if number is None:
        page = _look(request.cluster, place, typed, _("Enter a whole number, 0 or more."))
        return render.page(request, "resources/scale.html", {"page": page}, status=422)
    before = writes.current_object(request.cluster, place)
    try:
        patch = {"spec": {"replicas": number}}
        with audit.recorded(request, "scale", place.ref):
            request.cluster.patch(place.type, place.name, patch, place.namespace, subresource="scale")
    except Invalid as error:
        words = "; ".join(cause.message for cause in error.causes) or str(error)
        return render.page(
            request, "resources/scale.html", {"page": _look(request.cluster, place, typed, words)}, status=422
        )
    except KubeError as error:
        page = ScalePage(place=place, wanted=0, present=0, typed=typed, problem=explain(error))
        return render.page(request, "resources/scale.html", {"page": page}, status=explain(error).status)
    back = writes.changed(request.cluster, "scale", place, before)
    message = _("%(kind)s “%(name)s” scaled to %(number)d.")
    writes.add_message(request, message % {"kind": place.type.kind, "name": place.name, "number": number}, back)
    return HttpResponseRedirect(place.url())
