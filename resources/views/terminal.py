"""A shell in a container of a Pod, and the debug container for Pods that have no shell.

…/pods/<namespace>/<name>/terminal/: the page. …/terminal/socket/: the WebSocket between the browser and the API server.
…/pods/<namespace>/<name>/debug/: adds an ephemeral container with a shell, and opens a terminal in it.

The frames are the API server's own (kube.channels.exec_), passed on as they are. They are not stored or logged, but
opening a shell is audited. A browser sends its cookies with a WebSocket from any site's page, so the Origin must be
this console. The API server checks the permission with the user's own credentials.
"""

import asyncio
import contextlib
import json
import re
import shlex
import time
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

import aiohttp
from django import forms
from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_safe

from console.audit.recorder import where_of
from console.audit.scene import Where
from console.web import audit, render
from console.web.access import pod_permission, refusal, while_held
from console.web.asgi import Receive, Scope, Send
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube import limits
from kube.channels import exec_
from kube.client import ClusterClient
from kube.errors import Invalid, KubeError, NotFound
from kube.objects import KubeObject, moment
from kube.reader import read
from kube.transport import AsyncTransport
from kube.types.meta import Object
from resources.acting import acts
from resources.place import Place, place_of
from resources.podlogs import LogContainer, containers
from resources.views.stream import OpenEnded, in_thread
from resources.views.stream_request import Refused, client_of, request_of

#: After so long a page no longer waits for a container that has not started.
STARTS_SECONDS = 120.0
SOCKET_PATH = re.compile(r"^/resources/core/v1/pods/(?P<namespace>[^/]+)/(?P<pod>[^/]+)/terminal/socket/$")
#: The best shell that the container has.
SHELL = (
    "/bin/sh",
    "-c",
    "TERM=xterm-256color; export TERM; if [ -x /bin/bash ]; then exec /bin/bash; else exec /bin/sh; fi",
)
#: Its frames say how the command ended.
_STATUS_CHANNEL = 3
#: Close codes: https://www.iana.org/assignments/websocket/websocket.xhtml#close-code-number
_POLICY, _TRY_LATER = 1008, 1013


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
    created = moment(read(pod, Object).metadata.creation_timestamp)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellRequest:
    """What is run for a WebSocket, and in which container."""

    client: ClusterClient
    namespace: str
    pod: str
    container: str
    command: tuple[str, ...]
    where: Where

    @property
    def ref(self) -> str:
        return f"core/v1/pods {self.namespace}/{self.pod}"


def _is_own_page(scope: Scope) -> bool:
    """Whether the page that opens this is one of this very console."""
    headers = {name.lower(): value.decode("latin-1") for name, value in scope["headers"]}
    origin = urlsplit(headers.get(b"origin", ""))
    return bool(origin.netloc) and origin.netloc.lower() == headers.get(b"host", "").lower()


def _shell_request(scope: Scope) -> ShellRequest:
    found = SOCKET_PATH.match(scope["path"])
    request = request_of({**scope, "type": "http", "method": "GET"})
    if found is None:
        raise Refused(404, "no such Pod")
    client = client_of(request)
    try:
        command = tuple(shlex.split(request.GET.get("command", "")))
    except ValueError as error:
        raise Refused(400, f"the command can't be read: {error}") from error
    return ShellRequest(
        client=client,
        namespace=unquote(found["namespace"]),
        pod=unquote(found["pod"]),
        container=request.GET.get("container", ""),
        command=command or SHELL,
        where=where_of(request),
    )


