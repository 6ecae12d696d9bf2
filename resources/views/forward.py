"""Port-forward pages: the ports of a Pod or Service, and what is forwarded now."""

from dataclasses import dataclass

from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.access import can
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.errors import KubeError, NotFound
from resources.forward.targets import Port, Target, ports
from resources.forward.tunnels import Tunnel, close_tunnel, open_tunnel, tunnels
from resources.place import Place, place_of


@dataclass(frozen=True, slots=True)
class ForwardPage:
    """`allowed`: the API server lets this user forward. `typed_*` and `error`: what was refused."""

    place: Place
    ports: tuple[Port, ...]
    tunnels: tuple[Tunnel, ...]
    allowed: bool
    reason: str
    typed_remote: str = ""
    typed_local: str = ""
    error: str = ""
    error_field: str = ""
    problem: Problem | None = None


def _target(place: Place) -> Target:
    if place.type.group or place.type.kind not in ("Pod", "Service"):
        raise NotFound(
            _("Only Pods and Services have ports to forward; %(kind)s has none.") % {"kind": place.type.kind}
        )
    return Target(place.type.kind, place.namespace, place.name)


def _page(request: ConsoleRequest, place: Place, **more: object) -> ForwardPage:
    obj = place.get(request.cluster)
    pods = request.cluster.find("", "v1", "pods")
    access = can(request.cluster, "create", pods, place.namespace, subresource="portforward")
    return ForwardPage(
        place,
        ports(obj),
        tunnels(request.cluster, _target(place)),
        access.allowed,
        access.reason,
        **more,  # type: ignore[arg-type]
    )


@require_http_methods(["GET", "HEAD", "POST"])
def forward(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """The page; a POST starts (`remote`, `local`) or stops (`stop`) a forward."""
    place = place_of(request, group, version, plural, namespace, name)
    target = _target(place)
    if request.method != "POST":
        return _answer(request, _page(request, place))
    if stop := request.POST.get("stop", ""):
        if stop.isdigit() and close_tunnel(request.cluster, int(stop)):
            audit.record(request, "stop port-forward", place.ref, "ok")
        return HttpResponseRedirect(request.path)
    typed = {"typed_remote": request.POST.get("remote", ""), "typed_local": request.POST.get("local", "").strip()}
    for field, value, empty in (("remote", typed["typed_remote"], False), ("local", typed["typed_local"], True)):
        if not (empty and not value) and not _is_port(value):
            error = _("“%(value)s” is no port: type a number from 1 to 65535.") % {"value": value}
            return _answer(request, _page(request, place, **typed, error=error, error_field=field))
    remote, local = int(typed["typed_remote"]), int(typed["typed_local"] or 0)
    declared = next((port for port in ports(place.get(request.cluster)) if port.number == remote), Port(remote))
    try:
        open_tunnel(request.cluster, target, remote, local, secure=declared.secure)
    except KubeError as error:
        audit.record(request, "port-forward", place.ref, error.reason)
        return _answer(request, _page(request, place, **typed, problem=explain(error)))
    audit.record(request, "port-forward", place.ref, "ok")
    return HttpResponseRedirect(request.path)


def _answer(request: ConsoleRequest, page: ForwardPage) -> HttpResponse:
    status = page.problem.status if page.problem else 422 if page.error else 200
    return render.page(
        request, "resources/forward.html", {"page": page}, fragment="resources/_forwards.html", status=status
    )


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and 0 < int(text) < 65536
