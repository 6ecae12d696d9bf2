"""The history as it is read: the lives of one object, what happened in each, and the object as it was at any moment.

No permission is checked here: views do that, at the API server (allowed).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.objects import KubeObject, uid_of
from kube.requests import FIELD_MANAGER
from resources.history import steps, stored_object
from resources.models import Step, Traced, Write
from resources.state.health import Health

SHOWN = 20
SPEC, STATUS = "spec", "status"
_WORDS = {
    "kubectl-edit": "kubectl edit",
    "kubectl-client-side-apply": "kubectl apply",
    "kubectl-last-applied": "kubectl apply",
    "kubectl-create": "kubectl create",
    "kubectl-patch": "kubectl patch",
    "kubectl-label": "kubectl label",
    "kubectl-annotate": "kubectl annotate",
    "kubectl-rollout": "kubectl rollout",
}


@dataclass(frozen=True, slots=True)
class TimelineField:
    """`before` and `after` are words, '' for what was not there."""

    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineEntry:
    """One step.

    `who`: a manager's name; `user`: who did it through this console. `more`: changed fields that are left out.
    """

    pk: int
    event: str
    at: datetime
    until: datetime
    count: int
    generation: int
    spec: bool
    meta: bool
    status: bool
    gap: bool
    who: str
    user: str
    health: Health
    fields: tuple[TimelineField, ...]
    more: int
    leads_back: bool
    moved: bool = False  # the state word is another one than before it
    by_person: bool = False  # through this console or by kubectl

    @property
    def revertible(self) -> bool:
        """Whether it changed anything that people write."""
        return self.leads_back and (self.spec or self.meta)


@dataclass(frozen=True, slots=True)
class Page:
    """Steps, newest first; `before`: the step after which the next page begins, 0 on the last one."""

    entries: tuple[TimelineEntry, ...]
    before: int = 0
    number: int = 0


def page(traced: Traced, show: str = "", before: int = 0, limit: int = SHOWN) -> Page:
    """`show`: SPEC for what people write, STATUS, '' for all."""
    rows = traced.steps.order_by("-pk")
    if show == SPEC:
        rows = rows.filter(Q(spec=True) | Q(meta=True) | ~Q(event=Step.CHANGED))
    elif show == STATUS:
        rows = rows.filter(status=True)
    number = rows.count()
    if before:
        rows = rows.filter(pk__lt=before)
    found = list(rows[: limit + 1])
    users = users_of(traced)
    entries = tuple(
        _entry(step, users, found[place + 1].state if place + 1 < len(found) else step.state)
        for place, step in enumerate(found[:limit])
    )
    return Page(entries, entries[-1].pk if len(found) > limit else 0, number)


def since(client: ClusterClient, obj: KubeObject, state: str) -> datetime | None:
    """Since when the object is in this state, without a break; None where that began before anything was written."""
    rows = Step.objects.filter(traced__cluster=client.name, traced__uid=uid_of(obj))
    if not state:
        return None
    other = rows.exclude(state=state).order_by("-pk").values_list("pk", flat=True).first()
    first = rows.filter(pk__gt=other or 0).order_by("pk").values_list("at", "event", "state").first()
    if first is None or first[2] != state or (other is None and first[1] != Step.CREATED):
        return None
    found: datetime = first[0]
    return found


def entry(step: Step, users: dict[str, str] | None = None) -> TimelineEntry:
    """`users`: as users_of() has them, where many steps are read."""
    return _entry(step, users_of(step.traced) if users is None else users, step.state)


def users_of(traced: Traced) -> dict[str, str]:
    """resourceVersion → who wrote it through the console; 'delete' → who deleted it."""
    rows = Write.objects.filter(cluster=traced.cluster, uid=traced.uid)
    return {version or verb: user for version, verb, user in rows.values_list("resource_version", "verb", "user")}


def _entry(step: Step, users: dict[str, str], state_before: str) -> TimelineEntry:
    user = users.get("delete" if step.event == Step.DELETED else step.resource_version, "")
    return TimelineEntry(
        pk=step.pk,
        event=step.event,
        at=step.at,
        until=step.until,
        count=step.count,
        generation=step.generation,
        spec=step.spec,
        meta=step.meta,
        status=step.status,
        gap=step.gap,
        who=_("this console") if step.manager == FIELD_MANAGER else _WORDS.get(step.manager, step.manager),
        user=user,
        health=Health(state=step.state, reason=step.reason),
        fields=tuple(_field(item) for item in _list(step.fields)),
        more=max(0, step.changed - len(_list(step.fields))),
        leads_back=bool(step.back),
        moved=step.state != state_before,
        by_person=bool(user) or step.manager == FIELD_MANAGER or step.manager.startswith("kubectl"),
    )


def _list(value: Any) -> list[Any]:
    return [entry for entry in value if isinstance(entry, list) and len(entry) == 3] if isinstance(value, list) else []


def _field(entry: list[Any]) -> TimelineField:
    path = str(entry[0])
    if path.startswith("condition "):
        path = _("condition %(type)s") % {"type": path.removeprefix("condition ")}
    return TimelineField(path, str(entry[1]), str(entry[2]))


def versions(traced: Traced, wanted: Iterable[int]) -> dict[int, KubeObject]:
    """The object as it was after each of these steps; -pk: before it. What can't be made any more is left out."""
    left = set(wanted)
    obj = stored_object.unpacked(Traced.objects.values_list("head", flat=True).get(pk=traced.pk))
    found: dict[int, KubeObject] = {}
    for step in traced.steps.order_by("-pk").iterator(chunk_size=50):
        if step.pk in left:
            found[step.pk] = obj
        if not step.back:
            if step.event in (Step.CREATED, Step.SEEN, Step.CHANGED):
                break
            continue
        obj = steps.apply(obj, stored_object.unpacked(step.back))
        if -step.pk in left:
            found[-step.pk] = obj
        left -= found.keys()
        if not left:
            break
    return found
