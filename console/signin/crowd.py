"""Limits how many connections a user has open at once: streams, watches, followed logs, terminals.

Each costs memory and a connection to the API server for as long as it is open.

Counted per process, by the user name from the API server and its cluster, so over all of a user's sessions. A browser's
tabs share one stream (static/js/shared_stream.js): the limit is far above normal use, and low enough to protect other
users.
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
    """Takes a place; leave() gives it back. False if there is none.

    '' (SIGN_IN=local) has no limit: that is the task of a proxy in front.
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
