"""Port-forwards: the page of an object (…/<object>/forward/), all that are open now (/resources/forwards/), and
/forwarded/<token>/…, the web page of a Pod through the console.

A forward leads to the object itself, or to what it owns that has ports: Services first, since they name their ports. On
a console that only this machine reaches, a forward is a port of this machine. On any other one a port would be the
server's and of no use, so there a forward is an address of the console.

The token grants access: it is made when the forward is opened, is shown to its owner only, and ends with the forward,
or with its owner's session. The response is untrusted content on our own origin, so it is put into a sandbox (an origin
of its own): its scripts can't read our pages, our cookies are never passed on, and its cookies are dropped. Programs
that need absolute addresses get their prefix (X-Forwarded-Prefix); those that ignore it don't work here, only with
kubectl.
"""

import asyncio
import contextlib
import re
import ssl
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from aiohttp.client_proto import ResponseHandler
from django.conf import settings
from django.db import connections
from django.http import HttpResponse, HttpResponseRedirect
from django.http.request import split_domain_port, validate_host
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from yarl import URL

from console.web import audit, render
from console.web.access import refusal
from console.web.asgi import Receive, Scope, Send
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest, own_address
from console.web.request_body import BodyRefused, read_body, send_refusal
from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from kube.kubectl import Commands
from kube.objects import KubeObject, name_of, namespace_of
from resources import podlogs
from resources.forward.targets import WORKLOADS, ForwardTarget, Port, ports
from resources.forward.tunnels import HOST, Tunnel, by_token, close_tunnel, connect, open_tunnel, owned, tunnels
from resources.place import Place, place_of
from resources.tree import belongings
from resources.views.stream import OpenEnded, in_thread, plain, until_gone

#: Longer lists are useless to choose from.
MAX_FORWARD_CHOICES = 30

