"""/resources/core/v1/pods/<namespace>/<name>/terminal/: a shell in a container (resources/views/shell_socket.py carries it)."""

from dataclasses import dataclass

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.access import can
from console.web.request import ConsoleRequest
from kube.errors import NotFound
from resources.place import Place, place_of
from resources.podlogs.logs import Container, containers


@dataclass(frozen=True, slots=True)
class TerminalPage:
    """`refusal`: why there can be no shell, '' when there can. `waits`: because the container is about to start."""

    place: Place
    containers: tuple[Container, ...]
    chosen: str
    command: str
    refusal: str
    waits: bool = False

    @property
    def socket(self) -> str:
        return f"{self.place.url('terminal')}socket/"


@require_safe
def terminal(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """`?container=`, and `command=` instead of the shell that is found."""
    place = place_of(request, group, version, plural, namespace, name)
    if place.type.kind != "Pod":
        raise NotFound(
            _("Only Pods have containers to open a terminal in; %(kind)s has none.") % {"kind": place.type.kind}
        )
    all_ = tuple(one for one in containers(place.get(request.cluster)) if one.kind != "init")
    asked = request.GET.get("container", "")
    running = [one.name for one in all_ if one.state == "running"]
    chosen = asked if any(asked == one.name for one in all_) else next(iter(running), all_[0].name if all_ else "")
    access = can(request.cluster, "create", place.type, place.namespace, place.name, "exec")
    refusal = "" if access.allowed else access.reason or _("You may not run commands in this Pod.")
    waits = not refusal and any(one.name == chosen and one.state == "waiting" for one in all_)
    if not refusal and chosen not in running:
        refusal = _("The container “%(name)s” does not run: there is nothing to open a terminal in.") % {"name": chosen}
    page = TerminalPage(place, all_, chosen, request.GET.get("command", "")[:1000], refusal, waits)
    return render.page(request, "resources/terminal.html", {"page": page})
