"""/resources/<group>/<version>/<plural>/<namespace>/<name>/: one object, what belongs to it, and what was said about it.

The page has four regions that renew themselves, each with its own address (`?part=`) and its own topics: the state of the object, what it owns,
its values, its Events.
"""

from dataclasses import dataclass

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import NotFound
from kube.objects import KubeObject, uid_of
from resources import events, examples
from resources.actions import Action, actions
from resources.changes import Topic
from resources.described import Said, said
from resources.detail import Detail, is_simulated
from resources.detail import detail as details_of
from resources.events import Events
from resources.health import Health, mapping, text
from resources.kind_health import health
from resources.kinds import Panel
from resources.owners import Belongings, Owned, belongings, owned_types
from resources.panels import panels
from resources.place import Place, place_of
from resources.values import Node, sections

# Parts of the page, for `?part=`, and the templates that draw them.
PARTS = {
    "object": "resources/_object.html",
    "owned": "resources/_owned.html",
    "values": "resources/_values.html",
    "events": "resources/_events.html",
}
# Kinds that change by themselves while an operator works. Of the others the ones here bring the news.
_TELLING = frozenset(
    ("deployments", "replicasets", "statefulsets", "daemonsets", "jobs", "pods", "persistentvolumeclaims", "services")
)


@dataclass(frozen=True, slots=True)
class OwnedRow:
    """One object below the page's object."""

    place: Place
    uid: str
    depth: int
    health: Health
    created: str
    simulated: bool


@dataclass(frozen=True, slots=True)
class OwnedPart:
    """`looks`: whether objects of this kind can own anything that is looked for."""

    rows: tuple[OwnedRow, ...]
    found: Belongings
    looks: bool
    topics: str


@dataclass(frozen=True, slots=True)
class DetailPage:
    """What is None is not part of this answer."""

    place: Place
    topic: str
    detail: Detail | None = None
    panels: tuple[Panel, ...] = ()
    said: tuple[Said, ...] = ()
    actions: tuple[Action, ...] = ()
    owned: OwnedPart | None = None
    sections: tuple[Node, ...] = ()
    events: Events | None = None
    events_topic: str = ""


@require_safe
def detail(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """The page, or with `?part=` one region of it. Of an object that is gone the region `object` says so,
    and the others are empty until there is one of this name again."""
    place = place_of(request, group, version, plural, namespace, name)
    part = request.GET.get("part", "")
    try:
        obj = place.get(request.cluster)
    except NotFound:
        if part in ("owned", "values", "events"):
            topic = _topic(request.cluster, place.type, place.namespace)
            return render.page(request, "resources/_gone.html", {"part": part, "topic": topic, "place": place})
        raise
    template = PARTS.get(part, "resources/detail.html")
    return render.page(request, template, {"page": _look(request.cluster, place, obj, part if part in PARTS else "")})


def _look(client: ClusterClient, place: Place, obj: KubeObject, part: str) -> DetailPage:
    shown = details_of(client, place.type, obj) if part in ("", "object") else None
    described = examples.offer(client, place.type, place.namespace).status if shown else ()
    types = owned_types(client, place.type) if part in ("", "owned", "events") else ()
    found = belongings(client, place.type, obj) if types else Belongings((), ())
    happened = None
    if part in ("", "events"):
        uids = found.uids | {uid_of(obj)}
        happened = events.about(client, place.namespace, uids, uid_of(obj))
    return DetailPage(
        place=place,
        topic=_topic(client, place.type, place.namespace),
        detail=shown,
        panels=panels(client, place.type, obj) if shown else (),
        said=_news(said(client, obj, described), shown),
        actions=actions(client, place, obj) if shown else (),
        owned=_owned_part(client, place, types, found) if part in ("", "owned") else None,
        sections=sections(obj) if part in ("", "values") else (),
        events=happened,
        events_topic=_topic(client, client.find("", "v1", "events"), place.namespace or "default"),
    )


def _news(all_: tuple[Said, ...], shown: Detail | None) -> tuple[Said, ...]:
    """Without what the kind's printer columns say in the same words."""
    known = {(fact.name.casefold(), fact.text) for fact in shown.facts} if shown else set()
    return tuple(one for one in all_ if (one.label.casefold(), one.text) not in known)


def _topic(client: ClusterClient, type_: ResourceType, namespace: str) -> str:
    return str(Topic(client.name, type_.group_or_core, type_.version, type_.plural, namespace))


def _owned_part(client: ClusterClient, place: Place, types: tuple[ResourceType, ...], found: Belongings) -> OwnedPart:
    telling = [type_ for type_ in types if type_.plural in _TELLING or type_.group == place.type.group]
    topics = dict.fromkeys(_topic(client, type_, place.namespace) for type_ in (place.type, *telling))
    return OwnedPart(tuple(_row(row) for row in found.rows), found, bool(types), " ".join(topics))


def _row(row: Owned) -> OwnedRow:
    metadata = mapping(row.object.get("metadata"))
    # Rows of kinds that are read as metadata have no state of their own.
    whole: KubeObject = {"apiVersion": row.type.api_version, "kind": row.type.kind, **_plain(row.object)}
    place = Place(row.type, text(metadata.get("namespace")), text(metadata.get("name")))
    created = text(metadata.get("creationTimestamp"))
    return OwnedRow(place, uid_of(row.object), row.depth, health(whole), created, is_simulated(row.object))


def _plain(obj: KubeObject) -> KubeObject:
    return {key: value for key, value in obj.items() if key not in ("apiVersion", "kind")}
