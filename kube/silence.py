"""How long each API server has answered nothing, though it was asked: known to the whole process, so that a page
needs no timeout of its own to tell.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from kube.errors import InvalidAnswer, Unreachable

_lock = threading.Lock()
_waiting: dict[str, int] = {}
# host → time.monotonic() of the first question since the last answer.
_since: dict[str, float] = {}


@contextmanager
def asking(host: str) -> Iterator[None]:
    """Around one request.

    Every answer ends the silence, errors of the server and pages of a proxy too; a request without one does not.
    """
    with _lock:
        _waiting[host] = _waiting.get(host, 0) + 1
        _since.setdefault(host, time.monotonic())
    answered = True
    try:
        yield
    except Unreachable as error:
        answered = isinstance(error, InvalidAnswer)
        raise
    finally:
        with _lock:
            _waiting[host] -= 1
            if answered and _waiting[host]:
                _since[host] = time.monotonic()
            elif answered:
                _since.pop(host, None)


def seconds(host: str) -> float:
    """Since the first question after the last answer; 0.0 where the last question was answered."""
    with _lock:
        return time.monotonic() - _since[host] if host in _since else 0.0


def waited_seconds(host: str) -> float:
    """The same, but 0.0 while no request waits for an answer."""
    return seconds(host) if _waiting.get(host) else 0.0
