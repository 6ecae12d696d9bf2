"""The API server: does it answer, how fast, what is in it; and whether pages hear of changes."""

import time
from collections.abc import Mapping
from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from console.overview.part import ERROR, WARNING, CardContent, CardProblem
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from resources import live_topics
from resources.changes import RedisError
from resources.changes.heartbeats import hub_states
from resources.lists import listing
from resources.lists.counts import Count, counts
from resources.lists.listing import Query
from resources.place import Place
from resources.state.health import READY
from resources.usage import ALLOCATABLE, NODES, PODS, Tile, Usage, readings, tiles

_KINDS = (
    ("", "namespaces"),
    ("", "pods"),
    ("apiextensions.k8s.io", "customresourcedefinitions"),
    ("", "nodes"),
)
#: Of more nodes the states are not read here.
_MOST_NODES = 500
#: An answer that takes longer is worth a word, in milliseconds.
_SLOW = 2000


@dataclass(frozen=True, slots=True)
class Number:
    """How many of a kind there are, and its list."""

    label: str
    count: Count
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """`milliseconds`: how long the API server took to say its version. `live`: why pages do not hear of changes, ''
    when they do. `usage`: CPU and memory, none where they aren't measured or this reader can't list them.
    """

    version: str
    platform: str
    milliseconds: int
    numbers: tuple[Number, ...]
    live: str
    usage: tuple[Tile, ...] = ()


def collect(client: ClusterClient) -> CardContent:
    """Version, response time, counts and usage. Raises KubeError if the cluster doesn't respond."""
    began = time.monotonic()
    version = client.version()
    milliseconds = int((time.monotonic() - began) * 1000)
    types = tuple(filter(None, (_type(client, *kind) for kind in _KINDS)))
    found = counts(client, types)
    numbers = tuple(Number(_label(type_), found[type_], _list(type_)) for type_ in types)
    live = _live()
    summary = Cluster(
        version=str(version.get("gitVersion", "")),
        platform=str(version.get("platform", "")),
        milliseconds=milliseconds,
        numbers=numbers,
        live=live,
        usage=_usage(client),
    )
    troubles = [*_slow(milliseconds), *_silent(client), *_nodes(client, found), *_unheard(live)]
    topics = live_topics.topics(client, *(type_ for type_ in types if found[type_].number is not None))
    return CardContent(found=summary, troubles=tuple(troubles), topics=topics)


def _usage(client: ClusterClient) -> tuple[Tile, ...]:
    """Of the nodes, else of the Pods that this reader can list.

    The sum of Pods has no history: others' reads may have written a part of the Pods only in some of its minutes.
    """
    nodes, room = readings.ask(client, NODES), readings.ask(client, ALLOCATABLE)
    if found := nodes.now():
        given = room.now() or {}
        # A part of the nodes would be too little room.
        whole = sum(given.values(), Usage()) if found.keys() <= given.keys() else None
        return tiles(client, NODES, found, whole)
    pods = readings.ask(client, PODS).now()
    return tiles(client, "", pods) if pods else ()


def _type(client: ClusterClient, group: str, plural: str) -> ResourceType | None:
    try:
        return client.find(group, "", plural)
    except KubeError:
        return None


def _label(type_: ResourceType) -> str:
    labels = {
        "namespaces": _("Namespaces"),
        "pods": _("Pods"),
        "customresourcedefinitions": _("Custom resource definitions"),
        "nodes": _("Nodes"),
    }
    return labels[type_.plural]


def _list(type_: ResourceType) -> str:
    if type_.plural == "namespaces":
        return reverse("pages:namespaces")
    return Place(type_).kind_url(**({"namespace": "-"} if type_.namespaced else {}))


def _slow(milliseconds: int) -> list[CardProblem]:
    if milliseconds < _SLOW:
        return []
    words = _("The version request took %(number)d ms.") % {"number": milliseconds}
    return [CardProblem(level=WARNING, title=_("The API server is slow"), reason=words, url="#overview-cluster")]


def _silent(client: ClusterClient) -> list[CardProblem]:
    return [
        CardProblem(
            level=WARNING,
            title=_("An API isn't responding"),
            reason=error,
            url=reverse("resources:types"),
            act=_("All types"),
        )
        for error in client.discovery_errors[:5]
    ]


def _nodes(client: ClusterClient, found: Mapping[ResourceType, Count]) -> list[CardProblem]:
    for type_, count in found.items():
        if type_.plural != "nodes" or not count.number or count.number > _MOST_NODES:
            continue
        try:
            states = listing.counted(client, type_, "", Query())
        except KubeError:
            return []
        unwell = sum(number for state, number in states.items() if state != READY)
        if unwell:
            words = ngettext(
                "%(number)d of %(all)d nodes isn't ready.", "%(number)d of %(all)d nodes aren't ready.", unwell
            )
            words = words % {"number": unwell, "all": count.number}
            return [
                CardProblem(level=ERROR, title=_("Nodes"), reason=words, url=Place(type_).kind_url(), act=_("Nodes"))
            ]
    return []


def _live() -> str:
    try:
        hubs = hub_states()
    except RedisError:
        return _("Redis isn't responding.")
    if not hubs:
        return _("No worker is watching the cluster. Check that the Celery worker is running.")
    return "" if any(not hub.problem for hub in hubs) else next(hub.problem for hub in hubs if hub.problem)


def _unheard(live: str) -> list[CardProblem]:
    if not live:
        return []
    return [
        CardProblem(
            level=WARNING,
            title=_("Live updates are off"),
            reason=live,
            url=reverse("pages:readyz"),
            act=_("View readiness"),
        )
    ]


def away(error: KubeError) -> CardProblem:
    """The API server itself does not answer: nothing is as bad."""
    return CardProblem(
        level=ERROR, title=_("The API server isn't responding"), reason=str(error), url="#overview-cluster"
    )
