"""Runs several calls at once with one deadline. Unfinished calls continue, and the next caller of the same joins them.

A card shows what it still waits for instead of delaying its page; a list of 10,000 objects is started once, not once
per page view.
"""

import time
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future, wait
from threading import Lock
from typing import TypeVar

from django.utils import translation

from console.web.front import Workers
from kube.client import ClusterClient

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)

_workers = Workers(8, thread_name_prefix="overview")
_running: dict[Hashable, "Future[object]"] = {}
_lock = Lock()


def within(
    client: ClusterClient, what: str, questions: Mapping[K, Callable[[], T]], seconds: float
) -> tuple[dict[K, T], tuple[K, ...]]:
    """(the answers that came in time, the keys of those that did not).

    A question answers with what can't be read and raises nothing; `what` names the sort
    of question. Answers are in the language of the one who asks, and with his rights.
    """
    language = translation.get_language() or ""
    who = (client.host, client.who, id(client.config), language, what)
    futures = {key: _ask((*who, key), ask, language) for key, ask in questions.items()}
    end = time.monotonic() + seconds
    wait(futures.values(), timeout=max(0.0, end - time.monotonic()))
    found = {key: future.result() for key, future in futures.items() if future.done()}
    return found, tuple(key for key in futures if key not in found)  # type: ignore[return-value]


def _ask(key: Hashable, ask: Callable[[], T], language: str) -> "Future[object]":
    def work() -> object:
        with translation.override(language or None):
            return ask()

    with _lock:
        if known := _running.get(key):
            return known
        future: Future[object] = _workers.submit(work)
        _running[key] = future
    # Outside of the lock: what is done already calls back at once.
    future.add_done_callback(lambda _future: _forget(key))
    return future


def _forget(key: Hashable) -> None:
    with _lock:
        _running.pop(key, None)
