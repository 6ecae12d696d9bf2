"""Why an object is in its state: reads what may explain it, and shows the causes found on pages and in /api/.

Read are its tree, Events, owners, the claims that its Pods name, and the last lines of logs. What can't be read is left
out: then a rule says nothing. Shown are a cause's evidence as links, and a fix where the reader may do it.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from django.utils import timezone
from django.utils.translation import gettext as _

from console.web.access import can
from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject, name_of, namespace_of, uid_of
from kube.reader import read
from kube.types import core
from kube.types.meta import Object
from resources.acting import finalizers
from resources.causes.cause import Cause, CauseTarget, Fix, Link, Severity
from resources.causes.engine import explained_health, find_causes
from resources.causes.evidence import Event, Evidence, Item, evidence, pod_containers
from resources.causes.rules.stuck_finalizer import waiting_finalizers
from resources.causes.rules.unbound_claim import claims_of
from resources.lists import child_troubles
from resources.page import events
from resources.page.owned_rows import whole
from resources.place import Place
from resources.state.health import COMPLETED, READY, SUSPENDED, Health, condition_of
from resources.tree import Belongings, belongings
from resources.types import kind_versions
from resources.types.manager import DEFINITIONS, alongside

#: Pages of a kind, not of one object of it.
_KIND_VIEWS = ("list", "new", "new-values", "new-binding")
#: What a page's action needs.
_VERBS = {"edit": "patch", "rollback": "patch", "new": "create", "new-values": "create", "new-binding": "create"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownLink:
    """`label`: "Pod web-0", "Events", "Logs"."""

    label: str
    url: str
    view: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFix:
    label: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCause:
    """`about`: the object that has it, None where its kind isn't served. `raw`: the cluster's own text, '' where the
    sentence has all of it."""

    cause: Cause
    about: Place | None
    links: tuple[ShownLink, ...]
    fix: ShownFix | None
    raw: str

    @property
    def is_error(self) -> bool:
        return self.cause.severity == Severity.ERROR


def shown_causes(client: ClusterClient, place: Place, causes: Iterable[Cause]) -> tuple[ShownCause, ...]:
    """`place`: the object whose page it is, which needs no link to itself."""
    return tuple(
        ShownCause(
            cause=cause,
            about=_place(client, place, cause.about) if cause.about else None,
            links=tuple(_links(client, place, cause)),
            fix=_fix(client, place, cause.fix) if cause.fix else None,
            raw="" if " ".join(cause.raw.split()) in cause.sentence else cause.raw,
        )
        for cause in causes
    )


def _links(client: ClusterClient, page: Place, cause: Cause) -> Iterator[ShownLink]:
    for link in cause.links:
        place = _place(client, page, link.target)
        if place is None or (link.view == "detail" and place == page):
            continue
        label = {"events": _("Events"), "logs": _("Logs"), "finalizers": _("Finalizers")}.get(link.view)
        if label is None:
            label = f"{place.type.kind} {place.name}" if place.name else place.type.kinds
        yield ShownLink(label=label, url=_url(place, link), view=link.view, place=place)


def _url(place: Place, link: Link) -> str:
    if link.view == "events":
        return f"{place.url()}#events"
    if link.view == "list" or not place.name:
        return place.kind_url(**({"namespace": place.namespace} if place.namespace else {}))
    return place.url(link.view)


def _fix(client: ClusterClient, page: Place, fix: Fix) -> ShownFix | None:
    """None where the kind isn't served or the reader has no permission."""
    place = _place(client, page, fix.target)
    verb = _VERBS.get(fix.view)
    if place is None or (verb and not _may(client, verb, place)):
        return None
    query = {key: value for key, value in fix.query if value}
    if fix.view in _KIND_VIEWS:
        return ShownFix(label=fix.label, url=place.kind_url(fix.view, **query))
    return ShownFix(label=fix.label, url=place.url(fix.view, **query))


def _place(client: ClusterClient, page: Place, target: CauseTarget) -> Place | None:
    """In the version of the page, where it is of the same kind."""
    if (target.group, target.kind) == (page.type.group, page.type.kind):
        type_ = page.type
    else:
        try:
            type_ = client.find_kind(target.group, target.kind)
        except KubeError:
            return None
    return Place(type_, target.namespace if type_.namespaced else "", target.name)


def _may(client: ClusterClient, verb: str, place: Place) -> bool:
    if verb not in place.type.verbs:
        return False
    try:
        return can(client, verb, place.type, place.namespace, place.name if verb == "patch" else "").allowed
    except KubeError:
        return False


_WELL = (READY, COMPLETED, SUSPENDED, "")
_LOG_LINES, _LOG_BYTES = 5, 16 * 1024
_CLAIM = ("", "PersistentVolumeClaim")
#: Before the message of the last of many Events that differ in their message only.
#: https://github.com/kubernetes/client-go/blob/v0.33.0/tools/record/events_cache.go
_COMBINED = "(combined from similar events): "


def read_causes(client: ClusterClient, place: Place, obj: KubeObject, state: Health) -> list[Cause]:
    """Worst first. `state`: the object's state with what it owns; of what is well only its API version is looked at."""
    obj = whole(place.type, obj)
    deprecation = _deprecation(client, place.type)
    if state.state in _WELL:
        return find_causes(evidence(obj, deprecation=deprecation)) if deprecation else []
    found = _evidence(client, place, obj, belongings(client, place.type, obj), deprecation)
    causes = find_causes(found)
    if logs := _logs(client, found, causes):
        causes = find_causes(replace(found, logs=logs))
    return causes


