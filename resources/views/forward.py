"""Port-forward pages: where a forward of an object may lead, and all that are open now.

On a console that only this machine reaches, a forward is a port of this machine. On any other one a port would be the
server's and of no use, so it is an address of the console (resources/views/forward_proxy.py).
"""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.access import can
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.errors import KubeError, NotFound
from kube.kubectl import Commands
from resources.forward.targets import Port
from resources.forward.tunnels import Tunnel, close_tunnel, open_tunnel, tunnels
from resources.place import Place, place_of
from resources.podlogs import pods
from resources.reachable import ForwardChoice, choices, own


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardPage:
    """`allowed`: the API server lets this user forward.

    `local`: it opens ports of this machine. `typed_*` and `error`: what was refused.
    """

    place: Place
    choices: tuple[ForwardChoice, ...]
    chosen: ForwardChoice | None
    tunnels: tuple[Tunnel, ...]
    allowed: bool
    reason: str
    local: bool
    typed_remote: str = ""
    typed_local: str = ""
    error: str = ""
    error_field: str = ""
    problem: Problem | None = None

    @property
    def ports(self) -> tuple[Port, ...]:
        return self.chosen.ports if self.chosen else ()

    @property
    def command(self) -> Commands | str:
        if self.chosen is None:
            return ""
        remote = self.typed_remote or (str(self.ports[0].number) if self.ports else "")
        return self.chosen.target.kubectl(self.typed_local, remote)

    @property
    def refresh_url(self) -> str:
        return _refresh(self.tunnels)


def _refresh(open_: tuple[Tunnel, ...]) -> str:
    return f"{reverse('resources:forwards')}?only={','.join(str(tunnel.id) for tunnel in open_)}"


def _page(request: ConsoleRequest, place: Place, **more: object) -> ForwardPage:
    obj = place.get(request.cluster)
    found = choices(request.cluster, place.type, obj)
    asked = request.POST.get("target") or request.GET.get("target", "")
    chosen = next((choice for choice in found if choice.target.key == asked), found[0] if found else None)
    type_ = request.cluster.find("", "v1", "pods")
    access = can(request.cluster, "create", type_, place.namespace, subresource="portforward")
    keys = {choice.target for choice in found}
    open_ = tuple(tunnel for tunnel in tunnels(request.cluster) if tunnel.target in keys)
    local = settings.LOCAL_ONLY
    return ForwardPage(
        place=place,
        choices=found,
        chosen=chosen,
        tunnels=open_,
        allowed=access.allowed,
        reason=access.reason,
        local=local,
        **more,  # type: ignore[arg-type]
    )


@require_http_methods(["GET", "HEAD", "POST"])
def forward(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """The page, with `?target=` and `remote=` filled in; a POST starts a forward (`target`, `remote`, `local`)."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if not own(place.type) and not pods.may_have(place.type):
        raise NotFound(
            _("Only Pods, Services and workloads have ports to forward; %(kind)s has none.") % {"kind": place.type.kind}
        )
    if request.method != "POST":
        return _answer(request, _page(request, place, typed_remote=request.GET.get("remote", "")[:5]))
    typed = {
        "typed_remote": request.POST.get("remote", "").strip(),
        "typed_local": request.POST.get("local", "").strip(),
    }
    for field, value, empty in (("remote", typed["typed_remote"], False), ("local", typed["typed_local"], True)):
        if not (empty and not value) and not _is_port(value):
            error = _("“%(value)s” isn't a valid port. Enter a number from 1 to 65535.") % {"value": value}
            return _answer(request, _page(request, place, **typed, error=error, error_field=field))
    return _start(request, place, typed)


def _start(request: ConsoleRequest, place: Place, typed: dict[str, str]) -> HttpResponse:
    page = _page(request, place)
    if page.chosen is None:
        return _answer(request, page)
    target, remote = page.chosen.target, int(typed["typed_remote"])
    local = int(typed["typed_local"] or 0) if page.local else 0
    declared = next((port for port in page.ports if port.number == remote), Port(remote))
    try:
        with audit.recorded(request, "port-forward", place.ref):
            open_tunnel(request.cluster, target, remote, local, secure=declared.secure, listen=page.local)
    except KubeError as error:
        return _answer(request, _page(request, place, **typed, problem=explain(error)))
    return HttpResponseRedirect(request.get_full_path())


@require_http_methods(["GET", "HEAD", "POST"])
def forwards(request: ConsoleRequest) -> HttpResponse:
    """All that this user has open; a POST stops one (`stop`) and goes back to `next`.

    `?only=1,2`: these, for the part that renews itself.
    """
    if request.method == "POST":
        stop = request.POST.get("stop", "")
        found = next((tunnel for tunnel in tunnels(request.cluster) if str(tunnel.id) == stop), None)
        if found and close_tunnel(request.cluster, found.id):
            target = found.target
            audit.record(request, "stop port-forward", f"{target.kind} {target.namespace}/{target.name}", "ok")
        back = request.POST.get("next", "")
        safe = url_has_allowed_host_and_scheme(
            back, allowed_hosts={request.get_host()}, require_https=request.is_secure()
        )
        return HttpResponseRedirect(back if safe else reverse("resources:forwards"))
    open_ = tunnels(request.cluster)
    if only := request.GET.get("only", ""):
        numbers = set(only.split(","))
        open_ = tuple(tunnel for tunnel in open_ if str(tunnel.id) in numbers)
    page = {"tunnels": open_, "local": settings.LOCAL_ONLY, "refresh_url": _refresh(open_) if only else ""}
    context = {"page": page, "back": request.GET.get("back") or request.headers.get("HX-Current-URL") or request.path}
    return render.page(request, "resources/forwards.html", context, fragment="resources/_forwards.html")


def _answer(request: ConsoleRequest, page: ForwardPage) -> HttpResponse:
    status = page.problem.status if page.problem else 422 if page.error else 200
    context = {"page": page, "back": request.get_full_path()}
    return render.page(request, "resources/forward.html", context, status=status)


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and 0 < int(text) < 65536