FORWARDED_PATH = re.compile(r"^/forwarded/(?P<token>[A-Za-z0-9_-]{20,64})(?P<rest>/.*)?$")
_SANDBOX = (
    b"sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads; frame-ancestors 'none'; base-uri"
    b" 'none'"
)
# Of one connection only, or of our origin: https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1
_HOP_BY_HOP = frozenset(
    b"connection keep-alive proxy-connection proxy-authenticate proxy-authorization te trailer transfer-encoding"
    b" upgrade host".split()
)
_DROPPED_FROM_REQUEST = _HOP_BY_HOP | {
    b"cookie",
    b"authorization",
    b"accept-encoding",
    b"origin",
    b"referer",
    b"content-length",
    b"x-csrftoken",
}
_DROPPED_FROM_RESPONSE = _HOP_BY_HOP | {
    b"set-cookie",
    b"content-security-policy",
    b"content-security-policy-report-only",
    b"strict-transport-security",
    b"x-frame-options",
    b"service-worker-allowed",
    b"clear-site-data",
    b"alt-svc",
    b"content-length",
    b"content-encoding",
}
_READ_SECONDS = 60.0

Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class ForwardChoice:
    """One thing that can be forwarded to, with the ports it declares."""

    target: ForwardTarget
    ports: tuple[Port, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForwardPage:
    """`refusal`: why this user can't forward, '' if they can.

    `local`: it opens ports of this machine. `typed_*` and `error`: what was refused.
    """

    place: Place
    choices: tuple[ForwardChoice, ...]
    chosen: ForwardChoice | None
    tunnels: tuple[Tunnel, ...]
    refusal: str
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
    found = forward_choices(request.cluster, place.type, obj)
    asked = request.POST.get("target") or request.GET.get("target", "")
    chosen = next((choice for choice in found if choice.target.key == asked), found[0] if found else None)
    type_ = request.cluster.find("", "v1", "pods")
    keys = {choice.target for choice in found}
    open_ = tuple(tunnel for tunnel in tunnels(request.cluster) if tunnel.target in keys)
    local = settings.LOCAL_ONLY
    return ForwardPage(
        place=place,
        choices=found,
        chosen=chosen,
        tunnels=open_,
        refusal=refusal(request.cluster, "create", type_, place.namespace, subresource="portforward"),
        local=local,
        **more,  # type: ignore[arg-type]
    )


@require_http_methods(["GET", "HEAD", "POST"])
def forward(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """The page, with `?target=` and `remote=` filled in; a POST starts a forward (`target`, `remote`, `local`)."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if not is_forwardable(place.type) and not podlogs.may_have_pods(place.type):
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
        back = own_address(request, request.POST.get("next", ""))
        return HttpResponseRedirect(back or reverse("resources:forwards"))
    open_ = tunnels(request.cluster)
    if only := request.GET.get("only", ""):
        numbers = set(only.split(","))
        open_ = tuple(tunnel for tunnel in open_ if str(tunnel.id) in numbers)
    page = {"tunnels": open_, "local": settings.LOCAL_ONLY, "refresh_url": _refresh(open_) if only else ""}
    context = {"page": page, "back": request.GET.get("back") or request.headers.get("HX-Current-URL") or request.path}
    return render.page(request, "resources/forward.html", context, part=True)


def _answer(request: ConsoleRequest, page: ForwardPage) -> HttpResponse:
    status = page.problem.status if page.problem else 422 if page.error else 200
    context = {"page": page, "back": request.get_full_path()}
    return render.page(request, "resources/forward.html", context, status=status)


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and 0 < int(text) < 65536


def forward_choices(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> tuple[ForwardChoice, ...]:
    """None where there is nothing (yet)."""
    namespace = namespace_of(obj)
    if is_forwardable(type_):
        return (ForwardChoice(ForwardTarget(type_.kind, namespace, name_of(obj)), ports({**obj, "kind": type_.kind})),)
    found = sorted(_owned_choices(client, type_, obj), key=_for_browsers)
    return tuple(found)[:MAX_FORWARD_CHOICES]


def is_forwardable(type_: ResourceType) -> bool:
    """Whether a forward leads to objects of this kind themselves."""
    return (type_.kind in ("Pod", "Service") and not type_.group) or WORKLOADS.get(type_.kind) == type_.group


def _owned_choices(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> Iterator[ForwardChoice]:
    rows = [row for row in belongings(client, type_, obj).rows if is_forwardable(row.type)]
    # A Pod of a workload is reached by the workload, which outlives it.
    controlled = {row.depth for row in rows if row.type.kind in WORKLOADS}
    rank = {"Service": 0, "Deployment": 1, "StatefulSet": 2, "DaemonSet": 3, "Pod": 5}
    for row in sorted(rows, key=lambda row: rank.get(row.type.kind, 4)):
        if row.type.kind == "ReplicaSet" or (row.type.kind == "Pod" and controlled and row.depth > min(controlled)):
            continue
        target = ForwardTarget(row.type.kind, namespace_of(row.object), name_of(row.object))
        whole = {**row.object, "kind": row.type.kind}
        if row.type.kind == "Service":
            # Of Services only the metadata was read.
            try:
                whole = client.get(row.type, target.name, target.namespace)
            except KubeError:
                continue
        yield ForwardChoice(target, ports({**whole, "kind": row.type.kind}))


def _for_browsers(choice: ForwardChoice) -> bool:
    """False, and so first, for a Service at a browser's usual port: what most people want to open."""
    return not (choice.target.kind == "Service" and any(port.standard for port in choice.ports))


class PodConnector(aiohttp.BaseConnector):
    """Connections through a port-forward that listens nowhere."""

    def __init__(self, tunnel: Tunnel) -> None:
        super().__init__(force_close=True)
        self._tunnel = tunnel

    async def _create_connection(
        self, req: aiohttp.ClientRequest, traces: list[Any], timeout: aiohttp.ClientTimeout
    ) -> ResponseHandler:
        # A Pod's certificate is for a name that isn't used here; the connection is inside the API server's TLS.
        context = _unverified() if req.is_ssl() else None
        _transport, protocol = await self._loop.create_connection(
            self._factory,
            sock=await connect(self._tunnel),
            ssl=context,
            server_hostname="localhost" if context else None,
        )
        return protocol


def _unverified() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


class ProxiedApp(OpenEnded):
    """One request to the Pod for one request of the browser."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not _is_own_host(scope):
            await plain(send, 400, "this host name is not the console's: see ALLOWED_HOSTS")
            return
        if _is_part_of_our_page(scope):
            await plain(send, 403, "pages of the console load nothing from a forwarded page")
            return
        found = FORWARDED_PATH.match(scope["path"])
        tunnel = by_token(found["token"]) if found else None
        if found is None or tunnel is None or settings.LOCAL_ONLY:
            await plain(send, 404, "this port-forward has ended, or never was")
            return
        if tunnel.client.config.session and not await in_thread(lambda: _owned(tunnel)):
            await plain(send, 404, "this port-forward has ended, or never was")
            return
        if not found["rest"]:
            await _redirect(send, f"/forwarded/{tunnel.token}/")
            return
        try:
            body = await read_body(scope, receive, limits.FORWARDED_BODY_BYTES.value)
        except BodyRefused as error:
            await send_refusal(scope, send, error)
            return
        await self.until_first(until_gone(receive), _pass_on(scope, tunnel, body, send))


def _is_own_host(scope: Scope) -> bool:
    host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
    return validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS)


def _is_part_of_our_page(scope: Scope) -> bool:
    """A script of a Pod has the console's address, so `script-src 'self'` would let our pages load it.

    The sandboxed page's own requests are cross-site.

    https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Sec-Fetch-Site
    """
    headers = dict(scope["headers"])
    ours = headers.get(b"sec-fetch-site") in (b"same-origin", b"same-site")
    return ours and headers.get(b"sec-fetch-dest", b"document") != b"document"


def _owned(tunnel: Tunnel) -> bool:
    try:
        return owned(tunnel)
    finally:
        # The thread is of this request only.
        connections.close_all()


def _request_headers(headers: Iterable[tuple[bytes, bytes]], tunnel: Tunnel) -> Headers:
    """The headers for the Pod, without those that identify the user."""
    passed_on = [
        (name, value)
        for name, value in headers
        if name.lower() not in _DROPPED_FROM_REQUEST and not name.lower().startswith((b"x-forwarded", b"impersonate-"))
    ]
    prefix = f"/forwarded/{tunnel.token}".encode()
    return [
        *passed_on,
        (b"Host", f"localhost:{tunnel.remote}".encode()),
        (b"X-Forwarded-Prefix", prefix),
        (b"X-Script-Name", prefix),
    ]


def _response_headers(headers: Iterable[tuple[bytes, bytes]], tunnel: Tunnel) -> Headers:
    """What the browser hears: nothing that could touch our origin, and redirects that stay below the prefix."""
    found: Headers = []
    for name, value in headers:
        lower = name.lower()
        if lower in _DROPPED_FROM_RESPONSE:
            continue
        found.append(
            (
                lower,
                prefixed_location(value.decode("latin-1"), tunnel).encode("latin-1") if lower == b"location" else value,
            )
        )
    return [
        *found,
        (b"content-security-policy", _SANDBOX),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"cross-origin-opener-policy", b"same-origin"),
    ]


def prefixed_location(location: str, tunnel: Tunnel) -> str:
    """A redirect of the program to itself leads below our prefix; one to elsewhere is left as it is."""
    parts = urlsplit(location)
    prefix = f"/forwarded/{tunnel.token}"
    if parts.netloc and parts.hostname not in ("localhost", HOST):
        return location
    if not parts.path.startswith("/"):
        return location if not parts.netloc else f"{prefix}/"
    path = parts.path if parts.path.startswith(f"{prefix}/") else f"{prefix}{parts.path}"
    return f"{path}{'?' + parts.query if parts.query else ''}{'#' + parts.fragment if parts.fragment else ''}"


async def _redirect(send: Send, location: str) -> None:
    await send({"type": "http.response.start", "status": 308, "headers": [(b"location", location.encode())]})
    await send({"type": "http.response.body", "body": b""})


async def _pass_on(scope: Scope, tunnel: Tunnel, body: bytes, send: Send) -> None:
    raw = scope.get("raw_path") or scope["path"].encode()
    rest = raw.decode("latin-1").removeprefix(f"/forwarded/{tunnel.token}")
    query = scope.get("query_string", b"").decode("latin-1")
    scheme = "https" if tunnel.secure else "http"
    address = f"{scheme}://localhost:{tunnel.remote}{rest}{'?' + query if query else ''}"
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=5, sock_read=_READ_SECONDS)
    begun = False
    headers = [
        (name.decode("latin-1"), value.decode("latin-1")) for name, value in _request_headers(scope["headers"], tunnel)
    ]
    try:
        async with (
            aiohttp.ClientSession(
                connector=PodConnector(tunnel),
                timeout=timeout,
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=True,
            ) as session,
            session.request(
                scope["method"],
                URL(address, encoded=True),
                headers=headers,
                data=body or None,
                allow_redirects=False,
            ) as answer,
        ):
            head = _response_headers(answer.raw_headers, tunnel)
            await send({"type": "http.response.start", "status": answer.status, "headers": head})
            begun = True
            async for piece in answer.content.iter_any():
                await send({"type": "http.response.body", "body": piece, "more_body": True})
    except (aiohttp.ClientError, TimeoutError, OSError, asyncio.IncompleteReadError) as error:
        if not begun:
            await plain(send, 502, f"{tunnel.target.kind} {tunnel.target.name}: {tunnel.error or error}")
            return
    with contextlib.suppress(OSError):
        await send({"type": "http.response.body", "body": b""})
