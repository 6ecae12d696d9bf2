"""How much one person may hold open at once: streams, watches, followed logs, terminals.

Each costs memory and a place at the API server for as long as it lasts.

Counted in each process, by the name that the API server gave and its cluster, so over all of somebody's sessions. A
browser's tabs share one stream (static/js/shared_stream.js): the bound is far above what people come to, and far below
what would hurt others.
"""

import threading
from collections import Counter

from kube import limits

#: When to ask again, at the earliest.
SECONDS = 10
WORDS = (
    f"you have {limits.OPEN_AT_ONCE.value} streams, logs and terminals open here, and more are not given to one person:"
    " close some tabs"
)

_open: Counter[str] = Counter()
_lock = threading.Lock()


def enter(user: str) -> bool:
    """Whether there is a place; leave() gives it back.

    '' (nobody signs in here) has no bound: that is for whoever stands in front.
    """
    if not user:
        return True
    with _lock:
        if _open[user] >= limits.OPEN_AT_ONCE.value:
            return False
        _open[user] += 1
        return True


def leave(user: str) -> None:
    if user:
        with _lock:
            _open[user] -= 1
            if _open[user] <= 0:
                del _open[user]
