"""The log of a Pod's container, and the logs of all Pods of a workload as one text; new lines come from follow.py
beside this module.

GET …/pods/<namespace>/<name>/logs/raw/: a whole log as it is, passed on piece by piece; with `save=1` as a file. Raw
ASGI: a log may be larger than the memory of the console, and a slow reader must hold no thread of the pages.
"""

import asyncio
import contextlib
import re
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import unquote, urlencode

from django.http import HttpResponse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.asgi import Receive, Scope, Send
from console.web.request import ConsoleRequest
from kube.channels import follow_log
from kube.errors import BadRequest, KubeError, NotFound
from kube.transport import AsyncTransport
from resources import podlogs
from resources.place import Place, place_of
from resources.podlogs import (
    PRINTED,
    SPANS,
    TAILS,
    LogContainer,
    LogLine,
    LogPart,
    LogSource,
    containers,
    log_part,
    log_sources,
    merged_tails,
)
from resources.views.stream import OpenEnded, in_thread, plain, until_gone
from resources.views.stream_request import Refused, request_of

#: Of each container, on a page of many logs.
MANY_TAILS = TAILS[:4]
RAW_LOG_PATH = re.compile(r"^/resources/core/v1/pods/(?P<namespace>[^/]+)/(?P<pod>[^/]+)/logs/raw/$")


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
        if not podlogs.may_have_pods(place.type):
            raise NotFound(_("Only Pods and workloads have logs; %(kind)s has none.") % {"kind": place.type.kind})
        return logs_all(request, place)
    all_ = containers(place.get(request.cluster))
    asked = request.GET.get("container", "")
    chosen = asked if any(asked == container.name for container in all_) else (all_[0].name if all_ else "")
    wanted = log_part(request.GET.dict())
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


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedLogsPage:
    """`lines`: the end of all logs; `problems`: (source, why it could not be read); `more`: there are more Pods than
    are shown.
    """

    place: Place
    sources: tuple[LogSource, ...]
    lines: tuple[LogLine, ...]
    problems: tuple[tuple[str, str], ...]
    part: LogPart
    more: bool
    selector: str = ""
    tails: tuple[int, ...] = MANY_TAILS
    spans: tuple[tuple[int, Any], ...] = SPANS

    @property
    def file_name(self) -> str:
        """What a saved one is called."""
        return f"{self.place.name}.log"

    @property
    def ended(self) -> str:
        """The text at the end of the log."""
        return _("ended")

    @property
    def follow_url(self) -> str:
        return f"{self.place.url('logs')}follow-all/?{urlencode(self.part.query)}"

    @property
    def command(self) -> str:
        """Only what has a selector has one command for all its Pods."""
        if not self.selector:
            return ""
        pods = f"-l '{self.selector}' -n {self.place.namespace} --all-containers --prefix"
        return f"kubectl logs -f {pods} --max-log-requests={podlogs.MAX_PODS}{self.part.kubectl}"


def merged_log_part(query: dict[str, str]) -> LogPart:
    """Which part of each container's log; there is no run before of many."""
    return replace(log_part(query, MANY_TAILS, TAILS[0]), previous=False)


def logs_all(request: ConsoleRequest, place: Place) -> HttpResponse:
    """The page of a workload.

    `?tail=`: lines of each container to begin with; `span=`, `since=`, `timestamps=1` as for one.
    """
    obj = place.get(request.cluster)
    found = podlogs.pods_of(request.cluster, place.type, obj)
    sources = log_sources(found[: podlogs.MAX_PODS])
    wanted = merged_log_part(request.GET.dict())
    lines, problems = merged_tails(request.cluster, sources, replace(wanted, tail=min(wanted.tail, PRINTED)))
    selector = podlogs.pods_selector(place.type, obj)
    page = MergedLogsPage(
        place=place,
        sources=sources,
        lines=lines[-2 * PRINTED :],
        problems=problems,
        part=wanted,
        more=len(found) > podlogs.MAX_PODS,
        selector=selector,
    )
    return render.page(request, "resources/logs.html", {"page": page, "several": True})


class RawLogApp(OpenEnded):
    """The first piece is waited for before the answer begins, so that a refusal has its own status."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            if scope["method"] != "GET":
                raise Refused(405, "only GET")
            await self.until_first(until_gone(receive), _send_raw_log(scope, send))
        except Refused as error:
            await plain(send, error.status, str(error))


async def _send_raw_log(scope: Scope, send: Send) -> None:
    try:
        request = await in_thread(lambda: request_of(scope))
        client = request.cluster
        config = await in_thread(lambda: client.config)
    except Refused as error:
        await plain(send, error.status, str(error))
        return
    except KubeError as error:
        await plain(send, 503, str(error))
        return
    found = RAW_LOG_PATH.match(scope["path"])
    assert found is not None
    namespace, pod = unquote(found["namespace"]), unquote(found["pod"])
    container = request.GET.get("container", "")
    wanted = log_part(request.GET.dict(), usual=0)
    begun = False
    async with AsyncTransport(config) as transport:
        pieces = follow_log(transport, pod, namespace, container=container, follow=False, **wanted.options)
        try:
            async with contextlib.aclosing(pieces):  # type: ignore[type-var]
                async for piece in pieces:
                    if not begun:
                        await _start_raw_log(send, f"{pod}-{container}.log" if "save" in request.GET else "")
                        begun = True
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
        except KubeError as error:
            if not begun:
                status = error.code if 400 <= error.code < 600 else 502
                await plain(send, status, str(error))
                return
            await send({"type": "http.response.body", "body": f"\n[{error}]\n".encode(), "more_body": True})
    if not begun:
        await _start_raw_log(send, f"{pod}-{container}.log" if "save" in request.GET else "")
    with contextlib.suppress(OSError, asyncio.CancelledError):
        await send({"type": "http.response.body", "body": b""})


async def _start_raw_log(send: Send, file: str) -> None:
    headers = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"cache-control", b"no-store"),
        (b"x-content-type-options", b"nosniff"),
        (b"content-security-policy", b"default-src 'none'; sandbox"),
        (b"x-accel-buffering", b"no"),
    ]
    if file:
        headers.append((b"content-disposition", str(content_disposition_header(True, file)).encode()))
    await send({"type": "http.response.start", "status": 200, "headers": headers})
