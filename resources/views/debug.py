"""/resources/core/v1/pods/<namespace>/<name>/debug/: a container with a shell, put beside one that has none."""

import time
from dataclasses import dataclass, replace

from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.access import refusal
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.errors import Invalid, KubeError, NotFound
from kube.kubectl import Commands
from resources.acting import debug_container
from resources.place import Place, place_of
from resources.podlogs.logs import containers


@dataclass(frozen=True, slots=True, kw_only=True)
class DebugPage:
    place: Place
    targets: tuple[str, ...]
    target: str
    image: str
    refusal: str
    error: str = ""
    problem: Problem | None = None

    @property
    def command(self) -> Commands:
        return debug_container.command(self.place, self.image, self.target)


def _page(request: ConsoleRequest, place: Place) -> DebugPage:
    targets = tuple(
        container.name for container in containers(place.get(request.cluster)) if container.kind == "container"
    )
    asked = request.POST.get("target", request.GET.get("target", targets[0] if targets else ""))
    image = request.POST.get("image", debug_container.IMAGE).strip()
    refused = refusal(
        client=request.cluster,
        verb="patch",
        type_=place.type,
        namespace=place.namespace,
        name=place.name,
        subresource="ephemeralcontainers",
    )
    return DebugPage(
        place=place, targets=targets, target=asked if asked in targets else "", image=image, refusal=refused
    )


@require_http_methods(["GET", "HEAD", "POST"])
def debug(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """`image=`, and `target=`: the container whose processes it sees ('' for none)."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if place.type.kind != "Pod" or place.type.group:
        raise NotFound(_("Only a Pod can have a debug container; %(kind)s can't.") % {"kind": place.type.kind})
    page = _page(request, place)
    if request.method != "POST":
        return render.page(request, "resources/debug.html", {"page": page})
    if not page.image:
        page = replace(page, error=_("Enter the name of an image."))
        return render.page(request, "resources/debug.html", {"page": page}, status=422)
    made = debug_container.container(page.image, page.target)
    try:
        with audit.recorded(request, "debug", place.ref):
            debug_container.add(request.cluster, place, made)
    except KubeError as error:
        if isinstance(error, Invalid) and error.causes:
            words = "; ".join(cause.message for cause in error.causes)
            page = replace(page, error=words)
        else:
            page = replace(page, problem=explain(error))
        status = page.problem.status if page.problem else 422
        return render.page(request, "resources/debug.html", {"page": page}, status=status)
    return HttpResponseRedirect(place.url("terminal", container=made["name"], begun=str(int(time.time()))))
