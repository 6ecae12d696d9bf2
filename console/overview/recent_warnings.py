"""Recent warnings: the Events of type Warning of the last hour, repetitions as one line."""

from dataclasses import dataclass

from django.urls import reverse

from console.overview.part import CardContent
from kube import limits
from kube.client import ClusterClient
from kube.objects import KubeObject
from resources import live_topics
from resources.page import events
from resources.page.events import EventQuery, Happened, Linker

SHOWN = 6
_CHUNK = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Warnings:
    """`lines` there are, `total` Events in them; `beyond`: there are more than were read."""

    rows: tuple[Happened, ...]
    lines: int
    total: int
    beyond: bool
    url: str


def collect(client: ClusterClient) -> CardContent:
    """The warnings, selected by the API server (field selector `type`). Raises KubeError."""
    type_ = client.find("", "v1", "events")
    found: list[KubeObject] = []
    token = ""
    while True:
        page = client.list(type_, fields="type=Warning", limit=_CHUNK, continue_=token)
        found, token = found + page.items, page.continue_
        if not token or len(found) >= limits.OVERVIEW_WARNINGS.value:
            break
    warnings = events.event_list_of(found, EventQuery(type="Warning"), Linker(client), bool(token))
    url = f"{reverse('resources:events')}?namespace=-&type=Warning"
    shown = Warnings(
        rows=warnings.rows[:SHOWN], lines=warnings.lines, total=warnings.matched, beyond=warnings.beyond, url=url
    )
    # Each Event of the cluster is an update, so updates are throttled.
    return CardContent(found=shown, topics=live_topics.topics_of(client, type_), every=max(5000, 2 * len(found)))
