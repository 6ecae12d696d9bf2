"""GET /api/resources/<group>/<version>/<plural>/?watch=1: changes of objects as server-sent events, with the
reader's own rights.

Events `added`, `modified`, `deleted` carry the object, `bookmark` only tells how far it is; their ids are
resourceVersions. Without `resourceVersion` (or a Last-Event-ID) all objects come first, without ids, and a bookmark
after the last of them. A version that the API server has forgotten is answered with 410, and with an `error` event when
that happens under way: list again then.
https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
"""

import asyncio
import contextlib
import random
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote

import msgspec
from django.utils import translation

from console.audit.recorder import where_of
from console.audit.scene import Where
from console.web import audit
from console.web.access import Permission, until_lost
from console.web.asgi import Receive, Scope, Send
from console.web.errors import Problem, as_json, explain, headers_of
from kube import requests
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Forbidden, KubeError
from kube.objects import name_of
from kube.transport import AsyncTransport
from kube.watch import WatchEvent, watch
from resources.place import Place
from resources.stream.live_update import HEARTBEAT
from resources.views.stream import HEADERS, OpenEnded, in_thread, until_gone
from resources.views.stream_request import Refused, request_of

PATH = re.compile(r"^/api/resources/(?P<group>[^/]+)/(?P<version>[^/]+)/(?P<plural>[^/]+)/$")
_CHUNK = 500
_HEARTBEAT_SECONDS = 15.0
_WATCH_SECONDS = (240, 480)
_KINDS = {"ADDED": b"added", "MODIFIED": b"modified", "DELETED": b"deleted"}


