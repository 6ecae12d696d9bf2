"""Tells lives of a namespace apart: one deleted and created again under the same name may have other owners.

The recorder stores the namespace's uid with each object. Where it is missing (rows of before, a namespace that could
not be read) the times of creation decide: an object is never older than its namespace.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import Q

from kube.client import ClusterClient
from kube.errors import KubeError, NotFound
from kube.objects import uid_of
from resources.place import Place
from resources.state.health import mapping, text

#: Clocks of the API server and of the worker differ by less than this.
_SLACK_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class NamespaceLife:
    """`created`: None where the namespace could not be read. `read_at`: by this machine's clock."""

    uid: str = ""
    created: datetime | None = None
    read_at: float = 0.0


def created_at(obj: Mapping[str, Any]) -> datetime | None:
    try:
        found = datetime.fromisoformat(
            text(mapping(obj.get("metadata")).get("creationTimestamp")).replace("Z", "+00:00")
        )
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def read(client: ClusterClient, namespace: str) -> NamespaceLife:
    """Raises KubeError."""
    obj = client.get(client.find("", "v1", "namespaces"), namespace)
    return NamespaceLife(uid_of(obj), created_at(obj), time.time())


class NamespaceUids:
    """Namespaces' uids for the recorder, each read again only for an object that may be younger than what is known."""

    def __init__(self, client: ClusterClient) -> None:
        self._client = client
        self._known: dict[str, NamespaceLife] = {}

    def uid_of(self, namespace: str, obj: Mapping[str, Any]) -> str:
        """The uid of the namespace in which `obj` is, '' where that isn't known."""
        created = created_at(obj)
        if not namespace or created is None:
            return ""
        life = self._known.get(namespace, NamespaceLife())
        if created.timestamp() > life.read_at - _SLACK_SECONDS:
            try:
                life = read(self._client, namespace)
            except KubeError:
                life = NamespaceLife(read_at=time.time())
            self._known[namespace] = life
        # An object that was there before the namespace was made belongs to an earlier life of that name.
        return life.uid if life.created and life.created <= created else ""


def of_place(client: ClusterClient, place: Place) -> Q:
    """Which Traced of that address may be shown: those of the namespace's present life; all, where the namespace is
    gone.
    """
    if place.name and place.type.plural == "namespaces" and not place.type.group:
        return _own_life(client, place)
    if not place.type.namespaced or not place.namespace:
        return Q()
    try:
        life = read(client, place.namespace)
    except NotFound:
        return Q()
    except KubeError:
        return _own_life(client, place)
    return Q(namespace_uid=life.uid) | Q(namespace_uid="", began_at__gte=life.created)


def _own_life(client: ClusterClient, place: Place) -> Q:
    """Of this object alone, as long as there is one. Raises KubeError."""
    if not place.name:
        return Q(pk__in=())
    try:
        return Q(uid=uid_of(place.get(client)))
    except NotFound:
        return Q() if not place.type.namespaced else Q(pk__in=())
