"""The history as it is read: the lives of one object, what happened in each, and the object as it was at any moment.

Nothing here asks whether somebody may see it: views do, at the API server (allowed).
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import KubeObject, uid_of
from kube.requests import FIELD_MANAGER
from resources.health import Health
from resources.history import kept, kinds, steps, store
from resources.kind_health import health
from resources.models import Followed, Recorder, Step, Traced, Write
from resources.place import Place

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
class Field:
    """`before` and `after` are words, '' for what was not there."""

    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Entry:
    """One step. `who`: a manager's name; `user`: who did it through this console. `more`: changed fields that are not told."""

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
    fields: tuple[Field, ...]
    more: int
    leads_back: bool
    moved: bool = False  # the state word is another one than before it

    @property
    def revertible(self) -> bool:
        """Whether it changed anything that people write."""
        return self.leads_back and (self.spec or self.meta)


@dataclass(frozen=True, slots=True)
class Page:
    """Steps, newest first; `before`: the step after which the next page begins, 0 on the last one."""

    entries: tuple[Entry, ...]
    before: int = 0
    number: int = 0


def lives(client: ClusterClient, place: Place) -> tuple[Traced, ...]:
    """All objects of that name that are known, the newest first."""
    type_ = place.type
    found = Traced.objects.filter(
        cluster=client.name, group=type_.group, plural=type_.plural, namespace=place.namespace, name=place.name
    )
    return tuple(found.defer("head").order_by("-began_at", "-pk")[:20])


def life(client: ClusterClient, uid: str) -> Traced | None:
    return Traced.objects.filter(cluster=client.name, uid=uid).defer("head").first()


def allowed(client: ClusterClient, place: Place) -> None:
    """Raises Forbidden (or another KubeError) unless the API server lets this user read the object. It may be gone: then it is asked whether they might."""
    try:
        place.get(client)
    except NotFound:
        access = client.review("get", place.type, place.namespace, place.name)
        if not access.allowed:
            raise Forbidden(access.reason or _("You may not read %(what)s.") % {"what": place.kubectl}) from None


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
    users = _users(traced)
    entries = tuple(
        _entry(step, users, found[place + 1].state if place + 1 < len(found) else step.state)
        for place, step in enumerate(found[:limit])
    )
    return Page(entries, entries[-1].pk if len(found) > limit else 0, number)


def entry(step: Step) -> Entry:
    return _entry(step, _users(step.traced), step.state)


def step_of(client: ClusterClient, place: Place, number: int) -> Step:
    """One step of an object of that name. Raises NotFound, and Forbidden for who may not read the object."""
    allowed(client, place)
    type_ = place.type
    step = (
        Step.objects.filter(
            pk=number,
            traced__cluster=client.name,
            traced__group=type_.group,
            traced__plural=type_.plural,
            traced__namespace=place.namespace,
            traced__name=place.name,
        )
        .select_related("traced")
        .first()
    )
    if step is None:
        raise NotFound(_("This change of %(what)s is not kept any more.") % {"what": place.kubectl})
    return step


def _users(traced: Traced) -> dict[str, str]:
    """resourceVersion → who wrote it through the console; 'delete' → who deleted it."""
    rows = Write.objects.filter(cluster=traced.cluster, uid=traced.uid)
    return {version or verb: user for version, verb, user in rows.values_list("resource_version", "verb", "user")}


def _entry(step: Step, users: dict[str, str], state_before: str) -> Entry:
    user = users.get("delete" if step.event == Step.DELETED else step.resource_version, "")
    return Entry(
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
        health=Health(step.state, step.reason),
        fields=tuple(_field(one) for one in _list(step.fields)),
        more=max(0, step.changed - len(_list(step.fields))),
        leads_back=bool(step.back),
        moved=step.state != state_before,
    )


def _list(value: Any) -> list[Any]:
    return [one for one in value if isinstance(one, list) and len(one) == 3] if isinstance(value, list) else []


def _field(one: list[Any]) -> Field:
    path = str(one[0])
    if path.startswith("condition "):
        path = _("condition %(type)s") % {"type": path.removeprefix("condition ")}
    return Field(path, str(one[1]), str(one[2]))


