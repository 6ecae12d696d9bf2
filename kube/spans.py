"""Hook for tracing each request to the API server. Without a call of `use()` (console/traces.py) it costs nothing."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from kube.requests import ApiRequest


@dataclass(slots=True)
class Call:
    """`request` is what shall be sent, `status` what was answered (0: nothing yet, or an error says it)."""

    request: ApiRequest
    status: int = 0


Around = Callable[[ApiRequest], AbstractContextManager[Call]]
_around: Around | None = None


def use(around: Around | None) -> None:
    """For the whole process."""
    global _around
    _around = around


def call(request: ApiRequest) -> AbstractContextManager[Call]:
    """Around one request until its answer begins; a KubeError that leaves it is what came of it."""
    return nullcontext(Call(request)) if _around is None else _around(request)
