"""What happened lately, as two cards: changes and warnings.

Changes: the newest steps of the history whose objects this user may read. Warnings: the Events of type Warning of the
last hour, repetitions as one line.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db.models import Q
from django.urls import reverse

from console.overview.part import CardContent
from kube import limits
from kube.client import ClusterClient
from kube.objects import KubeObject
from kube.requests import FIELD_MANAGER
from operatorhub import olm
from resources import live_topics
from resources.history import timeline
from resources.models import Step
from resources.page import events
from resources.page.events import EventQuery, Happened
from resources.place import Place

SHOWN = 8
#: History entries that are searched for changes to show.
_SEARCHED_STEPS = 150
#: Between the first and the last change of one line.
_TOGETHER = timedelta(minutes=1)
_GIVEN = (
    ("configmaps", "kube-root-ca.crt"),
    ("configmaps", "openshift-service-ca.crt"),
    ("serviceaccounts", "default"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentChange:
    """`who`: the user if the console knows one, else the field manager; '' if unknown.

    `fields`: the first changed ones.
    """

    event: str
    at: datetime
    who: str
    place: Place
    kind: str
    fields: tuple[str, ...]
    number: int = 1  # objects of a kind that were created or deleted together: `place` is the newest

    @property
    def url(self) -> str:
        return self.place.url("history")

    @property
    def list_url(self) -> str:
        """Where all objects of its kind and namespace are."""
        return self.place.kind_url(**({"namespace": self.place.namespace} if self.place.namespace else {}))


def collect(client: ClusterClient) -> CardContent:
    """The newest changes, without status updates of operators. Raises KubeError, DatabaseError."""
    rows = (
        Step.objects.filter(traced__cluster=client.name)
        .filter(Q(event__in=(Step.CREATED, Step.DELETED)) | Q(event=Step.CHANGED) & (Q(spec=True) | Q(meta=True)))
        .select_related("traced")
        .defer("traced__head", "back")
        .order_by("-at", "-pk")
    )
    found: list[RecentChange] = []
    steps = [step for step in rows[:_SEARCHED_STEPS] if not _bookkeeping(step)]
    readable = timeline.Readable(client, {step.traced_id for step in steps})
    for step in steps:
        if place := readable.place(step.traced):
            change = _change(step, place)
            if found and _together(found[-1], change):
                found[-1] = replace(found[-1], number=found[-1].number + 1)
            elif len(found) < SHOWN:
                found.append(change)
            else:
                break
    types = {change.place.type: None for change in found}
    topics = live_topics.topics(client, *types)
    return CardContent(found=tuple(found), topics=topics, every=3000)


def _together(newer: RecentChange, older: RecentChange) -> bool:
    """Whether both are of one act on many objects: the same person, kind, namespace and event, within a minute."""
    return (
        newer.event == older.event != Step.CHANGED
        and newer.who == older.who
        and (newer.place.type, newer.place.namespace) == (older.place.type, older.place.namespace)
        and newer.at - older.at < _TOGETHER
    )


def _bookkeeping(step: Step) -> bool:
    """Whether no user made the change: labels and annotations written by programs, OLM's index of its operators, and
    the objects that Kubernetes creates in each namespace.
    """
    traced = step.traced
    if step.event == Step.CHANGED and not step.spec:
        return not step.manager.startswith(("kubectl", FIELD_MANAGER))
    return (traced.group, traced.plural) == (olm.GROUP, "operators") or (traced.plural, traced.name) in _GIVEN


def _change(step: Step, place: Place) -> RecentChange:
    entry = timeline.entry(step)
    return RecentChange(
        event=step.event,
        at=step.at,
        who=entry.user or entry.who,
        place=place,
        kind=step.traced.kind,
        fields=tuple(field.path for field in entry.fields[:2]),
    )


SHOWN_WARNINGS = 6
_CHUNK = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentWarnings:
    """`lines` there are, `total` Events in them; `beyond`: there are more than were read."""

    rows: tuple[Happened, ...]
    lines: int
    total: int
    beyond: bool
    url: str


def collect_warnings(client: ClusterClient) -> CardContent:
    """The warnings, selected by the API server (field selector `type`). Raises KubeError."""
    type_ = client.find("", "v1", "events")
    found: list[KubeObject] = []
    token = ""
    while True:
        page = client.list(type_, fields="type=Warning", limit=_CHUNK, continue_=token)
        found, token = found + page.items, page.continue_
        if not token or len(found) >= limits.OVERVIEW_WARNINGS.value:
            break
    warnings = events.event_list_of(found, EventQuery(type="Warning"), bool(token))
    url = f"{reverse('resources:events')}?namespace=-&type=Warning"
    shown = RecentWarnings(
        rows=events.rows_of(client, warnings.groups[:SHOWN_WARNINGS]),
        lines=len(warnings.groups),
        total=warnings.matched,
        beyond=warnings.beyond,
        url=url,
    )
    # Each Event of the cluster is an update, so updates are throttled.
    return CardContent(found=shown, topics=live_topics.topics(client, type_), every=max(5000, 2 * len(found)))
