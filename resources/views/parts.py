"""The regions of an object's page that renew themselves, each made by a function of its own, and the object's summary
beside a list (`peek_part`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from django.conf import settings
from django.utils.translation import gettext as _

from console.web.access import can, denial
from kube.client import ClusterClient
from kube.errors import BadRequest, Forbidden, KubeError, NotFound
from kube.objects import KubeObject, name_of, namespace_of
from resources import live_topics, podlogs
from resources.acting.actions import Action, actions, leading_to
from resources.causes.cause import Severity
from resources.diagnosis import ShownCause, read_causes, shown_causes, state_of
from resources.forward.targets import ForwardTarget, Port, ports
from resources.forward.tunnels import tunnels
from resources.lists import child_troubles
from resources.page import events
from resources.page.detail import Detail
from resources.page.detail import detail as details_of
from resources.page.events import Events
from resources.page.owned_rows import Above, OwnedRow, Sum, chain, nodes, rows, summary
from resources.page.topology import Topology, topology
from resources.page.values import StatusValue
from resources.place import Place
from resources.podlogs import LogContainer, containers
from resources.state.health import DEGRADED, PROGRESSING, TERMINATING, UNKNOWN, Health
from resources.tree import Belongings, Owned, belongings
from resources.usage import NODES, PODS, Tile, Usages, allocatable, metrics_type, plural_of, readings, tiles

_UNSETTLED = (PROGRESSING, UNKNOWN, DEGRADED, TERMINATING)
#: Kinds whose changes may bring a cause, beside the object itself.
_CAUSE_KINDS = (("", "v1", "pods"), ("", "v1", "persistentvolumeclaims"), ("", "v1", "events"))


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
    """Why the object isn't well; directly under its title."""
    state = state_of(client, place, obj)
    causes = [cause for cause in read_causes(client, place, obj, state) if cause.severity != Severity.NOTE]
    shown = shown_causes(client, place, causes)
    topics = _cause_topics(client, place, state)
    return CausesPart(
        first=shown[0] if shown else None,
        others=shown[1:],
        reason=(state.reason or state.label) if state.state == DEGRADED and not shown else "",
        topics=" ".join(topics),
        names=place.name if len(topics) == 1 else "",
    )


def _cause_topics(client: ClusterClient, place: Place, state: Health) -> list[str]:
    """Without a namespace, Events are those of the namespace default, as the page's own region has them."""
    followed = (
        _CAUSE_KINDS if state.state in _UNSETTLED else _CAUSE_KINDS[:1] if child_troubles.counts(place.type) else ()
    )
    found = [live_topics.topics(client, place.type, namespace=place.namespace)]
    for kind in followed:
        try:
            type_ = client.find(*kind)
        except NotFound:
            continue
        if place.namespace or type_.plural == "events":
            found.append(live_topics.topics(client, type_, namespace=place.namespace or "default"))
    return list(dict.fromkeys(topic for topic in found if topic))


#: So many owned Services are asked for their ports.
MAX_SERVICES = 5


@dataclass(frozen=True, slots=True)
class OpenPart:
    """`url` is '' where no web page is known. `title`: where it leads; `external`: out of the console."""

    url: str = ""
    title: str = ""
    external: bool = False


def open_part(
    client: ClusterClient,
    place: Place,
    obj: KubeObject,
    status_values: Iterable[StatusValue],
    owned: Iterable[Owned] | None = None,
) -> OpenPart:
    """The button that opens the web page of what the object stands for: an address that its status names, or a
    Service's port through a port-forward.

    `status_values`: the status as the operator describes it; `owned`: the owned objects, where they are known.
    """
    address = next((value.text for value in status_values if value.look == "link"), "")
    if address:
        return OpenPart(address, address, external=True)
    is_service = place.type.kind == "Service" and not place.type.group
    if not place.namespace or not (is_service or podlogs.may_have_pods(place.type)):
        return OpenPart()
    try:
        services = iter((obj,)) if is_service else _owned_services(client, place, obj, owned)
        found = _web_port(services)
        type_ = client.find("", "v1", "pods")
        if found is None or not can(client, "create", type_, place.namespace, subresource="portforward").allowed:
            return OpenPart()
    except KubeError:
        return OpenPart()
    target, port = found
    title = _("Service %(name)s, port %(port)d, through a port-forward") % {"name": target.name, "port": port.number}
    tunnel = next(
        (tunnel for tunnel in tunnels(client) if tunnel.target == target and tunnel.remote == port.number), None
    )
    if tunnel:
        return OpenPart(tunnel.url if settings.LOCAL_ONLY else tunnel.proxied_url, title, external=True)
    return OpenPart(place.url("forward", target=target.key, remote=str(port.number)), title)


