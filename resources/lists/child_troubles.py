"""Objects of a list in trouble because of what belongs to them: from the Pods and Deployments that fail upwards to
whom they belong.

Nothing is asked for instances whose Pods are well: the kept lists of Pods and Deployments say so. The rule itself is
resources/state/children.py.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from django.utils import timezone

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from kube.objects import TableRow
from kube.selectors import instance_marks, mark_of
from resources.lists.counts import count
from resources.lists.entries import ListEntry, Owner, entry_of, stateful
from resources.lists.snapshot import snapshots
from resources.state.children import TELLING, Trouble, combined, trouble
from resources.state.health import Health

#: Of more objects than these, only Pods are read whose phase is neither Running nor Succeeded, and no Deployments.
MANY = 5_000
NOT_RUNNING = "status.phase!=Running,status.phase!=Succeeded"
#: Owners that are looked up for one answer, and how far upwards.
_OWNERS, _DEPTH = 60, 6
_WORKLOADS = ("apps", "batch")
_Key = tuple[str, str, str, str]


@dataclass(slots=True)
class ChildTroubles:
    """`by_owner`: (group, kind, namespace, name) → what is in trouble below it; `tops`: what has no owner, by the
    labels that may name an instance.
    """

    by_owner: dict[_Key, list[Trouble]] = field(default_factory=dict)
    tops: list[tuple[str, dict[str, str], Trouble]] = field(default_factory=list)

    def troubles_of(self, type_: ResourceType, namespace: str, name: str) -> list[Trouble]:
        found = self.by_owner.get((type_.group, type_.kind, namespace, name), [])
        if type_.group in _WORKLOADS or not self.tops:
            return found
        marks = instance_marks(type_.group, name)
        marked = (trouble for place, labels, trouble in self.tops if place == namespace and mark_of(labels, marks))
        return [*found, *marked]

    def health(self, type_: ResourceType, namespace: str, name: str, own: Health) -> Health:
        return combined(own, self.troubles_of(type_, namespace, name))


def counts(type_: ResourceType) -> bool:
    """Whether objects of this kind can have Pods below them. What OLM itself says of its kinds stands."""
    if not stateful(type_) or type_.group.endswith(("operators.coreos.com", "operatorframework.io")):
        return False
    return type_.group in _WORKLOADS or "." in type_.group


def overlaid(
    client: ClusterClient, type_: ResourceType, namespace: str, entries: Iterable[ListEntry]
) -> list[ListEntry]:
    """The same entries, each with the state that it has with what belongs to it."""
    given = list(entries)
    if not given or not counts(type_):
        return given
    found = read_troubles(client, namespace)
    if not found.by_owner and not found.tops:
        return given
    return [replace(entry, health=found.health(type_, entry.namespace, entry.name, entry.health)) for entry in given]


def read_troubles(client: ClusterClient, namespace: str = "") -> ChildTroubles:
    """Of one namespace, '' for all. Kinds that the user can't read are left out: its own state counts then."""
    found, now = ChildTroubles(), timezone.now()
    owners = _Owners(client)
    for group, kind in TELLING:
        try:
            type_ = client.find_kind(group, kind, "")
            entries = _failing(client, type_, namespace)
        except KubeError:
            continue
        for entry in entries:
            if trouble := _trouble(type_, entry, now):
                _climb(found, owners, entry, trouble)
    return found


def _failing(client: ClusterClient, type_: ResourceType, namespace: str) -> list[ListEntry]:
    many = False
    if not snapshots.has(client, type_, namespace):
        counted = count(client, type_, namespace)
        many = counted.more or (counted.number or 0) > MANY
    if many and type_.group:
        return []
    return snapshots.get(client, type_, namespace, fields=NOT_RUNNING if many else "").all()


def _trouble(type_: ResourceType, entry: ListEntry, now: datetime) -> Trouble | None:
    return trouble((type_.group, type_.kind), entry.name, entry.health, entry.created, now)


def _climb(found: ChildTroubles, owners: "_Owners", entry: ListEntry, trouble: Trouble) -> None:
    """Notes the trouble for all that the entry belongs to."""
    owner, labels = entry.owner, dict(entry.labels)
    for _step in range(_DEPTH):
        if owner is None:
            found.tops.append((entry.namespace, labels, trouble))
            return
        group = owner.api_version.rpartition("/")[0]
        # An owner of the cluster's scope is looked for without a namespace.
        for place in dict.fromkeys((entry.namespace, "")):
            found.by_owner.setdefault((group, owner.kind, place, owner.name), []).append(trouble)
        above = owners.get(owner, entry.namespace)
        if above is None:
            return
        owner, labels = above.owner, dict(above.labels)


class _Owners:
    """Owners of owners, each read once, with a bound."""

    def __init__(self, client: ClusterClient) -> None:
        self._client = client
        self._known: dict[tuple[Owner, str], ListEntry | None] = {}

    def get(self, owner: Owner, namespace: str) -> ListEntry | None:
        """None for what can't be read, is gone, or is too much."""
        key = (owner, namespace)
        if key not in self._known:
            self._known[key] = self._read(owner, namespace) if len(self._known) < _OWNERS else None
        return self._known[key]

    def _read(self, owner: Owner, namespace: str) -> ListEntry | None:
        group, _slash, version = owner.api_version.rpartition("/")
        try:
            type_ = self._client.find_kind(group, owner.kind, version)
            obj = self._client.get(type_, owner.name, namespace if type_.namespaced else "")
        except KubeError:
            return None
        return entry_of(type_, TableRow((), obj))
