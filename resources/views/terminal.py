"""/resources/core/v1/pods/<namespace>/<name>/terminal/: a shell in a container (resources/views/shell_socket.py
carries it).
"""

import time
from dataclasses import dataclass

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.access import refusal
from console.web.request import ConsoleRequest
from kube.errors import NotFound
from kube.objects import KubeObject
from resources.place import Place, place_of
from resources.podlogs.logs import LogContainer, containers
from resources.state.children import moment
from resources.state.health import mapping, text

#: After so long a page no longer waits for a container that has not started.
STARTS_SECONDS = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminalPage:
    """`refusal`: why there can be no shell, '' when there can.

    `waits`: because the container is about to start; `why`: what is known of that.
    """

    place: Place
    containers: tuple[LogContainer, ...]
    chosen: str
    command: str
    refusal: str
    waits: bool = False
    why: str = ""

    @property
    def socket(self) -> str:
        return f"{self.place.url('terminal')}socket/"


@require_safe
def terminal(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """`?container=`, and `command=` instead of the shell that is found.

    `begun=`: when a debug container was made, in seconds of the epoch.
    """
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if place.type.kind != "Pod":
        raise NotFound(
            _(
                "You can open a terminal only in a container of a Pod, not in an object of kind %(kind)s. "
                "Open the terminal from the Pod's page."
            )
            % {"kind": place.type.kind}
        )
    pod = place.get(request.cluster)
    all_ = tuple(container for container in containers(pod) if container.kind != "init")
    asked = request.GET.get("container", "")
    running = [container.name for container in all_ if container.state == "running"]
    chosen = (
        asked
        if any(asked == container.name for container in all_)
        else next(iter(running), all_[0].name if all_ else "")
    )
    refused = refusal(
        client=request.cluster,
        verb="create",
        type_=place.type,
        namespace=place.namespace,
        name=place.name,
        subresource="exec",
    )
    waiting = next((container for container in all_ if container.name == chosen and container.state == "waiting"), None)
    late = time.time() - _begun(request, pod) > STARTS_SECONDS
    if not refused and chosen not in running:
        refused = _("The container “%(name)s” isn't running, so you can't open a terminal in it.") % {"name": chosen}
    why = _why(waiting, late) if waiting else ""
    waits = waiting is not None and not late
    page = TerminalPage(
        place=place,
        containers=all_,
        chosen=chosen,
        command=request.GET.get("command", "")[:1000],
        refusal=refused,
        waits=waits,
        why=why,
    )
    return render.page(request, "resources/terminal.html", {"page": page})


def _begun(request: ConsoleRequest, pod: KubeObject) -> float:
    asked = request.GET.get("begun", "")
    if asked.isascii() and asked.isdigit() and len(asked) < 12:
        return float(asked)
    created = moment(text(mapping(pod.get("metadata")).get("creationTimestamp")))
    return created.timestamp() if created else 0.0


def _why(container: LogContainer, late: bool) -> str:
    """What the node says of it, or that it says nothing."""
    if not late:
        return container.reason
    if container.known:
        return _("The container hasn't started. %(reason)s") % {"reason": container.reason}
    return _(
        "The container hasn't started, and its node doesn't report why. Check that the node supports debug containers."
    )
