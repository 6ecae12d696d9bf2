"""What controllers warn of: the Events of type Warning of the last hour, repeats of the same as one line."""

from dataclasses import dataclass

from django.urls import reverse

from console.overview.part import Part
from kube import limits
from kube.client import ClusterClient
from kube.objects import KubeObject
from resources import live_topics
from resources.page import event_rows
from resources.page.event_rows import EventQuery, Happened, Linker

SHOWN = 6
_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Warnings:
    """`lines` there are, `total` Events in them; `beyond`: there are more than were read."""

    rows: tuple[Happened, ...]
    lines: int
    total: int
    beyond: bool
    url: str


def look(client: ClusterClient) -> Part:
    """The API server picks the warnings (its field `type`), so nothing else is sent. Raises KubeError."""
    type_ = client.find("", "v1", "events")
    found: list[KubeObject] = []
    token = ""
    while True:
        page = client.list(type_, fields="type=Warning", limit=_CHUNK, continue_=token)
        found, token = found + page.items, page.continue_
        if not token or len(found) >= limits.OVERVIEW_WARNINGS.value:
            break
    told = event_rows.stream_of(found, EventQuery(type="Warning"), Linker(client), bool(token))
    url = f"{reverse('resources:events')}?namespace=-&type=Warning"
    shown = Warnings(told.rows[:SHOWN], told.lines, told.matched, told.beyond, url)
    # Every Event of the cluster is news: not as often as they come.
    return Part(shown, topics=live_topics.topics_of(client, type_), every=max(5000, 2 * len(found)))
