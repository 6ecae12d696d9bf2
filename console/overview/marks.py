"""What this person marked as a favourite, with its state, and what they looked at lately."""

from console.overview.part import CardContent
from kube.client import ClusterClient
from resources import favourites as kept
from resources import live_topics

_SHOWN = 8


def favourites(client: ClusterClient) -> CardContent:
    """Raises KubeError, DatabaseError."""
    found = kept.favourites(client, states=True)[:_SHOWN]
    types = {marked.place.type: None for marked in found if marked.place}
    return CardContent(
        found=found, topics=" ".join(filter(None, (live_topics.topics_of(client, type_) for type_ in types)))
    )


def recent(client: ClusterClient) -> CardContent:
    """Raises KubeError, DatabaseError."""
    return CardContent(found=kept.recent(client)[:_SHOWN])