def state_of(client: ClusterClient, place: Place, obj: KubeObject) -> Health:
    """The state that the object has with what belongs to it, as lists and the overview show it."""
    obj = whole(place.type, obj)
    own = explained_health(obj)
    if not child_troubles.counts(place.type):
        return own
    return child_troubles.read_troubles(client, place.namespace).health(place.type, place.namespace, place.name, own)


def _evidence(client: ClusterClient, place: Place, obj: KubeObject, owned: Belongings, deprecation: str) -> Evidence:
    below = [(row.depth, whole(row.type, row.object)) for row in owned.rows]
    pods = [
        item
        for item in (obj, *(item for _depth, item in below))
        if (item.get("kind"), item.get("apiVersion")) == ("Pod", "v1")
    ]
    known = {name_of(item) for _depth, item in below if item.get("kind") == "PersistentVolumeClaim"}
    below += [(0, claim) for claim in _claims(client, pods, known)]
    return evidence(
        obj,
        below,
        above=_owners(client, obj),
        events=_events(client, place, {uid_of(obj), *(uid_of(item) for _depth, item in below)}),
        now=timezone.now(),
        stopped_operator=_stopped_operator(client, place.type, obj),
        deprecation=deprecation,
    )


def _events(client: ClusterClient, place: Place, uids: set[str]) -> dict[str, tuple[Event, ...]]:
    """By the uid of their object, newest first."""
    own = f"involvedObject.uid={next(iter(uids))}" if len(uids) == 1 else ""
    try:
        read_events = events.read_events(client, place.namespace, own)
    except KubeError:
        return {}
    found: dict[str, tuple[Event, ...]] = {}
    for event in sorted(read_events, key=events.order, reverse=True):
        uid = event.involved_object.uid
        if uid in uids and len(found.get(uid, ())) < limits.CAUSE_EVENTS.value:
            found[uid] = (*found.get(uid, ()), _event(event))
    return found


def _event(event: core.Event) -> Event:
    return Event(
        reason=event.reason,
        message=event.message.removeprefix(_COMBINED),
        warning=event.type == "Warning",
        count=event.occurrences,
        seen=event.last_seen,
    )


def _claims(client: ClusterClient, pods: Iterable[KubeObject], known: set[str]) -> Iterator[KubeObject]:
    """Of Pods that have no node: the claims that they name and that nothing in the tree is. While the scheduler waits
    for a volume, a Pod has no condition PodScheduled.
    """
    named = [
        (pod.metadata.namespace, name)
        for pod in (read(obj, core.Pod) for obj in pods)
        if not pod.spec.node_name and not condition_of(pod.status.conditions, "PodScheduled", "True")
        for name in claims_of(pod.spec)
        if name not in known
    ]
    for namespace, name in list(dict.fromkeys(named))[: limits.CAUSE_REQUESTS.value]:
        try:
            type_ = client.find_kind(*_CLAIM)
            yield whole(type_, client.get(type_, name, namespace))
        except KubeError:
            continue


def _owners(client: ClusterClient, obj: KubeObject) -> list[KubeObject]:
    """Nearest first, as far as they can be read."""
    found: list[KubeObject] = []
    while len(found) < limits.CAUSE_REQUESTS.value:
        owner = read(found[-1] if found else obj, Object).metadata.controller
        if not owner.name:
            break
        group, _slash, version = owner.api_version.rpartition("/")
        try:
            type_ = client.find_kind(group, owner.kind, version)
            namespace = namespace_of(obj) if type_.namespaced else ""
            found.append(whole(type_, client.get(type_, owner.name, namespace)))
        except KubeError:
            break
    return found


def _logs(client: ClusterClient, found: Evidence, causes: Iterable[Cause]) -> dict[tuple[str, str], str]:
    """The last line of each container that ends again and again."""
    lines: dict[tuple[str, str], str] = {}
    named = [cause.about for cause in causes if cause.rule == "crash_loop"]
    for item in [item for item in found.items if item.is_pod and item.target in named][: limits.CAUSE_REQUESTS.value]:
        for container in pod_containers(item):
            if container.ended is None or container.is_running:
                continue
            try:
                log = client.log(
                    item.name, item.namespace, container=container.name, tail=_LOG_LINES, limit_bytes=_LOG_BYTES
                )
            except KubeError:
                break
            last = next((line for line in reversed(log.splitlines()) if line.strip()), "")
            if last:
                lines[item.uid, container.name] = last
            break
    return lines


def _deprecation(client: ClusterClient, type_: ResourceType) -> str:
    try:
        return kind_versions.deprecation(client, type_)
    except KubeError:
        return ""


def _stopped_operator(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> str:
    """The operator of an object that waits for a finalizer, where it is known and known not to run; '' else."""
    if not waiting_finalizers(Item(object=obj)):
        return ""
    if running := finalizers.controllers(client, type_):
        stopped = [controller.name for controller in running if not controller.is_running]
        return ", ".join(stopped) if len(stopped) == len(running) else ""
    try:
        definition = client.get(client.find(*DEFINITIONS), f"{type_.plural}.{type_.group}")
        versions = client.find("operators.coreos.com", "v1alpha1", "clusterserviceversions")
    except KubeError:
        return ""
    brought = alongside(definition)
    gone = all(_is_gone(client, versions, namespace, name) for namespace, name in brought)
    return brought[-1][1] if brought and gone else ""


def _is_gone(client: ClusterClient, type_: ResourceType, namespace: str, name: str) -> bool:
    try:
        client.get(type_, name, namespace)
    except NotFound:
        return True
    except KubeError:
        return False
    return False
