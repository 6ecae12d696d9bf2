"""Whether this process is shutting down: /readyz then fails, so that load balancers choose another process."""

import threading

_begun = threading.Event()


def begin() -> None:
    _begun.set()


def begun() -> bool:
    return _begun.is_set()
