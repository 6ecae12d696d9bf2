"""The region of an object's page that names why it isn't well, directly under its title."""

from dataclasses import dataclass

from kube.client import ClusterClient
from kube.errors import NotFound
from kube.objects import KubeObject
from resources import live_topics
from resources.causes.cause import Severity
from resources.diagnosis.cause_display import ShownCause, shown_causes
from resources.diagnosis.cause_reader import read_causes, state_of
from resources.lists import child_troubles
from resources.place import Place
from resources.state.health import DEGRADED, PROGRESSING, TERMINATING, UNKNOWN, Health

_UNSETTLED = (PROGRESSING, UNKNOWN, DEGRADED, TERMINATING)
#: What brings news of a cause beside the object itself.
_TELLING = (("", "v1", "pods"), ("", "v1", "persistentvolumeclaims"), ("", "v1", "events"))


@dataclass(frozen=True, slots=True, kw_only=True)
class CausesPart:
    """`first`: the worst, `others`: the rest. `reason`: why it is degraded where no rule names a cause, '' else.

    `names`: objects whose changes are news, '' for all of the topics.
    """

    first: ShownCause | None
    others: tuple[ShownCause, ...]
    reason: str
    topics: str
    names: str


def causes_part(client: ClusterClient, place: Place, obj: KubeObject) -> CausesPart:
    state = state_of(client, place, obj)
    causes = [cause for cause in read_causes(client, place, obj, state) if cause.severity != Severity.NOTE]
    shown = shown_causes(client, place, causes)
    topics = _topics(client, place, state)
    return CausesPart(
        first=shown[0] if shown else None,
        others=shown[1:],
        reason=(state.reason or state.label) if state.state == DEGRADED and not shown else "",
        topics=" ".join(topics),
        names=place.name if len(topics) == 1 else "",
    )


def _topics(client: ClusterClient, place: Place, state: Health) -> list[str]:
    """Without a namespace, Events are those of the namespace default, as the page's own region has them."""
    telling = _TELLING if state.state in _UNSETTLED else _TELLING[:1] if child_troubles.counts(place.type) else ()
    found = [live_topics.topics_of(client, place.type, place.namespace)]
    for kind in telling:
        try:
            type_ = client.find(*kind)
        except NotFound:
            continue
        if place.namespace or type_.plural == "events":
            found.append(live_topics.topics_of(client, type_, place.namespace or "default"))
    return list(dict.fromkeys(topic for topic in found if topic))