def versions(traced: Traced, wanted: Iterable[int]) -> dict[int, KubeObject]:
    """The object as it was after each of these steps; -pk: before it. What can't be made any more is left out."""
    left = set(wanted)
    obj = kept.unpacked(Traced.objects.values_list("head", flat=True).get(pk=traced.pk))
    found: dict[int, KubeObject] = {}
    for step in traced.steps.order_by("-pk").iterator(chunk_size=50):
        if step.pk in left:
            found[step.pk] = obj
        if not step.back:
            if step.event in (Step.CREATED, Step.SEEN, Step.CHANGED):
                break
            continue
        obj = steps.apply(obj, kept.unpacked(step.back))
        if -step.pk in left:
            found[-step.pk] = obj
        left -= found.keys()
        if not left:
            break
    return found


@dataclass(frozen=True, slots=True)
class Recording:
    """Whether anything is written of this kind; `why` not, in words."""

    on: bool
    why: str = ""


def recording(client: ClusterClient, place: Place) -> Recording:
    """Off without words for kinds that have no history by setting."""
    if not kinds.may_be_recorded(place.type):
        return Recording(False)
    followed = Followed.objects.filter(cluster=client.name, type=place.type.qualified).first()
    if followed is not None and followed.too_many:
        words = _("There are %(number)d objects of this kind: for more than HISTORY_OBJECTS no history is kept.")
        return Recording(False, words % {"number": followed.too_many})
    lease = Recorder.objects.filter(cluster=client.name).first()
    if lease is None or lease.until < timezone.now():
        return Recording(False, _("Nothing is written down just now: no worker runs that keeps the history."))
    if lease.problem:
        return Recording(False, _("Nothing is written down just now: %(why)s") % {"why": lease.problem})
    return Recording(followed is not None)


def caught_up(client: ClusterClient, obj: KubeObject, seconds: float) -> None:
    """Waits for the worker to have written what `obj` already shows, so that a page made by a change has that change in it."""
    end = time.monotonic() + seconds
    mark = store.digest(kept.clean(obj), health(obj).state)
    while time.monotonic() < end:
        row = (
            Traced.objects.filter(cluster=client.name, uid=uid_of(obj))
            .only("head", "state", "resource_version")
            .first()
        )
        if row is not None:
            written = row.resource_version == store.version_of(obj)
            if written or store.digest(kept.unpacked(row.head), row.state) == mark:
                return
        time.sleep(0.05)


@dataclass(frozen=True, slots=True)
class Lately:
    """An object that was deleted, as the list of all of them shows it. `place` None: its kind is not served any more."""

    traced: Traced
    place: Place | None
    by: str


def deleted(client: ClusterClient, namespace: str = "", limit: int = 100) -> tuple[Lately, ...]:
    """What was deleted lately and may be read by this user, newest first."""
    rows = Traced.objects.filter(cluster=client.name).exclude(deleted_at=None).defer("head").order_by("-deleted_at")
    if namespace:
        rows = rows.filter(namespace=namespace)
    users = dict(
        Write.objects.filter(
            cluster=client.name, verb="delete", at__gt=timezone.now() - timedelta(days=30)
        ).values_list("uid", "user")
    )
    found: list[Lately] = []
    may: dict[tuple[str, str, str], bool] = {}
    for traced in rows[: limit * 5]:
        place = served(client, traced)
        if place is None:
            continue
        key = (traced.group, traced.plural, traced.namespace)
        if key not in may:
            may[key] = _may(client, place)
        if may[key]:
            found.append(Lately(traced, place, users.get(traced.uid, "")))
        if len(found) == limit:
            break
    return tuple(found)


def _may(client: ClusterClient, place: Place) -> bool:
    """Whether this user may read all of the kind there: what was of one name only is on that name's page."""
    try:
        return client.review("get", place.type, place.namespace).allowed
    except KubeError:
        return False


def served(client: ClusterClient, traced: Traced) -> Place | None:
    """Where it is, or was: in the version in which it was seen last, or the one that is served now."""
    for version in (traced.version, ""):
        try:
            return Place(client.find(traced.group, version, traced.plural), traced.namespace, traced.name)
        except KubeError:
            continue
    return None
