"""What controllers said about an object and about what belongs to it: the namespace's Events, newest first."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from kube.objects import KubeObject, namespace_of, uid_of
from resources.page.detail import Link, link
from resources.state.children import moment
from resources.state.health import mapping, text
from resources.tree.owners import types_below, uids_below

SHOWN = 50
_CHUNK = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """`warning`: its type is not Normal. `count`: how often it happened, `seen` the last time."""

    uid: str
    warning: bool
    reason: str
    message: str
    about: Link
    count: int
    seen: str
    source: str

    @property
    def at(self) -> datetime | None:
        """`seen` as a moment; None where the API server tells none."""
        return moment(self.seen)


@dataclass(frozen=True, slots=True)
class Events:
    """`more`: older ones that are not shown. `problem`: why there are none to show, in the API server's words."""

    rows: tuple[EventRow, ...] = ()
    more: int = 0
    problem: str = ""


def about(client: ClusterClient, namespace: str, uids: Set[str], own: str) -> Events:
    """Events of the objects with these uids, newest first.

    `own`: the uid of the page's object: one alone is asked for by a field selector.
    """
    try:
        found = read(client, namespace, f"involvedObject.uid={own}" if not uids - {own} else "")
    except KubeError as error:
        return Events(problem=str(error))
    return _of(client, namespace, found, uids)


def about_tree(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> Events:
    """Events of an object and of what belongs to it, newest first."""
    own, namespace = uid_of(obj), namespace_of(obj)
    if not types_below(client, type_, namespace):
        return about(client, namespace, {own}, own)
    try:
        found = read(client, namespace, "")
    except KubeError as error:
        return Events(problem=str(error))
    regarding = (mapping(event.get("involvedObject")) for event in found)
    asked = {text(item.get("uid")): text(item.get("kind")) for item in regarding}
    return _of(client, namespace, found, {own, *uids_below(client, type_, obj, asked)})


def _of(client: ClusterClient, namespace: str, found: list[dict[str, Any]], uids: Set[str]) -> Events:
    matching = [event for event in found if text(mapping(event.get("involvedObject")).get("uid")) in uids]
    matching.sort(key=order, reverse=True)
    rows = tuple(_row(client, event, namespace) for event in matching[:SHOWN])
    return Events(rows, max(0, len(matching) - SHOWN))


def read(client: ClusterClient, namespace: str, fields: str) -> list[dict[str, Any]]:
    """The namespace's Events, at most about limits.OBJECT_EVENTS. Raises KubeError."""
    type_ = client.find("", "v1", "events")
    found: list[dict[str, Any]] = []
    token = ""
    while True:
        # Those of cluster-scoped objects are kept in the namespace default.
        page = client.list(type_, namespace or "default", fields=fields, limit=_CHUNK, continue_=token)
        found, token = found + page.items, page.continue_
        if not token or len(found) >= limits.OBJECT_EVENTS.value:
            return found


def last_seen(event: Mapping[str, Any]) -> str:
    """RFC 3339. Old and new events keep it in different fields, and any of them may be null."""
    series, metadata = mapping(event.get("series")), mapping(event.get("metadata"))
    candidates = (
        series.get("lastObservedTime"),
        event.get("lastTimestamp"),
        event.get("eventTime"),
        event.get("firstTimestamp"),
        metadata.get("creationTimestamp"),
    )
    return next((text(time) for time in candidates if text(time)), "")


def order(event: Mapping[str, Any]) -> tuple[str, int]:
    """To sort by. Times are whole seconds; of one second the one written last came last."""
    version = text(mapping(event.get("metadata")).get("resourceVersion"))
    return last_seen(event)[:19], int(version) if version.isdecimal() else 0


def _row(client: ClusterClient, event: Mapping[str, Any], namespace: str) -> EventRow:
    metadata, source = mapping(event.get("metadata")), mapping(event.get("source"))
    count = mapping(event.get("series")).get("count") or event.get("count")
    return EventRow(
        uid=text(metadata.get("uid")),
        warning=text(event.get("type")) != "Normal",
        reason=text(event.get("reason")),
        message=text(event.get("message")),
        about=link(client, mapping(event.get("involvedObject")), namespace),
        count=count if isinstance(count, int) and count > 0 else 1,
        seen=last_seen(event),
        source=text(source.get("component")) or text(event.get("reportingComponent")),
    )
