"""Discovers the namespaces of a user who can't list them: from the token, from those that the user named or opened,
from the administrator's setting, from OpenShift's projects.

Access to each is checked (access_check.py) before anything is read there. If the user can list namespaces but not their
objects, the listed ones are checked.
"""

import logging
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock

from django.conf import settings
from django.db import DatabaseError
from django.utils import timezone
from django.utils.translation import gettext as _

from console.reach.access_check import GONE, HERE, REFUSED, UNKNOWN, Judged, is_name, judge
from console.reach.models import Remembered
from kube import across_namespaces
from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError
from kube.objects import name_of

log = logging.getLogger(__name__)

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
#: A request asks the database again after so long; what has no request, later.
_FRESH_SECONDS, _KEEP_SECONDS = 2.0, 60.0
_SERVICE_ACCOUNT = "system:serviceaccount:"
_workers = ThreadPoolExecutor(8, thread_name_prefix="reach")
_listed: dict[tuple[str, str], tuple[float, tuple[str, ...] | None]] = {}
_limited: dict[tuple[str, str], tuple[float, bool]] = {}
_found: "dict[tuple[str, str], tuple[float, tuple[Own, ...]]]" = {}
_lock = Lock()


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
    key, now = _key(client), time.monotonic()
    with _lock:
        cached = _listed.get(key)
    if cached and cached[0] > now:
        return cached[1]
    names: tuple[str, ...] | None = None
    try:
        rows = client.table(client.find("", "v1", "namespaces"), whole=True).rows
        names = tuple(sorted(name_of(row.object) for row in rows))
    except Forbidden:
        pass
    with _lock:
        _listed[key] = (now + (_REFUSED_SECONDS if names is None else _LISTED_SECONDS), names)
    return names


def limited(client: ClusterClient) -> bool:
    """Whether the user lacks permission to list namespaces, at most half a minute old. Raises KubeError."""
    key, now = _key(client), time.monotonic()
    with _lock:
        cached = _limited.get(key)
    if cached and cached[0] > now:
        return cached[1]
    found = listed(client) is None
    with _lock:
        _limited[key] = (now + (_REFUSED_SECONDS if found else _ALLOWED_SECONDS), found)
    return found


def own(client: ClusterClient, *, refresh: bool = False) -> tuple[Own, ...]:
    """The user's known namespaces by name, deleted ones included.

    `refresh`: check each again. Never raises KubeError.
    """
    return _own(client, 0 if refresh else _FRESH_SECONDS, refresh)


def names(client: ClusterClient) -> tuple[str, ...]:
    """The readable ones, in which kube/across_namespaces.py reads when a read of all namespaces is refused."""
    return tuple(namespace.name for namespace in _own(client, _KEEP_SECONDS, refresh=False) if namespace.usable)


def _own(client: ClusterClient, seconds: float, refresh: bool) -> tuple[Own, ...]:
    key, now = _key(client), time.monotonic()
    with _lock:
        cached = _found.get(key)
    if cached and cached[0] + seconds > now:
        return cached[1]
    candidates: dict[str, str] = {}
    for name, how in _candidates(client):
        candidates.setdefault(name, how)
    judged = _workers.map(lambda name: judge(client, name, refresh=refresh), candidates)
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
        for cache in (_listed, _limited, _found):
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
    if judge(client, namespace).state == HERE:
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
    "clear_caches",
    "forget",
    "judge",
    "limited",
    "listed",
    "names",
    "opened",
    "own",
    "remember",
    "words",
]
