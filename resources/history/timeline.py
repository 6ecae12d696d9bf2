"""The history as it is read: which objects of one name there were, what happened to each, the object as it was at any
moment, and what was deleted lately.

step_of(), recently_deleted() and Readable ask the API server what the user may read. lives(), page(), entry() and
versions() don't: their callers must have read the object or called check_can_read().

A namespace that was deleted and created again under the same name may have other owners, so only what belongs to its
present life is shown. The recorder stores the namespace's uid with each object. Where it is missing (older rows, a
namespace that could not be read) the times of creation decide: an object is never older than its namespace.
"""

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from console.web.access import can, denial
from kube.client import ClusterClient
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import KubeObject, moment, uid_of
from kube.reader import read
from kube.requests import FIELD_MANAGER
from kube.types.meta import Object
from resources.history import stored_object
from resources.models import Step, Traced, Write
from resources.place import Place
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

#: Clocks of the API server and of the worker differ by less than this.
_SLACK_SECONDS = 10.0


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
        obj = stored_object.apply_steps(obj, stored_object.unpacked(step.back))
        if -step.pk in left:
            found[-step.pk] = obj
        left -= found.keys()
        if not left:
            break
    return found


@dataclass(frozen=True, slots=True)
class NamespaceLife:
    """One of the namespaces that had a name, one after the other.

    `created`: None where it could not be read. `read_at`: by this machine's clock.
    """

    uid: str = ""
    created: datetime | None = None
    read_at: float = 0.0


class NamespaceUids:
    """Namespaces' uids for the recorder, each read again only for an object that may be younger than what is known."""

    def __init__(self, client: ClusterClient) -> None:
        self._client = client
        self._known: dict[str, NamespaceLife] = {}

    def uid_of(self, namespace: str, obj: Mapping[str, Any]) -> str:
        """The uid of the namespace in which `obj` is, '' where that isn't known."""
        created = moment(read(obj, Object).metadata.creation_timestamp)
        if not namespace or created is None:
            return ""
        life = self._known.get(namespace, NamespaceLife())
        if created.timestamp() > life.read_at - _SLACK_SECONDS:
            try:
                life = _namespace_life(self._client, namespace)
            except KubeError:
                life = NamespaceLife(read_at=time.time())
            self._known[namespace] = life
        # An object that was there before the namespace was made belongs to an earlier life of that name.
        return life.uid if life.created and life.created <= created else ""


@dataclass(frozen=True, slots=True)
class Lately:
    """An object that was deleted, as the list of all of them shows it.

    `place` None: its kind is not served any more.
    """

    traced: Traced
    place: Place | None
    by: str


def lives(client: ClusterClient, place: Place) -> tuple[Traced, ...]:
    """All objects of that name that are known, the newest first; of the namespace as it is now, not of an earlier
    one of that name.
    """
    type_ = place.type
    found = Traced.objects.filter(
        _of_present_life(client, place),
        cluster=client.name,
        group=type_.group,
        plural=type_.plural,
        namespace=place.namespace,
        name=place.name,
    )
    return tuple(found.defer("head").order_by("-began_at", "-pk")[:20])


def check_can_read(client: ClusterClient, place: Place) -> None:
    """Raises Forbidden (or another KubeError) unless the API server lets this user read the object.

    It may be gone: then it is asked whether they might.
    """
    try:
        place.get(client)
    except NotFound:
        access = client.review("get", place.type, place.namespace, place.name)
        if not access.allowed:
            raise Forbidden(access.reason or denial("get", place.type.qualified, place.namespace)) from None


def step_of(client: ClusterClient, place: Place, number: int) -> Step:
    """One step of an object of that name. Raises NotFound, and Forbidden if the user can't read the object."""
    check_can_read(client, place)
    shown = [traced.pk for traced in lives(client, place)]
    step = Step.objects.filter(pk=number, traced__in=shown).select_related("traced").first()
    if step is None:
        raise NotFound(_("This change to %(what)s is no longer stored.") % {"what": place.kubectl})
    return step


def recently_deleted(client: ClusterClient, namespace: str = "", limit: int = 100) -> tuple[Lately, ...]:
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
    candidates = list(rows[: limit * 5])
    readable = Readable(client, {traced.pk for traced in candidates})
    for traced in candidates:
        if place := readable.place(traced):
            found.append(Lately(traced, place, users.get(traced.uid, "")))
        if len(found) == limit:
            break
    return tuple(found)


class Readable:
    """Which of many Traced (their keys) a user may read: a question for each kind and namespace.

    What may be read of one name only is on that name's page.
    """

    def __init__(self, client: ClusterClient, keys: Collection[int]) -> None:
        self._client, self._keys = client, keys
        self._found: dict[tuple[str, str, str], tuple[Place | None, set[int]]] = {}
        self._namespaces: dict[str, Q] = {}

    def place(self, traced: Traced) -> Place | None:
        """The object's address; None if the user can't read it or its kind isn't served."""
        key = (traced.group, traced.plural, traced.namespace)
        if key not in self._found:
            self._found[key] = self._ask(traced)
        kind, keys = self._found[key]
        return replace(kind, name=traced.name) if kind and traced.pk in keys else None

    def _ask(self, traced: Traced) -> tuple[Place | None, set[int]]:
        place = served_place(self._client, traced)
        if place is None:
            return None, set()
        kind = replace(place, name="")
        try:
            if not can(self._client, "get", kind.type, kind.namespace).allowed:
                return None, set()
            if kind.namespace not in self._namespaces:
                self._namespaces[kind.namespace] = _of_present_life(self._client, kind)
        except KubeError:
            return None, set()
        rows = Traced.objects.filter(self._namespaces[kind.namespace], pk__in=self._keys)
        rows = rows.filter(group=traced.group, plural=traced.plural, namespace=traced.namespace)
        return kind, set(rows.values_list("pk", flat=True))


def served_place(client: ClusterClient, traced: Traced) -> Place | None:
    """Where it is, or was: in the version in which it was seen last, or the one that is served now."""
    for version in (traced.version, ""):
        try:
            return Place(client.find(traced.group, version, traced.plural), traced.namespace, traced.name)
        except KubeError:
            continue
    return None


def _of_present_life(client: ClusterClient, place: Place) -> Q:
    """Which Traced of that address may be shown: those of the namespace's present life; all, where the namespace is
    gone.
    """
    if place.name and place.type.plural == "namespaces" and not place.type.group:
        return _own_life(client, place)
    if not place.type.namespaced or not place.namespace:
        return Q()
    try:
        life = _namespace_life(client, place.namespace)
    except NotFound:
        return Q()
    except KubeError:
        return _own_life(client, place)
    return Q(namespace_uid=life.uid) | Q(namespace_uid="", began_at__gte=life.created)


def _own_life(client: ClusterClient, place: Place) -> Q:
    """Of this object alone, as long as there is one. Raises KubeError."""
    if not place.name:
        return Q(pk__in=())
    try:
        return Q(uid=uid_of(place.get(client)))
    except NotFound:
        return Q() if not place.type.namespaced else Q(pk__in=())


def _namespace_life(client: ClusterClient, namespace: str) -> NamespaceLife:
    """As it is now. Raises KubeError."""
    obj = client.get(client.find("", "v1", "namespaces"), namespace)
    return NamespaceLife(uid_of(obj), moment(read(obj, Object).metadata.creation_timestamp), time.time())
