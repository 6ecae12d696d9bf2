"""Discovers the namespaces of a user who can't list them: from the token, from those that the user named or opened,
from the administrator's setting, from OpenShift's projects.

check_access() checks each before anything is read there: by a SelfSubjectRulesReview, and by access reviews if its
rules are incomplete. If the user can list namespaces but not their objects, the listed ones are checked.

https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/self-subject-rules-review-v1/
"""

import logging
import re
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import Any

from cachetools import Cache, TLRUCache, TTLCache
from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone
from django.utils.translation import gettext as _

from console.reach.models import Remembered
from kube import across_namespaces
from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import name_of

log = logging.getLogger(__name__)

HERE, GONE, REFUSED, UNKNOWN = "here", "gone", "refused", "unknown"

#: How long check_access() keeps an answer.
KEEP_SECONDS = 60.0
_UNKNOWN_SECONDS = 5.0
_LIMIT = 8192
_READ = {"get", "list", "watch", "*"}
# Asked one by one where the rules are incomplete: what people who may read anything may read.
_TRIED = (("", "pods"), ("", "configmaps"), ("apps", "deployments"), ("", "secrets"))
# RFC 1123, as the API server has it.
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
_lock = Lock()


@dataclass(frozen=True, slots=True)
class Judged:
    """Whether a user can read anything in a namespace.

    `state`: HERE; GONE: it doesn't exist; REFUSED: the user can't read in it (it might not exist); UNKNOWN: the
    check failed, `words` has the reason.
    """

    state: str
    words: str = ""


def is_name(name: str) -> bool:
    return bool(_NAME.fullmatch(name))


def check_access(client: ClusterClient, namespace: str, *, refresh: bool = False) -> Judged:
    """The user's access, at most a minute old; `refresh` bypasses the cache. Never raises KubeError."""
    key = (client.host, client.who, namespace)
    with _lock:
        known = None if refresh else _judged.get(key)
    if known is None:
        known = _ask(client, namespace)
        with _lock:
            _judged[key] = known
    return known


def _judged_until(_key: object, judged: Judged, now: float) -> float:
    return now + (_UNKNOWN_SECONDS if judged.state == UNKNOWN else KEEP_SECONDS)


_judged: TLRUCache[tuple[str, str, str], Judged] = TLRUCache(_LIMIT, _judged_until)


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


TOKEN, TYPED, OPENED, SETTING, PROJECT, CONTEXT, LISTED = (
    "token",
    "typed",
    "opened",
    "setting",
    "project",
    "context",
    "listed",
)
#: Of one person; the oldest goes.
MOST_REMEMBERED = 50
_LISTED_SECONDS, _REFUSED_SECONDS, _ALLOWED_SECONDS = 2.0, 10.0, 30.0
#: How long own() and names() keep what was found.
_OWN_SECONDS, _NAMES_SECONDS = 2.0, 60.0
_SERVICE_ACCOUNT = "system:serviceaccount:"
_workers = ThreadPoolExecutor(8, thread_name_prefix="reach")


@dataclass(frozen=True, slots=True)
class Own:
    """One namespace: how it was found, and what the API server says of it now."""

    name: str
    how: str
    judged: Judged

    @property
    def usable(self) -> bool:
        """Also true while the cluster doesn't respond."""
        return self.judged.state in (HERE, UNKNOWN)

    @property
    def remembered(self) -> bool:
        return self.how in (TYPED, OPENED)


def listed(client: ClusterClient) -> tuple[str, ...] | None:
    """All namespaces, sorted, at most two seconds old; None if the user can't list them. Raises KubeError."""
    key = _key(client)
    with _lock:
        if key in _listed:
            return _listed[key]
    names: tuple[str, ...] | None = None
    try:
        rows = client.table(client.find("", "v1", "namespaces"), whole=True).rows
        names = tuple(sorted(name_of(row.object) for row in rows))
    except Forbidden:
        pass
    with _lock:
        _listed[key] = names
    return names


def limited(client: ClusterClient) -> bool:
    """Whether the user lacks permission to list namespaces, at most half a minute old. Raises KubeError."""
    key = _key(client)
    with _lock:
        known = _limited.get(key)
    if known is None:
        known = listed(client) is None
        with _lock:
            _limited[key] = known
    return known


def _listed_until(_key: object, names: tuple[str, ...] | None, now: float) -> float:
    return now + (_REFUSED_SECONDS if names is None else _LISTED_SECONDS)


def _limited_until(_key: object, is_limited: bool, now: float) -> float:
    return now + (_REFUSED_SECONDS if is_limited else _ALLOWED_SECONDS)


# By user.
_listed: TLRUCache[tuple[str, str], tuple[str, ...] | None] = TLRUCache(_LIMIT, _listed_until)
_limited: TLRUCache[tuple[str, str], bool] = TLRUCache(_LIMIT, _limited_until)
#: What was found, and when.
_found: TTLCache[tuple[str, str], tuple[float, tuple[Own, ...]]] = TTLCache(_LIMIT, _NAMES_SECONDS)


def own(client: ClusterClient, *, refresh: bool = False) -> tuple[Own, ...]:
    """The user's known namespaces by name, deleted ones included.

    `refresh`: check each again. Never raises KubeError.
    """
    return _own(client, 0 if refresh else _OWN_SECONDS, refresh)


