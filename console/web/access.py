"""May this user do that?

Asked of the API server (SelfSubjectAccessReview), kept for seconds. There is no second RBAC.
"""

import time
from threading import Lock

from kube.client import Access, ClusterClient
from kube.discovery import ResourceType

_KEEP_SECONDS = 10.0
_LIMIT = 4096
_answers: dict[tuple[str, ...], tuple[float, Access]] = {}
_lock = Lock()


def can(
    client: ClusterClient, verb: str, type_: ResourceType, namespace: str = "", name: str = "", subresource: str = ""
) -> Access:
    """The API server's answer for `verb` on `type_`, at most ten seconds old.

    For showing or greying actions only: the action itself is judged again.
    """
    key = (client.host, client.who, verb, type_.group, type_.plural, namespace, name, subresource)
    now = time.monotonic()
    with _lock:
        kept = _answers.get(key)
        if kept and kept[0] > now:
            return kept[1]
    answer = client.review(verb, type_, namespace, name, subresource)
    with _lock:
        if len(_answers) >= _LIMIT:
            _answers.clear()
        _answers[key] = (now + _KEEP_SECONDS, answer)
    return answer
