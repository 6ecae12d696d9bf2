"""The overview's card of custom resources: instances by state, as a table and a ring, and the kinds that have some.

One request per kind without instances, a cached list per kind with some.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from console.overview import part
from console.overview.part import ERROR, WARNING, CardContent, CardProblem, with_causes
from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType, is_custom
from kube.errors import KubeError
from kube.objects import moment
from kube.reader import read
from kube.types.meta import Object
from resources import live_topics
from resources.lists.child_troubles import overlaid
from resources.lists.columns import STATES
from resources.lists.counts import count
from resources.lists.entries import ListEntry
from resources.lists.snapshot import snapshots
from resources.place import Place
from resources.state.health import DEGRADED, Health
from resources.types.manager import DEFINITIONS
from resources.types.types import kinds

#: What has not answered by then is waited for without holding up the card, in seconds.
WAIT = 2.5
_NAMED, _SHOWN = 5, 8
#: Objects of a kind that are being deleted and are looked at, and how long a deletion may take.
_HELD = 3
_HELD_AFTER = timedelta(minutes=1)
#: Topics that one card follows; of the other kinds the card's own clock brings the news.
_FOLLOWED = 25
# OLM's own kinds have cards of their own.
OLM = ("operators.coreos.com", "packages.operators.coreos.com", "olm.operatorframework.io")
#: The ring's length in the drawing; no arc is shorter than _MIN_ARC, so that one of a thousand is seen.
RING_LENGTH, _MIN_ARC, _GAP = 100.0, 2.0, 0.6


@dataclass(frozen=True, slots=True)
class Held:
    """An object whose deletion has waited for a finalizer for longer than that usually takes."""

    entry: ListEntry
    finalizer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KindCount:
    """One kind: `number` of its objects, None where `problem` says why; `states` by state word, '' for none; `worst`:
    the first that are degraded; `held`: some whose deletion doesn't end.
    """

    type: ResourceType
    number: int | None = 0
    states: tuple[tuple[str, int], ...] = ()
    worst: tuple[ListEntry, ...] = ()
    held: tuple[Held, ...] = ()
    problem: str = ""
    forbidden: bool = False

    def count_of(self, state: str) -> int:
        return dict(self.states).get(state, 0)

    @property
    def degraded(self) -> int:
        return self.count_of(DEGRADED)

    @property
    def url(self) -> str:
        """Its list; of those that are degraded where there are some."""
        return Place(self.type).kind_url(
            **({"namespace": "-"} if self.type.namespaced else {}), **({"state": DEGRADED} if self.degraded else {})
        )


@dataclass(frozen=True, slots=True)
class Share:
    """How many instances are in a state; `of`: the kinds with such, most first, as many as a line holds."""

    health: Health
    number: int
    of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Arc:
    """`length` of RING_LENGTH, beginning `offset` behind twelve o'clock. `colour`: of the state, as labels have it."""

    colour: str
    label: str
    number: int
    length: float
    offset: float

    @property
    def dash(self) -> str:
        """For stroke-dasharray: the arc, and the rest of the ring."""
        return f"{self.length:.2f} {RING_LENGTH - self.length:.2f}"

    @property
    def begin(self) -> str:
        """For stroke-dashoffset, which counts backwards."""
        return f"{-self.offset:.2f}"


@dataclass(frozen=True, slots=True)
class Donut:
    """The states as a ring, in SVG: a picture of the table beside it. In the order of the shares; no arcs without
    instances.
    """

    arcs: tuple[Arc, ...] = ()

    @property
    def words(self) -> str:
        return ", ".join(f"{arc.label} {arc.number:,}" for arc in self.arcs)


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceSummary:
    """`kinds`: the shown ones, with instances, those with problems first; `more`: how many others have instances.

    `served`: the number of custom kinds.
    """

    total: int
    shares: tuple[Share, ...]
    donut: Donut
    kinds: tuple[KindCount, ...]
    more: int
    served: int


def collect(client: ClusterClient) -> CardContent:
    """Counts instances by state. Raises KubeError if discovery fails."""
    types = custom(client)
    found, late = asked(client, types, WAIT)
    there = sorted(
        (kind for kind in found if kind.number), key=lambda kind: (-kind.degraded, -(kind.number or 0), kind.type.kind)
    )
    shares = _shares(there)
    summary = InstanceSummary(
        total=sum(kind.number or 0 for kind in there),
        shares=shares,
        donut=donut((share.health.colour, share.number, share.health.label) for share in shares),
        kinds=tuple(there[:_SHOWN]),
        more=max(0, len(there) - _SHOWN),
        served=len(types),
    )
    topics = live_topics.topics(client, *(kind.type for kind in there[:_FOLLOWED]), DEFINITIONS)
    # Three hundred kinds are three hundred requests: the more kinds, the longer the interval.
    return CardContent(
        found=summary,
        troubles=with_causes(client, _troubles(there), _places(there)),
        topics=topics,
        every=max(3000, 100 * len(types)),
        pending=tuple(type_.kinds for type_ in late),
        gaps=_gaps(found),
    )


def custom(client: ClusterClient) -> tuple[ResourceType, ...]:
    """The kinds that operators brought, each once."""
    return tuple(
        kind.type for kind in kinds(client.types()) if is_custom(kind.type.group) and kind.type.group not in OLM
    )


