"""What the transport reports of each request: writes for the audit, tracing, and the API server's warnings.

Writes are recorded with their outcome, and with the object as it was read last, as undecoded bytes. Only warnings of
writes are collected (`Warning` headers, from deprecated versions, admission webhooks and policies): a read of a
deprecated version would repeat the same one on every page. Outside of record_requests() and collect_warnings() nothing
is kept; without a call of use_tracing() (console/traces.py), tracing costs nothing.
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar
from urllib.parse import unquote

from kube import limits
from kube.config import ClusterConfig
from kube.errors import KubeError
from kube.requests import ApiRequest

P = ParamSpec("P")
R = TypeVar("R")

#: Objects and writes that are recorded of one HTTP request.
_MAX_OBJECTS, _MAX_WRITES = 32, 2000
#: Groups whose POST requests change nothing: access reviews.
_REVIEW_GROUPS = ("authorization.k8s.io", "authentication.k8s.io")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestTarget:
    """What a path names. `name` is '' for a collection, `group` for the core group."""

    group: str
    version: str
    plural: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """A write request.

    `reason`: '' if it succeeded, else that of the Status; `before`: the object as it was read last, or b''.
    """

    config: ClusterConfig
    target: RequestTarget
    method: str
    content_type: str
    body: bytes
    answer: bytes = b""
    reason: str = ""
    before: bytes = b""


@dataclass(slots=True)
class Recording:
    """`read`: path → the object as JSON, the oldest first."""

    writes: list[Write] = field(default_factory=list)
    read: "OrderedDict[str, bytes]" = field(default_factory=OrderedDict)


_current: ContextVar[Recording | None] = ContextVar("recording", default=None)


@contextmanager
def record_requests() -> Iterator[Recording]:
    """Records requests of this thread, and of threads that run calls of `with_current_context`."""
    recording = Recording()
    token = _current.set(recording)
    try:
        yield recording
    finally:
        _current.reset(token)


def with_current_context(call: Callable[P, R]) -> Callable[P, R]:
    """The call, to run in other threads with the context variables of this one."""
    context = copy_context()

    def run(*arguments: P.args, **named: P.kwargs) -> R:
        return context.copy().run(call, *arguments, **named)

    return run


def record(config: ClusterConfig, request: ApiRequest, answer: bytes, error: KubeError | None = None) -> None:
    """Adds a request to the current recording, if there is one. `error`: why it failed."""
    recording = _current.get()
    if recording is None:
        return
    named = target(request.path)
    if request.safe:
        if (
            error is None
            and not request.query
            and named is not None
            and named.name
            and len(answer) <= limits.RECORDED_ANSWER.value
        ):
            _add_object(recording, request.path, answer)
        return
    if named is None or named.group in _REVIEW_GROUPS or _is_dry_run(request) or len(recording.writes) >= _MAX_WRITES:
        return
    parent = request.path.removesuffix(f"/{named.subresource}")
    before = recording.read.get(request.path) or recording.read.get(parent, b"")
    reason = error.reason if error else ""
    recording.writes.append(
        Write(
            config=config,
            target=named,
            method=request.method,
            content_type=request.content_type,
            body=request.body or b"",
            answer=answer,
            reason=reason,
            before=before,
        )
    )
    if error is None and named.name and not named.subresource and request.method != "DELETE":
        _add_object(recording, request.path, answer)


def _add_object(recording: Recording, path: str, answer: bytes) -> None:
    recording.read[path] = answer
    recording.read.move_to_end(path)
    while len(recording.read) > _MAX_OBJECTS:
        recording.read.popitem(last=False)


def _is_dry_run(request: ApiRequest) -> bool:
    # A deletion has it in its DeleteOptions, which are small and encoded by kube/requests.py.
    return ("dryRun", "All") in request.query or (request.method == "DELETE" and b'"dryRun":' in (request.body or b""))


def target(path: str) -> RequestTarget | None:
    """The object or collection that a path like /api/v1/namespaces/shop/pods/web/log names; None for other paths."""
    parts = [unquote(part) for part in path.strip("/").split("/")]
    if parts[0] == "api" and len(parts) > 2:
        group, version, rest = "", parts[1], parts[2:]
    elif parts[0] == "apis" and len(parts) > 3:
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        return None
    namespace = ""
    # A namespace has subresources of its own.
    if rest[0] == "namespaces" and len(rest) > 2 and not (not group and rest[2] in ("status", "finalize")):
        namespace, rest = rest[1], rest[2:]
    return RequestTarget(
        group=group,
        version=version,
        plural=rest[0],
        namespace=namespace,
        name=rest[1] if len(rest) > 1 else "",
        subresource="/".join(rest[2:]),
    )


@dataclass(slots=True)
class TracedCall:
    """`request` is what shall be sent, `status` what was answered (0: nothing yet, or an error says it)."""

    request: ApiRequest
    status: int = 0


Tracing = Callable[[ApiRequest], AbstractContextManager[TracedCall]]
_tracing: Tracing | None = None


def use_tracing(tracing: Tracing | None) -> None:
    """For the whole process; None ends it."""
    global _tracing
    _tracing = tracing


def traced_call(request: ApiRequest) -> AbstractContextManager[TracedCall]:
    """Around one request until its answer begins; a KubeError that leaves it is what came of it."""
    return nullcontext(TracedCall(request)) if _tracing is None else _tracing(request)


_collecting: ContextVar[list[str] | None] = ContextVar("collecting", default=None)
# Code, agent, quoted text with backslashes before quotes and backslashes; a date may follow.
_WARNING = re.compile(r'\s*\d{3}\s+\S+\s+"((?:[^"\\]|\\.)*)"(?:\s+"[^"]*")?\s*(?:,|$)')


@contextmanager
def collect_warnings() -> Iterator[list[str]]:
    """A list to which the warnings of this thread's writes are added, each text once.

    https://kubernetes.io/blog/2020/09/03/warnings/
    """
    texts: list[str] = []
    token = _collecting.set(texts)
    try:
        yield texts
    finally:
        _collecting.reset(token)


def add_warnings(headers: Iterable[str]) -> None:
    """Add the warnings of an answer's headers. Text that isn't a warning is ignored."""
    texts = _collecting.get()
    if texts is None:
        return
    for header in headers:
        for text in warning_texts(header):
            if text not in texts and len(texts) < limits.WARNINGS.value:
                texts.append(text)


def warning_texts(header: str) -> tuple[str, ...]:
    """The texts of one header, which may hold several warnings: `299 - "one", 299 - "two"`.

    RFC 9111, 5.5 as of RFC 7234.
    """
    found, at = [], 0
    while match := _WARNING.match(header, at):
        found.append(re.sub(r"\\(.)", r"\1", match[1]))
        at = match.end()
    return tuple(text for text in found if text)