def _owned_services(
    client: ClusterClient, place: Place, obj: KubeObject, owned: Iterable[Owned] | None
) -> Iterator[KubeObject]:
    """Of owned Services only the metadata was read."""
    rows = belongings(client, place.type, obj).rows if owned is None else owned
    services = [row for row in rows if row.type.kind == "Service" and not row.type.group]
    for row in services[:MAX_SERVICES]:
        yield client.get(row.type, name_of(row.object), namespace_of(row.object))


def _web_port(services: Iterable[KubeObject]) -> tuple[ForwardTarget, Port] | None:
    """The first at a browser's usual port, as the form's own list has it first; else the first that may be a page."""
    other: tuple[ForwardTarget, Port] | None = None
    for service in services:
        target = ForwardTarget("Service", namespace_of(service), name_of(service))
        for port in ports({**service, "kind": "Service"}):
            if port.standard:
                return target, port
            if port.web and other is None:
                other = target, port
    return other


#: Kinds whose updates refresh the owned objects: they change while an operator works. Changes of other kinds come with
#: theirs.
_FOLLOWED_PLURALS = frozenset(
    ("deployments", "replicasets", "statefulsets", "daemonsets", "jobs", "pods", "persistentvolumeclaims", "services")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedPart:
    """`looks`: whether objects of this kind can own anything that is looked for; `more`: objects that are not shown;
    `chain`: the owners above; `names`: objects whose changes are news here, '' for all of the topics.
    """

    rows: tuple[OwnedRow, ...]
    sum: Sum
    found: Belongings
    more: int
    chain: tuple[Above, ...]
    topics: str
    names: str
    topology: Topology | None = None

    @property
    def looks(self) -> bool:
        return bool(self.found.types)


def owned_part(client: ClusterClient, place: Place, obj: KubeObject) -> OwnedPart:
    """The owners of the object, and the objects that it owns."""
    found = belongings(client, place.type, obj)
    top = nodes(found.rows)
    shown, more = rows(top)
    followed = [type_ for type_ in found.types if type_.plural in _FOLLOWED_PLURALS or type_.group == place.type.group]
    above = chain(client, obj)
    topics = [live_topics.topics(client, place.type, *followed, namespace=place.namespace)]
    topics += [
        live_topics.topics(client, owner.link.type, namespace=owner.link.namespace)
        for owner in above
        if owner.link.type
    ]
    names = "" if found.types else " ".join((place.name, *(owner.link.name for owner in above)))
    drawing = topology(top, place.type, obj)
    return OwnedPart(
        rows=shown,
        sum=summary(top),
        found=found,
        more=more,
        chain=above,
        topics=" ".join(dict.fromkeys(" ".join(topics).split())),
        names=names,
        topology=drawing,
    )


_PEEK_EVENTS, _PEEK_FACTS, _PEEK_LOG_LINES = 5, 4, 20


@dataclass(frozen=True, slots=True)
class PeekLog:
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
    log: PeekLog | None = None

    @property
    def first(self) -> tuple[Action, ...]:
        return leading_to(self.actions, self.place, "logs", "terminal", "forward", "edit")

    @property
    def facts(self) -> tuple[object, ...]:
        return tuple(islice(self.detail.facts, _PEEK_FACTS))


def peek_part(client: ClusterClient, place: Place, obj: KubeObject) -> PeekPart:
    """`?part=peek`, a column beside the list: state with its cause, owners, the newest events, a Pod's last log lines,
    and actions.

    Each is requested as the user: a refusal is shown in its place and doesn't affect the others. Raises KubeError if
    the object's details can't be read.
    """
    detail = replace(details_of(client, place.type, obj), health=state_of(client, place, obj))
    found = events.about_tree(client, place.type, obj)
    all_events = live_topics.topics(client, live_topics.EVENTS, namespace=place.namespace or "default")
    return PeekPart(
        place=place,
        topics=" ".join(filter(None, (live_topics.topics(client, place.type, namespace=place.namespace), all_events))),
        detail=detail,
        events=replace(found, rows=found.rows[:_PEEK_EVENTS], more=found.more + max(0, len(found.rows) - _PEEK_EVENTS)),
        actions=actions(client, place, obj),
        log=_peek_log(client, obj) if place.type.kind == "Pod" and not place.type.group else None,
    )


def _peek_log(client: ClusterClient, pod: KubeObject) -> PeekLog | None:
    """Of the container that is in trouble, else of the first."""
    all_ = containers(dict(pod))
    if not all_:
        return None
    chosen = max(all_, key=_log_rank)
    try:
        text = client.log(
            str(pod["metadata"]["name"]),
            namespace_of(pod),
            container=chosen.name,
            tail=_PEEK_LOG_LINES,
            previous=chosen.state == "waiting" and chosen.restarts > 0,
        )
    except (BadRequest, NotFound):
        # It waits to start.
        return PeekLog(chosen.name, problem=chosen.reason)
    except Forbidden:
        return PeekLog(chosen.name, problem=denial("get", "pods/log", namespace_of(pod)))
    except KubeError as error:
        return PeekLog(chosen.name, problem=str(error))
    return PeekLog(chosen.name, text)


def _log_rank(container: LogContainer) -> int:
    """The higher, the more its log is worth; the first of equals counts."""
    if container.kind != "container":
        return 1 if container.state != "terminated" else 0
    return 3 if container.state == "waiting" and container.restarts else 2


#: A point of the history is a minute.
_RENEWED_SECONDS = 60


@dataclass(frozen=True, slots=True)
class UsagePart:
    """`tiles`: CPU and memory, none where they aren't known."""

    tiles: tuple[Tile, ...] = ()
    renewed_every: int = _RENEWED_SECONDS * 1000


def usage_part(
    client: ClusterClient, place: Place, obj: KubeObject, owned: Iterable[Owned] | None = None
) -> UsagePart | None:
    """CPU and memory of the object's Pods, or of a node: now, and in the last hour. None where there is nothing to
    measure.

    `owned`: the owned objects, where they are known.
    """
    plural = plural_of(place.type) or (PODS if _has_pods(place) else "")
    if not plural or metrics_type(client, plural) is None:
        return None
    used = readings.ask(client, plural, place.namespace).now()
    if not used:
        return UsagePart()
    try:
        wanted = {place.name} if plural_of(place.type) else _pods_of(client, place, obj, owned)
    except KubeError:
        return UsagePart()
    found = _usages_of(used, place.namespace, wanted)
    if not found:
        return UsagePart()
    return UsagePart(tiles(client, plural, found, allocatable(obj) if plural == NODES else None))


def _has_pods(place: Place) -> bool:
    return bool(place.namespace) and podlogs.may_have_pods(place.type) and place.type.kind != "Service"


def _pods_of(client: ClusterClient, place: Place, obj: KubeObject, owned: Iterable[Owned] | None) -> set[str]:
    """Names in the object's own namespace."""
    if labels := podlogs.pods_selector(place.type, obj):
        type_ = client.find("", "v1", "pods")
        return {name_of(pod) for pod in client.list(type_, place.namespace, labels=labels).items}
    rows = belongings(client, place.type, obj).rows if owned is None else owned
    return {
        name_of(row.object)
        for row in rows
        if row.type.kind == "Pod" and not row.type.group and namespace_of(row.object) == place.namespace
    }


def _usages_of(found: Usages, namespace: str, names: set[str]) -> Usages:
    return {key: used for key, used in found.items() if key[0] == namespace and key[1] in names}