def asked(
    client: ClusterClient, types: Iterable[ResourceType], seconds: float
) -> tuple[list[KindCount], tuple[ResourceType, ...]]:
    """(the kinds that answered in time, those that did not yet)."""
    found, late = part.run_within(client, "kind", {type_: partial(_ask, client, type_) for type_ in types}, seconds)
    return list(found.values()), late


def _ask(client: ClusterClient, type_: ResourceType) -> KindCount:
    try:
        if not snapshots.has(client, type_, ""):
            number = count(client, type_)
            if number.number is None:
                return KindCount(type=type_, number=None, problem=number.problem, forbidden=number.forbidden)
            if not number.number or number.number > limits.OVERVIEW_OBJECTS.value:
                return KindCount(type=type_, number=number.number)
        entries = overlaid(client, type_, "", snapshots.get(client, type_, "").all())
    except KubeError as error:
        return KindCount(type=type_, number=None, problem=str(error), forbidden=error.code == 403)
    states = Counter(entry.health.state for entry in entries)
    worst = sorted(
        (entry for entry in entries if entry.health.state == DEGRADED), key=lambda entry: entry.created, reverse=True
    )
    held = _held(client, type_, [entry for entry in entries if entry.terminating])
    return KindCount(
        type=type_, number=len(entries), states=tuple(states.items()), worst=tuple(worst[:_NAMED]), held=held
    )


def _held(client: ClusterClient, type_: ResourceType, terminating: Iterable[ListEntry]) -> tuple[Held, ...]:
    """Of the first few; entries of lists don't have the finalizers, so each is read."""
    found = []
    for entry in list(terminating)[:_HELD]:
        try:
            obj = client.get(type_, entry.name, entry.namespace)
        except KubeError:
            continue
        metadata = read(obj, Object).metadata
        began = moment(metadata.deletion_timestamp)
        if began and metadata.finalizers and timezone.now() - began > _HELD_AFTER:
            found.append(Held(entry, metadata.finalizers[0]))
    return tuple(found)


def _shares(there: Iterable[KindCount]) -> tuple[Share, ...]:
    """Those with problems first; those without a state, or not read, last."""
    totals: Counter[str] = Counter()
    by_state: dict[str, list[tuple[int, str]]] = {}
    for kind in there:
        numbers = dict(kind.states) or {"": kind.number or 0}
        for state, number in numbers.items():
            totals[state] += number
            by_state.setdefault(state, []).append((-number, kind.type.kind))
    order = [*STATES, *(state for state in totals if state and state not in STATES), ""]
    return tuple(
        Share(Health(state=state), totals[state], tuple(kind for _number, kind in sorted(by_state[state])[:3]))
        for state in dict.fromkeys(order)
        if totals[state]
    )


def donut(shares: Iterable[tuple[str, int, str]]) -> Donut:
    """`shares`: (colour, number, label)."""
    given = [share for share in shares if share[1] > 0]
    total = sum(number for _colour, number, _label in given)
    gap = _GAP if len(given) > 1 else 0.0
    room = RING_LENGTH - gap * len(given)
    wide = [max(_MIN_ARC, room * number / total) for _colour, number, _label in given]
    arcs, offset = [], 0.0
    for (colour, number, label), width in zip(given, wide, strict=True):
        length = width * room / sum(wide)
        arcs.append(Arc(colour=colour, label=label, number=number, length=length, offset=offset))
        offset += length + gap
    return Donut(tuple(arcs))


def _troubles(there: Iterable[KindCount]) -> tuple[CardProblem, ...]:
    found = []
    for kind in there:
        for entry in kind.worst:
            url = Place(kind.type, entry.namespace, entry.name).url()
            found.append(
                CardProblem(
                    level=ERROR,
                    title=_where(kind, entry),
                    reason=entry.health.reason or entry.health.label,
                    url=url,
                    act=_("Open"),
                )
            )
        for held in kind.held:
            words = _("Deletion waits for finalizer %(finalizer)s.") % {"finalizer": held.finalizer}
            url = Place(kind.type, held.entry.namespace, held.entry.name).url("finalizers")
            found.append(
                CardProblem(
                    level=WARNING, title=_where(kind, held.entry), reason=words, url=url, act=_("Check finalizers")
                )
            )
        if more := kind.degraded - len(kind.worst):
            words = ngettext("%(number)d more is degraded.", "%(number)d more are degraded.", more) % {"number": more}
            found.append(
                CardProblem(level=ERROR, title=kind.type.kinds, reason=words, url=kind.url, act=_("Open the list"))
            )
    return tuple(found)


def _places(there: Iterable[KindCount]) -> dict[str, Place]:
    places = [Place(kind.type, entry.namespace, entry.name) for kind in there for entry in kind.worst]
    return {place.url(): place for place in places}


def _where(kind: KindCount, entry: ListEntry) -> str:
    what = f"{kind.type.kind} {entry.name}"
    return _("%(what)s in %(namespace)s") % {"what": what, "namespace": entry.namespace} if entry.namespace else what


def _gaps(found: Iterable[KindCount]) -> tuple[str, ...]:
    refused = [kind.type.kind for kind in found if kind.forbidden]
    failed = [kind for kind in found if kind.problem and not kind.forbidden]
    gaps = [f"{kind.type.kind}: {kind.problem}" for kind in failed[:3]]
    if refused:
        names = ", ".join(sorted(refused)[:5]) + (" …" if len(refused) > 5 else "")
        gaps.append(_("You don't have permission to list: %(kinds)s") % {"kinds": names})
    return tuple(gaps)
