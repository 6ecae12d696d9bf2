"""Pods in trouble, Pods that have long not been ready, and Deployments that can't make any.

Pods of the same owner are one line: whether an operator or one of its instances made them, what keeps them from
running.

Of many Pods only those are read that do not run by the API server's own field; the page says so.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from console.overview import part
from console.overview.part import ERROR, WARNING, CardContent, CardProblem, with_causes
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from kube.objects import moment
from resources import live_topics
from resources.lists.child_troubles import MANY, NOT_RUNNING
from resources.lists.counts import count
from resources.lists.entries import ListEntry
from resources.lists.snapshot import snapshots
from resources.place import Place
from resources.state.health import DEGRADED, PROGRESSING

WAIT = 2.5
NAMED = 8
#: A Pod that fails its readiness probe, or waits for a volume, only counts as starting; after this long it won't be.
_READY_WITHIN = timedelta(minutes=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class PodGroup:
    """Pods of one owner that fail for the same reason.

    `first`: the one to look at, `url` its page; `owner`: 'Kind/name', '' for a Pod of its own.
    """

    namespace: str
    owner: str
    reason: str
    first: str
    number: int
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pods:
    """`total`: Pods that were looked at; `unwell` of them are in trouble. `bounded`: those that run were left out."""

    total: int
    unwell: int
    groups: tuple[PodGroup, ...]
    more: int
    bounded: bool
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    entries: tuple[ListEntry, ...] = ()
    late: tuple[ListEntry, ...] = ()
    stuck: tuple[ListEntry, ...] = ()
    total: int = 0
    bounded: bool = False
    error: KubeError | None = None


def collect(client: ClusterClient) -> CardContent:
    """The Pods with problems, grouped by owner and reason. Raises KubeError."""
    type_ = client.find("", "v1", "pods")
    found, late = part.run_within(client, "pods", {"pods": partial(_read, client, type_)}, WAIT)
    if late:
        return CardContent(pending=(_("Pods"),))
    read = found["pods"]
    if read.error:
        raise read.error
    groups = _groups(type_, read.entries)
    url = Place(type_).kind_url(namespace="-", state=DEGRADED)
    summary = Pods(
        total=read.total,
        unwell=len(read.entries),
        groups=groups[:NAMED],
        more=max(0, len(groups) - NAMED),
        bounded=read.bounded,
        url=url,
    )
    deployments = client.find("apps", "v1", "deployments")
    not_ready = _groups(type_, read.late)[:NAMED]
    stuck = [Place(deployments, entry.namespace, entry.name) for entry in read.stuck[:NAMED]]
    places = [*(Place(type_, group.namespace, group.first) for group in (*summary.groups, *not_ready)), *stuck]
    troubles = [
        *(_trouble(group, ERROR) for group in summary.groups),
        *(_without_pods(place, entry) for place, entry in zip(stuck, read.stuck, strict=False)),
        *(_trouble(group, WARNING) for group in not_ready),
    ]
    return CardContent(
        found=summary,
        troubles=with_causes(client, troubles, {place.url(): place for place in places}),
        topics=live_topics.topics(client, type_, deployments),
        every=max(3000, read.total * 2),
    )


def _read(client: ClusterClient, type_: ResourceType) -> _Read:
    try:
        total, bounded = 0, False
        if not snapshots.has(client, type_, ""):
            counted = count(client, type_)
            total = counted.number or 0
            bounded = total > MANY or counted.more
        entries = snapshots.get(client, type_, "", fields=NOT_RUNNING if bounded else "").all()
    except KubeError as error:
        return _Read(error=error)
    unwell = tuple(entry for entry in entries if entry.health.state == DEGRADED)
    stuck = _stuck(client, unwell)
    late = tuple(
        entry for entry in entries if _is_late(entry) and not any(_made(deployment, entry) for deployment in stuck)
    )
    return _Read(entries=unwell, late=late, stuck=stuck, total=total if bounded else len(entries), bounded=bounded)


def _is_late(pod: ListEntry) -> bool:
    began = moment(pod.health.since)
    waits = pod.health.state == PROGRESSING and not pod.terminating
    return waits and began is not None and timezone.now() - began > _READY_WITHIN


def _made(deployment: ListEntry, pod: ListEntry) -> bool:
    """ReplicaSets are named after their Deployment."""
    by = pod.owner.name if pod.owner else ""
    return pod.namespace == deployment.namespace and by.startswith(f"{deployment.name}-")


def _stuck(client: ClusterClient, unwell: Iterable[ListEntry]) -> tuple[ListEntry, ...]:
    """Deployments that can't make a Pod, so that there is none to show; nothing where they can't be read or are
    many.
    """
    try:
        type_ = client.find("apps", "v1", "deployments")
        if not snapshots.has(client, type_, ""):
            counted = count(client, type_)
            if counted.more or (counted.number or 0) > MANY:
                return ()
        entries = snapshots.get(client, type_, "").all()
    except KubeError:
        return ()
    pods = list(unwell)
    return tuple(
        entry for entry in entries if entry.health.state == DEGRADED and not any(_made(entry, pod) for pod in pods)
    )


def _groups(type_: ResourceType, entries: Iterable[ListEntry]) -> tuple[PodGroup, ...]:
    """The newest first."""
    by: dict[tuple[str, str, str], list[ListEntry]] = {}
    for entry in sorted(entries, key=lambda entry: entry.created, reverse=True):
        owner = str(entry.owner or "")
        by.setdefault((entry.namespace, owner or entry.name, entry.health.reason), []).append(entry)
    return tuple(
        PodGroup(
            namespace=namespace,
            owner=str(members[0].owner or ""),
            reason=reason or members[0].health.label,
            first=members[0].name,
            number=len(members),
            url=Place(type_, namespace, members[0].name).url(),
        )
        for (namespace, _owner, reason), members in by.items()
    )


def _without_pods(place: Place, entry: ListEntry) -> CardProblem:
    what = _("Deployment %(name)s in %(namespace)s") % {"name": entry.name, "namespace": entry.namespace}
    reason = entry.health.reason or entry.health.label
    return CardProblem(level=ERROR, title=what, reason=reason, url=place.url(), act=_("Open"))


def _trouble(group: PodGroup, level: str) -> CardProblem:
    if group.number == 1:
        what = _("Pod %(name)s in %(namespace)s") % {"name": group.first, "namespace": group.namespace}
    else:
        words = ngettext(
            "%(number)d Pod of %(owner)s in %(namespace)s",
            "%(number)d Pods of %(owner)s in %(namespace)s",
            group.number,
        )
        what = words % {"number": group.number, "owner": group.owner, "namespace": group.namespace}
    return CardProblem(level=level, title=what, reason=group.reason, url=group.url, act=_("Open"))
