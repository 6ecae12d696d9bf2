"""Whether a user can read anything in a namespace.

By a SelfSubjectRulesReview, and by access reviews if its rules are incomplete.

https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/self-subject-rules-review-v1/
"""

import re
import time
from dataclasses import dataclass
from threading import Lock
from typing import Any

from kube.client import ClusterClient
from kube.errors import KubeError, NotFound

HERE, GONE, REFUSED, UNKNOWN = "here", "gone", "refused", "unknown"

#: Remembered namespaces are asked about again after so long.
KEEP_SECONDS = 60.0
_UNKNOWN_SECONDS = 5.0
_LIMIT = 8192
_READ = {"get", "list", "watch", "*"}
# Asked one by one where the rules are incomplete: what people who may read anything may read.
_TRIED = (("", "pods"), ("", "configmaps"), ("apps", "deployments"), ("", "secrets"))
# RFC 1123, as the API server has it.
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_kept: "dict[tuple[str, str, str], tuple[float, Judged]]" = {}
_lock = Lock()


@dataclass(frozen=True, slots=True)
class Judged:
    """`state`: HERE; GONE: it doesn't exist; REFUSED: the user can't read in it (it might not exist); UNKNOWN: the
    check failed, `words` has the reason.
    """

    state: str
    words: str = ""


def is_name(name: str) -> bool:
    return bool(_NAME.fullmatch(name))


def judge(client: ClusterClient, namespace: str, *, refresh: bool = False) -> Judged:
    """The user's access, at most a minute old; `refresh` bypasses the cache. Never raises KubeError."""
    key, now = (client.host, client.who, namespace), time.monotonic()
    with _lock:
        cached = _kept.get(key)
    if cached and cached[0] > now and not refresh:
        return cached[1]
    found = _ask(client, namespace)
    with _lock:
        if len(_kept) >= _LIMIT:
            _kept.clear()
        _kept[key] = (now + (_UNKNOWN_SECONDS if found.state == UNKNOWN else KEEP_SECONDS), found)
    return found


def _ask(client: ClusterClient, namespace: str) -> Judged:
    try:
        rules, complete = client.rules(namespace)
        if not _reads(client, rules) and (complete or not _tried(client, namespace)):
            return Judged(REFUSED)
        client.get(client.find("", "v1", "namespaces"), namespace)
    except NotFound:
        return Judged(GONE)
    except KubeError as error:
        # Many a Role says nothing of the namespace itself.
        return Judged(HERE) if error.code == 403 else Judged(UNKNOWN, str(error))
    return Judged(HERE)


def _reads(client: ClusterClient, rules: tuple[dict[str, Any], ...]) -> bool:
    """Whether a rule allows reading a namespaced type.

    Permissions that all users have (reviews, discovery) don't count.
    """
    known = {(type_.group, type_.plural) for type_ in client.types() if type_.namespaced and "get" in type_.verbs}
    for rule in rules:
        if not _READ & set(rule.get("verbs") or ()):
            continue
        resources = {str(resource).partition("/")[0] for resource in rule.get("resources") or ()}
        groups = set(rule.get("apiGroups") or ())
        if any(
            (group in groups or "*" in groups) and (plural in resources or "*" in resources) for group, plural in known
        ):
            return True
    return False


def _tried(client: ClusterClient, namespace: str) -> bool:
    return any(
        client.review(verb, client.find(group, "", plural), namespace).allowed
        for group, plural in _TRIED
        for verb in ("list", "get")
    )