def wanted(scope: Scope) -> bool:
    """Whether this is a request for a watch; all others of the same address are answered by Django."""
    query: bytes = scope.get("query_string", b"")
    return scope["method"] == "GET" and b"watch=1" in query.split(b"&") and bool(PATH.match(scope["path"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchRequest:
    client: ClusterClient
    type: ResourceType
    namespace: str
    labels: str
    fields: str
    version: str
    language: str
    where: Where


class _Meta(msgspec.Struct):
    resource_version: str = msgspec.field(name="resourceVersion", default="")


class _Object(msgspec.Struct):
    metadata: _Meta = msgspec.field(default_factory=_Meta)


_version = msgspec.json.Decoder(_Object)


def _read_request(scope: Scope) -> WatchRequest:
    """Raises KubeError and Refused."""
    found = PATH.match(scope["path"])
    request = request_of(scope)
    if found is None:
        raise Refused(404, "no such list")
    client: ClusterClient = request.cluster
    type_ = client.find(unquote(found["group"]), unquote(found["version"]), unquote(found["plural"]))
    asked = request.GET
    namespace = asked.get("namespace", "")
    version = request.headers.get("Last-Event-ID") or asked.get("resourceVersion", "")
    return WatchRequest(
        client=client,
        type=type_,
        namespace="" if namespace == "-" else namespace,
        labels=asked.get("labels", ""),
        fields=asked.get("fields", ""),
        version=version,
        language=request.LANGUAGE_CODE,
        where=where_of(request),
    )


def piece(event: bytes, data: bytes, id_: str = "") -> bytes:
    head = f"id: {id_}\n".encode() if id_ else b""
    return head + b"event: " + event + b"\ndata: " + data + b"\n\n"


def of_event(event: WatchEvent) -> tuple[bytes, str]:
    """(what the browser gets, the resourceVersion)."""
    version = _version.decode(event.raw).metadata.resource_version
    if event.type == "BOOKMARK":
        return _bookmark(version), version
    return piece(_KINDS.get(event.type, b"modified"), event.raw, version), version


def _bookmark(version: str) -> bytes:
    return piece(b"bookmark", msgspec.json.encode({"resourceVersion": version}), version)


class _Answer:
    """One answer: an error as a problem with its status, as long as nothing was sent; later as an event."""

    def __init__(self, send: Send, language: str) -> None:
        self._send = send
        self.language = language
        self.started = False
        self._lock = asyncio.Lock()

    async def put(self, body: bytes) -> None:
        async with self._lock:
            if not self.started:
                self.started = True
                await self._send({"type": "http.response.start", "status": 200, "headers": HEADERS})
            await self._send({"type": "http.response.body", "body": body, "more_body": True})

    async def fail(self, problem: Problem) -> None:
        data = msgspec.json.encode(as_json(problem))
        if self.started:
            await self.put(piece(b"error", data))
            return
        headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
        headers += [(name.lower().encode(), value.encode()) for name, value in headers_of(problem).items()]
        self.started = True
        await self._send({"type": "http.response.start", "status": problem.status, "headers": headers})
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def end(self) -> None:
        with contextlib.suppress(OSError):
            await self._send({"type": "http.response.body", "body": b""})


class ApiWatchApp(OpenEnded):
    """The raw ASGI application."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = _Answer(send, "en")
        try:
            watch_request = await in_thread(lambda: _read_request(scope))
            answer.language = watch_request.language
        except Refused as error:
            await answer.fail(Problem(status=error.status, title=str(error), advice="", detail=""))
        except KubeError as error:
            await answer.fail(explain(error))
        else:
            await self.until_first(
                until_gone(receive), _follow(watch_request, answer), _beat(answer), _until_lost(watch_request, answer)
            )
        await answer.end()


async def _until_lost(watch_request: WatchRequest, answer: _Answer) -> None:
    """The API server judges a watch at its beginning only."""
    permission = Permission(
        client=watch_request.client,
        verbs=("watch",),
        group=watch_request.type.group,
        version=watch_request.type.version,
        plural=watch_request.type.plural,
        namespace=watch_request.namespace,
    )
    await until_lost(permission)
    with translation.override(answer.language):
        problem = explain(Forbidden(permission.loss))
    await answer.fail(problem)


async def _beat(answer: _Answer) -> None:
    while True:
        await asyncio.sleep(_HEARTBEAT_SECONDS)
        if answer.started:
            await answer.put(HEARTBEAT)


async def _follow(watch_request: WatchRequest, answer: _Answer) -> None:
    """Runs until the client disconnects or the cluster refuses the watch."""
    try:
        version = watch_request.version
        if version:
            await _note(watch_request, ())
        else:
            version = await _all(watch_request, answer)
        async with AsyncTransport(watch_request.client.config) as transport:
            while True:
                seconds = random.randint(*_WATCH_SECONDS)  # noqa: S311  spreads load
                request = requests.watch_objects(
                    watch_request.type,
                    watch_request.namespace,
                    version,
                    seconds,
                    labels=watch_request.labels,
                    fields=watch_request.fields,
                )
                async for burst in watch(transport, request):
                    # The first, empty one says that the watch stands.
                    pieces = [of_event(event) for event in burst]
                    version = pieces[-1][1] if pieces else version
                    await answer.put(b"".join(body for body, _version in pieces) or HEARTBEAT)
                await asyncio.sleep(0.5)
    except KubeError as error:
        with translation.override(answer.language):
            problem = explain(error)
        await answer.fail(problem)


async def _note(watch_request: WatchRequest, names: Iterable[str]) -> None:
    """A watch of Secrets hands out their values: it is in the audit before the first of them is sent."""
    place = Place(watch_request.type, watch_request.namespace)
    if place.secret:
        await in_thread(
            lambda: audit.secrets_read(watch_request.client, place.ref, "watch", names, watch_request.where)
        )


async def _all(watch_request: WatchRequest, answer: _Answer) -> str:
    """What there is, and then how far that is. Returns the list's resourceVersion."""
    token = version = ""
    while True:
        page = await in_thread(
            lambda token=token: watch_request.client.list(  # type: ignore[misc]
                watch_request.type,
                watch_request.namespace,
                labels=watch_request.labels,
                fields=watch_request.fields,
                limit=_CHUNK,
                continue_=token,
                whole=True,  # a watch is of one namespace or of all
            )
        )
        version, token = page.resource_version, page.continue_
        await _note(watch_request, [name_of(obj) for obj in page.items])
        body = b"".join(piece(b"added", msgspec.json.encode(obj)) for obj in page.items)
        await answer.put(body + (b"" if token else _bookmark(version)))
        if not token:
            return version
