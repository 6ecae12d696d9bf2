"""What was asked of API servers to change something: kept for as long as somebody wants to know, for the audit.

As with kube/warnings.py nothing is collected unless `kept()` is around it; then each write is there with what came of
it, and the last objects that were read stand beside them, as bytes that nobody has decoded.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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

#: Objects that were read lately, and writes, of one request.
_READ, _WRITES = 32, 2000
# Reviews of rights change nothing.
_QUESTIONS = ("authorization.k8s.io", "authentication.k8s.io")


@dataclass(frozen=True, slots=True)
class Target:
    """What a path names. `name` is '' for a collection, `group` for the core group."""

    group: str
    version: str
    plural: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""


@dataclass(frozen=True, slots=True)
class Write:
    """One request that was to change something.

    `reason`: '' when it was done, else the API server's; `before`: the object as it was read last, or b''.
    """

    config: ClusterConfig
    target: Target
    method: str
    content_type: str
    body: bytes
    answer: bytes = b""
    reason: str = ""
    before: bytes = b""


@dataclass(slots=True)
class Sent:
    writes: list[Write] = field(default_factory=list)
    read: "OrderedDict[str, bytes]" = field(default_factory=OrderedDict)


_keeping: ContextVar[Sent | None] = ContextVar("sent", default=None)


@contextmanager
def kept() -> Iterator[Sent]:
    """What this thread sends, and the threads that `carried` calls run in."""
    found = Sent()
    token = _keeping.set(found)
    try:
        yield found
    finally:
        _keeping.reset(token)


def carried(call: Callable[P, R]) -> Callable[P, R]:
    """The call, for other threads, in the context that this one is in now."""
    context = copy_context()

    def run(*arguments: P.args, **named: P.kwargs) -> R:
        return context.copy().run(call, *arguments, **named)

    return run


def tell(config: ClusterConfig, request: ApiRequest, answer: bytes, error: KubeError | None = None) -> None:
    """One request that was answered, or not."""
    kept_ = _keeping.get()
    if kept_ is None:
        return
    found = target(request.path)
    if request.safe:
        if (
            error is None
            and not request.query
            and found is not None
            and found.name
            and len(answer) <= limits.RECORDED_ANSWER.value
        ):
            _remember(kept_, request.path, answer)
        return
    if found is None or found.group in _QUESTIONS or _dry(request) or len(kept_.writes) >= _WRITES:
        return
    before = kept_.read.get(request.path) or kept_.read.get(request.path.removesuffix(f"/{found.subresource}"), b"")
    reason = error.reason if error else ""
    kept_.writes.append(
        Write(
            config=config,
            target=found,
            method=request.method,
            content_type=request.content_type,
            body=request.body or b"",
            answer=answer,
            reason=reason,
            before=before,
        )
    )
    if error is None and found.name and not found.subresource and request.method != "DELETE":
        _remember(kept_, request.path, answer)


def _remember(kept_: Sent, path: str, answer: bytes) -> None:
    kept_.read[path] = answer
    kept_.read.move_to_end(path)
    while len(kept_.read) > _READ:
        kept_.read.popitem(last=False)


def _dry(request: ApiRequest) -> bool:
    # Of a deletion the options say it, which are small and written by us (kube/requests.py).
    return ("dryRun", "All") in request.query or (request.method == "DELETE" and b'"dryRun":' in (request.body or b""))


def target(path: str) -> Target | None:
    """What /api/v1/namespaces/shop/pods/web/log and the like name; None for other addresses."""
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
    return Target(
        group=group,
        version=version,
        plural=rest[0],
        namespace=namespace,
        name=rest[1] if len(rest) > 1 else "",
        subresource="/".join(rest[2:]),
    )
