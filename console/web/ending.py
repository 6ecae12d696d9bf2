"""Whether this process was told to end: /readyz says so, and whoever sends it requests goes to another one."""

import threading

_begun = threading.Event()


def begin() -> None:
    _begun.set()


def begun() -> bool:
    return _begun.is_set()
