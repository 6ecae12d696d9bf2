"""A user's favourites, chosen with a star, and recently opened objects.

Per user, as the API server knows them.

Only names are stored. An object that the user can't (or can no longer) read shows no state.
"""

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import DatabaseError
from django.utils import timezone

from console.web.front import Workers
from kube import limits
from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject
from resources.models import Mark
from resources.place import Place
from resources.state.health import Health
from resources.state.kind_health import health

log = logging.getLogger(__name__)
_AGAIN = timedelta(seconds=30)
_AT_ONCE = 8


class TooMany(Exception):
    """There are as many as limits.FAVOURITES says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """`place` None: the cluster serves no such kind (any more).

    `health` None where it was not asked for or can't be read; `problem`: why.
    """

    kind: str
    namespace: str
    name: str
    place: Place | None
    health: Health | None = None
    problem: str = ""

    @property
    def url(self) -> str:
        if self.place is None:
            return ""
        if self.name:
            return self.place.url()
        return self.place.kind_url(**({"namespace": self.namespace} if self.namespace else {}))

    @property
    def label(self) -> str:
        return self.name or (self.place.type.kinds if self.place else self.kind)


def _mine(client: ClusterClient, sort: str) -> "list[Mark]":
    return list(Mark.objects.filter(cluster=client.name, user=client.owner[:512], sort=sort).order_by("-at", "-pk"))


def _key(client: ClusterClient, place: Place, sort: str) -> "dict[str, Any]":
    return {
        "cluster": client.name,
        "user": client.owner[:512],
        "sort": sort,
        "group": place.type.group,
        "plural": place.type.plural,
        "namespace": place.namespace,
        "name": place.name,
    }


def is_favourite(client: ClusterClient, place: Place) -> bool:
    return Mark.objects.filter(**_key(client, place, Mark.FAVOURITE)).exists()


def choose(client: ClusterClient, place: Place, on: bool) -> None:
    """Raises TooMany. Twice is once."""
    key = _key(client, place, Mark.FAVOURITE)
    if not on:
        Mark.objects.filter(**key).delete()
        return
    if len(_mine(client, Mark.FAVOURITE)) >= limits.FAVOURITES.value and not is_favourite(client, place):
        raise TooMany
    Mark.objects.get_or_create(**key, defaults=_seen(place))


def visit(client: ClusterClient, place: Place) -> None:
    """Records that the user opened an object's page. Never fails, and writes nothing if the page is only reloaded."""
    key, now = _key(client, place, Mark.RECENT), timezone.now()
    try:
        if Mark.objects.filter(**key, at__gt=now - _AGAIN).exists():
            return
        Mark.objects.update_or_create(**key, defaults=_seen(place))
        for old in _mine(client, Mark.RECENT)[limits.RECENT_OBJECTS.value :]:
            old.delete()
    except DatabaseError as error:
        log.warning("what was looked at can't be noted: %s", error)


def _seen(place: Place) -> "dict[str, Any]":
    return {"version": place.type.version, "kind": place.type.kind, "at": timezone.now()}


def favourites(client: ClusterClient, states: bool = False) -> tuple[Marked, ...]:
    """The newest first. `states`: with the state of each object, asked of the API server, some at a time."""
    return _marked(client, Mark.FAVOURITE, states)


def recent(client: ClusterClient) -> tuple[Marked, ...]:
    return _marked(client, Mark.RECENT, False)


def _marked(client: ClusterClient, sort: str, states: bool) -> tuple[Marked, ...]:
    """Raises KubeError where the cluster does not say what it serves."""
    found = [_of(client, mark) for mark in _mine(client, sort)]
    if not states or not found:
        return tuple(found)
    with Workers(_AT_ONCE) as pool:
        return tuple(pool.map(lambda item: _with_state(client, item), found))


def _of(client: ClusterClient, mark: Mark) -> Marked:
    place = None
    for version in (mark.version, ""):
        try:
            place = Place(client.find(mark.group, version, mark.plural), mark.namespace, mark.name)
            break
        except NotFound:
            continue
    return Marked(kind=mark.kind, namespace=mark.namespace, name=mark.name, place=place)


def _with_state(client: ClusterClient, marked: Marked) -> Marked:
    if marked.place is None or not marked.name:
        return marked
    try:
        obj: KubeObject = marked.place.get(client)
    except NotFound:
        return Marked(
            kind=marked.kind, namespace=marked.namespace, name=marked.name, place=marked.place, problem="deleted"
        )
    except KubeError as error:
        return Marked(
            kind=marked.kind, namespace=marked.namespace, name=marked.name, place=marked.place, problem=str(error)
        )
    return Marked(
        kind=marked.kind, namespace=marked.namespace, name=marked.name, place=marked.place, health=health(obj)
    )
