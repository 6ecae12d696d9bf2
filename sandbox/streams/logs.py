"""pods/log: what a container wrote, from its files; followed without polling."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from structural.words import forbidden, invalid

from ..errors import BadRequest, Invalid, MethodNotAllowed
from ..http import Request, Response
from ..objects import Object, dig, parse_time
from ..runtime.logs import LogWriter, read_lines
from ..runtime.node import Node
from .targets import container_name, stored_pod

_TEXT = "text/plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogQuery:
    """PodLogOptions. ``since`` is a time as it stands in the files, "" for all."""

    follow: bool
    previous: bool
    timestamps: bool
    tail: int | None
    limit: int | None
    since: str

    @classmethod
    def from_request(cls, request: Request) -> LogQuery:
        """The options of the query; Invalid when a number can't be parsed or is out of range."""
        tail, limit, seconds = (_number(request, name) for name in ("tailLines", "limitBytes", "sinceSeconds"))
        moment, begin = request.arg("sinceTime"), None
        _check(request, tail, limit, seconds)
        if seconds is not None:
            begin = datetime.now(UTC) - timedelta(seconds=seconds)
        elif moment:
            begin = parse_time(moment)
            if begin is None:
                raise BadRequest(
                    f'parsing time "{moment}" as "2006-01-02T15:04:05Z07:00": cannot parse "{moment}" as "2006"'
                )
        return cls(
            follow=request.flag("follow"),
            previous=request.flag("previous"),
            timestamps=request.flag("timestamps"),
            tail=tail,
            limit=limit,
            since=begin.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f") if begin else "",
        )

    def shown(self, line: bytes) -> bytes | None:
        """A line of a file as the client sees it; None when it is too old."""
        moment, _, text = line.partition(b" ")
        if self.since and moment.decode("latin-1") < self.since:
            return None
        return (line if self.timestamps else text) + b"\n"


def _check(request: Request, tail: int | None, limit: int | None, seconds: int | None) -> None:
    causes = []
    if tail is not None and tail < 0:
        causes.append(invalid("tailLines", tail, "must be greater than or equal to 0"))
    if limit is not None and limit < 1:
        causes.append(invalid("limitBytes", limit, "must be greater than 0"))
    if seconds is not None and request.arg("sinceTime"):
        causes.append(forbidden("[]", "at most one of `sinceTime` or `sinceSeconds` may be specified"))
    elif seconds is not None and seconds < 1:
        causes.append(invalid("sinceSeconds", seconds, "must be greater than 0"))
    if request.arg("stream") not in ("", "All"):
        causes.append(forbidden("stream", "may not be specified"))
    if causes:
        raise Invalid("PodLogOptions", request.params["name"], causes)


def _number(request: Request, name: str) -> int | None:
    text = request.arg(name)
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        raise BadRequest(f'strconv.ParseInt: parsing "{text}": invalid syntax') from None


class Logs:
    """The handler."""

    def __init__(self, node: Node):
        self._node = node

    async def handle(self, request: Request) -> Response:
        """GET …/pods/{name}/log."""
        if request.method != "GET":
            raise MethodNotAllowed
        options = LogQuery.from_request(request)
        pod = stored_pod(self._node, request)
        name = container_name(pod, request.arg("container"))
        if not dig(pod, "spec", "nodeName"):  # without a node it has no log
            return Response(status=204, content_type="")
        status = _status(pod, name)
        start = _start(pod, name, status, options.previous)
        runner = self._node.pods.get(pod["metadata"]["uid"])
        container = runner.container(name) if runner else None
        if container is not None and container.simulated:
            lines = list(_simulated(status, container.image))
            return Response(_cut(_select(lines, options), options.limit), 200, _TEXT)
        lines = read_lines(self._node.log_path(pod, name) / f"{start}.log")
        writer = container.log if container is not None else None
        if options.follow and writer is not None and not options.previous:
            return Response(status=200, content_type=_TEXT, chunks=_follow(lines, writer, options))
        return Response(_cut(_select(lines, options), options.limit), 200, _TEXT)


def _status(pod: Object, name: str) -> Object:
    for kind in ("containerStatuses", "initContainerStatuses"):
        for item in dig(pod, "status", kind) or []:
            if item["name"] == name:
                return dict(item)
    return {}


def _start(pod: Object, name: str, status: Object, previous: bool) -> int:
    """The start of the container whose log is requested; BadRequest when there was none."""
    restarts, state = int(status.get("restartCount") or 0), status.get("state") or {}
    last = dig(status, "lastState", "terminated")
    where = f'container "{name}" in pod "{pod["metadata"]["name"]}"'
    if previous:
        if last is None:
            raise BadRequest(f"previous terminated {where} not found")
        return restarts if "waiting" in state else restarts - 1
    if "running" in state or "terminated" in state or last is not None:
        return restarts
    reason = dig(state, "waiting", "reason") or "ContainerCreating"
    message = dig(state, "waiting", "message") or ""
    if reason == "InvalidImageName":
        raise BadRequest(f"{where} is waiting to start: {reason}")
    if message and reason == "CreateContainerConfigError":
        raise BadRequest(f"{where} is waiting to start: {reason}")
    raise BadRequest(f"{where} is waiting to start: {reason}")


def _simulated(status: Object, image: str) -> Iterator[bytes]:
    """The log of a simulated container."""
    state = status.get("state") or {}
    begun = dig(state, "running", "startedAt") or dig(state, "terminated", "startedAt")
    if not begun:
        return
    moment = str(begun).replace("Z", ".000000000Z")
    yield f"{moment} This container is simulated by the embedded cluster.".encode()
    why = f"The image {image} was not pulled and no program of it runs; a real cluster shows its log here."
    yield f"{moment} {why}".encode()
    ended = state.get("terminated")
    if ended:
        late = str(ended["finishedAt"]).replace("Z", ".000000000Z")
        yield f"{late} The simulated run ended with exit code {ended['exitCode']}.".encode()


def _select(lines: list[bytes], options: LogQuery) -> bytes:
    if options.tail is not None:
        lines = lines[-options.tail :] if options.tail else []
    return b"".join(filter(None, map(options.shown, lines)))


def _cut(data: bytes, limit: int | None) -> bytes:
    return data if limit is None else data[:limit]


async def _follow(lines: list[bytes], writer: LogWriter, options: LogQuery) -> AsyncIterator[bytes]:
    """The log so far, then each new piece, until the container ends or the limit is reached."""
    position = writer.path.stat().st_size
    left = options.limit
    data = _select(lines, options)
    while True:
        if data:
            piece = _cut(data, left)
            yield piece
            if left is not None:
                left -= len(piece)
                if left <= 0:
                    return
        closed = writer.closed
        if not closed:
            size = writer.path.stat().st_size
            if size == position:
                await writer.changed()
        size = writer.path.stat().st_size
        if size < position:
            position = 0  # the file was rotated
        with writer.path.open("rb") as source:
            source.seek(position)
            fresh = source.read()
        position += len(fresh)
        data = b"".join(filter(None, map(options.shown, fresh.splitlines())))
        if closed and not fresh:
            return
