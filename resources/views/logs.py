"""The log of a Pod's container: its last lines, and what it goes on to say (resources/views/follow.py brings that)."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest
from kube.errors import BadRequest, KubeError, NotFound
from resources import pods
from resources.logs import TAILS, Container, containers
from resources.place import Place, place_of
from resources.views.logs_all import logs_all


@dataclass(frozen=True, slots=True)
class LogPage:
    """`text`: the last `tail` lines; `notice`: why there is no text yet, as the API server words it."""

    place: Place
    containers: tuple[Container, ...]
    chosen: str
    tail: int
    tails: tuple[int, ...]
    previous: bool
    timestamps: bool
    text: str
    notice: str

    @property
    def follow_url(self) -> str:
        return f"{self.place.url('logs')}follow/"


@require_safe
def logs(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """`?container=`, `tail=`, `previous=1`, `timestamps=1`; `download=1` answers with all of it as a text file."""
    place = place_of(request, group, version, plural, namespace, name)
    if place.type.kind != "Pod" or place.type.group:
        if not pods.may_have(place.type):
            raise NotFound(_("Only Pods have logs, and what runs them; %(kind)s has none.") % {"kind": place.type.kind})
        return logs_all(request, place)
    all_ = containers(place.get(request.cluster))
    asked = request.GET.get("container", "")
    chosen = asked if any(asked == container.name for container in all_) else (all_[0].name if all_ else "")
    if "download" in request.GET:
        return _download(request, place, chosen)
    tail = next((tail for tail in TAILS if str(tail) == request.GET.get("tail")), TAILS[1])
    text, notice = _text(request, place, chosen, tail)
    page = LogPage(
        place,
        all_,
        chosen,
        tail,
        TAILS,
        "previous" in request.GET,
        "timestamps" in request.GET,
        text,
        notice,
    )
    return render.page(request, "resources/logs.html", {"page": page})


def _text(request: ConsoleRequest, place: Place, container: str, tail: int) -> tuple[str, str]:
    """The text, or the reason why there is none: a container that waits to start is no error of the page."""
    try:
        text = request.cluster.log(
            place.name,
            place.namespace,
            container=container,
            tail=tail,
            previous="previous" in request.GET,
            timestamps="timestamps" in request.GET,
        )
    except (BadRequest, NotFound) as error:
        return "", str(error)
    return text, ""


def _download(request: ConsoleRequest, place: Place, container: str) -> HttpResponse:
    try:
        text = request.cluster.log(place.name, place.namespace, container=container, previous="previous" in request.GET)
    except BadRequest as error:
        raise KubeError(str(error), code=404, reason="NotFound") from error
    headers = {"Content-Disposition": f'attachment; filename="{place.name}-{container}.log"'}
    return HttpResponse(text, content_type="text/plain; charset=utf-8", headers=headers)