class TerminalApp(OpenEnded):
    """What goes wrong before the command runs comes as the frame of its end, so that the page can say it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        if not _is_own_page(scope):
            await send({"type": "websocket.close", "code": _POLICY})
            return
        if len(self._open) >= limits.TERMINALS.value:
            await send({"type": "websocket.close", "code": _TRY_LATER})
            return
        await send({"type": "websocket.accept"})
        await self.until_first(_serve(scope, receive, send))
        with contextlib.suppress(RuntimeError, OSError):
            await send({"type": "websocket.close", "code": 1000})


async def _serve(scope: Scope, receive: Receive, send: Send) -> None:
    try:
        shell_request = await in_thread(lambda: _shell_request(scope))
    except Refused as error:
        await _end(send, str(error))
        return
    async with AsyncTransport(shell_request.client.config) as transport:
        try:
            async with exec_(
                transport, shell_request.pod, shell_request.namespace, shell_request.container, shell_request.command
            ) as channel:
                await _note(shell_request, "ok")
                permission = pod_permission(shell_request.client, "exec", shell_request.namespace, shell_request.pod)
                if not await while_held(permission, _carry(channel, receive, send)):
                    await _end(send, permission.loss)
        except KubeError as error:
            await _note(shell_request, error.reason)
            await _end(send, str(error))


async def _note(shell_request: ShellRequest, outcome: str) -> None:
    """In a thread: the audit may wait for its database, which others on this event loop should not.

    What is typed into the shell isn't recorded.
    """
    ref = f"{shell_request.ref} container={shell_request.container}" if shell_request.container else shell_request.ref
    await in_thread(lambda: audit.note(shell_request.client, "exec", ref, outcome, shell_request.where))


async def _end(send: Send, message: str) -> None:
    status = {"kind": "Status", "status": "Failure", "message": message}
    await send({"type": "websocket.send", "bytes": bytes((_STATUS_CHANNEL,)) + json.dumps(status).encode()})


async def _carry(channel: aiohttp.ClientWebSocketResponse, receive: Receive, send: Send) -> None:
    """Until one side leaves."""

    async def down() -> None:
        async for message in channel:
            if message.type is aiohttp.WSMsgType.BINARY and message.data:
                await send({"type": "websocket.send", "bytes": message.data})

    async def up() -> None:
        while (message := await receive())["type"] == "websocket.receive":
            if data := message.get("bytes"):
                # Of a command that ended just now: what it said last is still on its way down.
                with contextlib.suppress(ConnectionError):
                    await channel.send_bytes(data)

    jobs = (asyncio.ensure_future(down()), asyncio.ensure_future(up()))
    try:
        await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)


class DebugForm(forms.Form):
    """`target`: the container whose processes it sees, '' for none."""

    image = forms.CharField(
        max_length=500,
        initial=acts.DEBUG_IMAGE,
        error_messages={"required": gettext_lazy("Enter the name of an image.")},
    )
    target = forms.ChoiceField(required=False)

    def __init__(self, data: QueryDict | None, targets: list[str], target: str) -> None:
        super().__init__(data, initial={"target": target if target in targets else ""})
        self.fields["target"].choices = [  # type: ignore[attr-defined]
            ("", gettext_lazy("none")),
            *((name, name) for name in targets),
        ]


@require_http_methods(["GET", "HEAD", "POST"])
def debug(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """The form, with `?target=` chosen; a POST adds the container."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if place.type.kind != "Pod" or place.type.group:
        raise NotFound(_("Only a Pod can have a debug container; %(kind)s can't.") % {"kind": place.type.kind})
    pod = place.get(request.cluster)
    targets = [container.name for container in containers(pod) if container.kind == "container"]
    target = request.GET.get("target", targets[0] if targets else "")
    form = DebugForm(request.POST if request.method == "POST" else None, targets, target)
    if not form.is_valid():
        return _debug_page(request, place, form)
    made = acts.debug_container(form.cleaned_data["image"], form.cleaned_data["target"])
    try:
        with audit.recorded(request, "debug", place.ref):
            acts.add_debug_container(request.cluster, place, made)
    except KubeError as error:
        if isinstance(error, Invalid) and error.causes:
            form.add_error("image", "; ".join(cause.message for cause in error.causes))
        return _debug_page(request, place, form, None if form.errors else explain(error))
    return HttpResponseRedirect(place.url("terminal", container=made["name"], begun=str(int(time.time()))))


def _debug_page(request: ConsoleRequest, place: Place, form: DebugForm, problem: Problem | None = None) -> HttpResponse:
    refused = refusal(
        client=request.cluster,
        verb="patch",
        type_=place.type,
        namespace=place.namespace,
        name=place.name,
        subresource="ephemeralcontainers",
    )
    typed = {field.name: str(field.value() or "") for field in form}
    context = {
        "place": place,
        "form": form,
        "refusal": refused,
        "problem": problem,
        "command": acts.debug_command(place, typed["image"], typed["target"]),
    }
    status = problem.status if problem else 422 if form.errors else 200
    return render.page(request, "resources/debug.html", context, status=status)
