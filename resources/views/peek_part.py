"""?part=peek of an object's page: a summary in a column beside the list.

State with its cause, the owners, the newest events, a Pod's last log lines, and actions. Each is requested as the user:
a refusal is shown in its place and doesn't affect the other parts.
"""

from dataclasses import dataclass, replace
from itertools import islice

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import BadRequest, Forbidden, KubeError, NotFound
from kube.objects import KubeObject, namespace_of
from resources import live_topics
from resources.acting.actions import Action, actions, leading_to
from resources.diagnosis.cause_reader import state_of
from resources.page import events
from resources.page.detail import Detail
from resources.page.detail import detail as details_of
from resources.page.events import Events
from resources.place import Place
from resources.podlogs.logs import LogContainer, containers

_EVENTS, _FACTS, _LOG_LINES = 5, 4, 20


@dataclass(frozen=True, slots=True)
class Log:
    """The last lines of one container, or the reason why there are none."""

    container: str
    text: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PeekPart:
    """`first`: the actions that get a button of their own."""

    place: Place
    topics: str
    detail: Detail
    events: Events
    actions: tuple[Action, ...]
    log: Log | None = None

    @property
    def first(self) -> tuple[Action, ...]:
        return leading_to(self.actions, self.place, "logs", "terminal", "forward", "edit")

    @property
    def facts(self) -> tuple[object, ...]:
        return tuple(islice(self.detail.facts, _FACTS))


def peek_part(client: ClusterClient, place: Place, obj: KubeObject) -> PeekPart:
    """Raises KubeError if the object's details can't be read."""
    detail = replace(details_of(client, place.type, obj), health=state_of(client, place, obj))
    found = events.about_tree(client, place.type, obj)
    all_events = live_topics.topics_of(client, client.find("", "v1", "events"), place.namespace or "default")
    return PeekPart(
        place=place,
        topics=" ".join(filter(None, (live_topics.topics_of(client, place.type, place.namespace), all_events))),
        detail=detail,
        events=replace(found, rows=found.rows[:_EVENTS], more=found.more + max(0, len(found.rows) - _EVENTS)),
        actions=actions(client, place, obj),
        log=_log(client, obj) if place.type.kind == "Pod" and not place.type.group else None,
    )


def _log(client: ClusterClient, pod: KubeObject) -> Log | None:
    """Of the container that is in trouble, else of the first."""
    all_ = containers(dict(pod))
    if not all_:
        return None
    chosen = max(all_, key=_trouble)
    try:
        text = client.log(
            str(pod["metadata"]["name"]),
            namespace_of(pod),
            container=chosen.name,
            tail=_LOG_LINES,
            previous=chosen.state == "waiting" and chosen.restarts > 0,
        )
    except (BadRequest, NotFound):
        # It waits to start.
        return Log(chosen.name, problem=chosen.reason)
    except Forbidden:
        return Log(chosen.name, problem=_("You don't have permission to read logs."))
    except KubeError as error:
        return Log(chosen.name, problem=str(error))
    return Log(chosen.name, text)


def _trouble(container: LogContainer) -> int:
    """The higher, the more its log is worth; the first of equals counts."""
    if container.kind != "container":
        return 1 if container.state != "terminated" else 0
    return 3 if container.state == "waiting" and container.restarts else 2
