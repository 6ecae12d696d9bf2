"""The log of a Pod's container: its last lines, and new ones (from resources/views/follow.py)."""

from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest
from kube.errors import BadRequest, NotFound
from resources.place import Place, place_of
from resources.podlogs import pods
from resources.podlogs.logs import PRINTED, SPANS, TAILS, LogContainer, LogPart, containers, part
from resources.views.logs_all import logs_all


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPage:
    """`text`: its end, for who reads without script; `notice`: why there is no text yet, as the API server words it."""

    place: Place
    containers: tuple[LogContainer, ...]
    chosen: str
    part: LogPart
    text: str
    notice: str
    tails: tuple[int, ...] = TAILS
    spans: tuple[tuple[int, Any], ...] = SPANS

    def _url(self, view: str, part: LogPart) -> str:
        return f"{self.place.url('logs')}{view}/?{urlencode({'container': self.chosen, **part.query})}"

    @property
    def follow_url(self) -> str:
        return self._url("follow", self.part)

    @property
    def raw_url(self) -> str:
        """All of it, as it is."""
        return self._url("raw", replace(self.part, tail=0))

    @property
    def file_name(self) -> str:
        """What a saved one is called."""
        return f"{self.place.name}-{self.chosen}.log"

    @property
    def ended(self) -> str:
        """The text at the end of the log."""
        return _("end of the previous run") if self.part.previous else _("the container terminated")

    @property
    def command(self) -> str:
        follow = "" if self.part.previous else " -f"
        return f"kubectl logs{follow} {self.place.name} -n {self.place.namespace} -c {self.chosen}{self.part.kubectl}"


@require_safe
def logs(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """`?container=`, `tail=`, `span=` (seconds back) or `since=` (a moment in UTC), `previous=1`, `timestamps=1`."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if place.type.kind != "Pod" or place.type.group:
        if not pods.may_have(place.type):
            raise NotFound(_("Only Pods and workloads have logs; %(kind)s has none.") % {"kind": place.type.kind})
        return logs_all(request, place)
    all_ = containers(place.get(request.cluster))
    asked = request.GET.get("container", "")
    chosen = asked if any(asked == container.name for container in all_) else (all_[0].name if all_ else "")
    wanted = part(request.GET.dict())
    text, notice = _text(request, place, chosen, wanted)
    return render.page(
        request,
        "resources/logs.html",
        {"page": LogPage(place=place, containers=all_, chosen=chosen, part=wanted, text=text, notice=notice)},
    )


def _text(request: ConsoleRequest, place: Place, container: str, wanted: LogPart) -> tuple[str, str]:
    """The text, or the reason why there is none: a container that waits to start isn't an error of the page."""
    printed = replace(wanted, tail=min(wanted.tail, PRINTED))
    try:
        return request.cluster.log(place.name, place.namespace, container=container, **printed.options), ""
    except (BadRequest, NotFound) as error:
        return "", str(error)