def names(client: ClusterClient) -> tuple[str, ...]:
    """The readable ones, in which kube/across_namespaces.py reads when a read of all namespaces is refused."""
    return tuple(namespace.name for namespace in _own(client, _NAMES_SECONDS, refresh=False) if namespace.usable)


def _own(client: ClusterClient, seconds: float, refresh: bool) -> tuple[Own, ...]:
    key, now = _key(client), time.monotonic()
    with _lock:
        cached = _found.get(key)
    if cached and now - cached[0] < seconds:
        return cached[1]
    candidates: dict[str, str] = {}
    for name, how in _candidates(client):
        candidates.setdefault(name, how)
    judged = _workers.map(lambda name: check_access(client, name, refresh=refresh), candidates)
    found = tuple(
        sorted(
            (
                Own(name, how, verdict)
                for (name, how), verdict in zip(candidates.items(), judged, strict=True)
                # Ignore guessed names that don't exist.
                if verdict.state in (HERE, UNKNOWN) or how in (TYPED, OPENED)
            ),
            key=lambda namespace: namespace.name,
        )
    )
    with _lock:
        _found[key] = (now, found)
    return found


def _candidates(client: ClusterClient) -> Iterator[tuple[str, str]]:
    """(name, how it was found), the surest first."""
    for row in _rows(client):
        yield row.namespace, row.how
    if client.user.startswith(_SERVICE_ACCOUNT):
        # system:serviceaccount:<namespace>:<name>, a name that the API server gave.
        yield client.user.removeprefix(_SERVICE_ACCOUNT).partition(":")[0], TOKEN
    for name in settings.NAMESPACES:
        yield name, SETTING
    if not client.config.session and client.config.namespace:
        yield client.config.namespace, CONTEXT
    yield from ((name, PROJECT) for name in _projects(client))
    try:
        every = listed(client) or ()
    except KubeError:
        every = ()
    if len(every) <= across_namespaces.MAX_NAMESPACES:
        yield from ((name, LISTED) for name in every)


def _projects(client: ClusterClient) -> Iterable[str]:
    """Projects of OpenShift and OKD: their list has only those that the user can read, and needs no permission to list.

    https://docs.okd.io/latest/rest_api/project_apis/project-project-openshift-io-v1.html
    """
    try:
        if not any((type_.group, type_.plural) == ("project.openshift.io", "projects") for type_ in client.types()):
            return ()
        type_ = client.find("project.openshift.io", "v1", "projects")
        return [name_of(row.object) for row in client.table(type_, limit=across_namespaces.MAX_NAMESPACES).rows]
    except KubeError:
        return ()


def _rows(client: ClusterClient) -> list[Remembered]:
    try:
        return list(Remembered.objects.filter(**_whose(client)).order_by("-at")[:MOST_REMEMBERED])
    except DatabaseError as error:
        log.warning("the namespaces that %s named can't be read: %s", client.user, error)
        return []


def remember(client: ClusterClient, namespace: str, how: str) -> None:
    """Saves a namespace that was checked before. A typed one stays TYPED when it is opened."""
    row, made = Remembered.objects.get_or_create(
        **_whose(client), namespace=namespace, defaults={"how": how, "at": timezone.now()}
    )
    if not made and how == TYPED and row.how != TYPED:
        Remembered.objects.filter(pk=row.pk).update(how=TYPED, at=timezone.now())
    newest = Remembered.objects.filter(**_whose(client)).order_by("-at").values_list("pk", flat=True)[:MOST_REMEMBERED]
    Remembered.objects.filter(**_whose(client)).exclude(pk__in=list(newest)).delete()
    clear_caches(client)


def forget(client: ClusterClient, namespace: str) -> None:
    Remembered.objects.filter(**_whose(client), namespace=namespace).delete()
    clear_caches(client)


def clear_caches(client: ClusterClient | None = None) -> None:
    """Drops the caches after a namespace was created, deleted, named or forgotten here. None: of all users."""
    with _lock:
        caches: tuple[Cache[tuple[str, str], Any], ...] = (_listed, _limited, _found)
        for cache in caches:
            if client is None:
                cache.clear()
            else:
                cache.pop(_key(client), None)


def opened(client: ClusterClient, namespace: str) -> None:
    """Remembers the namespace of an address that the user opened, if they can read in it.

    Only for users who can't list namespaces: call limited() first.
    """
    if not is_name(namespace) or any(known.name == namespace for known in own(client)):
        return
    if check_access(client, namespace).state == HERE:
        remember(client, namespace, OPENED)


def words() -> dict[str, str]:
    """How a namespace was found, by `how`: the end of a sentence."""
    return {
        TOKEN: _("from your token"),
        PROJECT: _("from the list of your projects"),
        TYPED: _("added by you"),
        OPENED: _("opened by you"),
        SETTING: _("from the administrator's settings"),
        CONTEXT: _("from the kubeconfig"),
        LISTED: _("from the list of all namespaces"),
    }


def _whose(client: ClusterClient) -> dict[str, str]:
    # Who looks as another names namespaces for that look alone.
    user = f"{client.user} by {client.config.by}" if client.config.by else client.user
    return {"cluster": client.name[:512], "user": user[:512]}


def _key(client: ClusterClient) -> tuple[str, str]:
    return (client.host, client.who)


__all__ = [
    "GONE",
    "HERE",
    "REFUSED",
    "UNKNOWN",
    "Own",
    "check_access",
    "clear_caches",
    "forget",
    "limited",
    "listed",
    "names",
    "opened",
    "own",
    "remember",
    "words",
]
