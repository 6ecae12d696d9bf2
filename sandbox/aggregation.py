"""ClusterRoles that aggregate the rules of others by label: admin, edit, view, and those that operators add to them."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from dataclasses import dataclass, replace

import msgspec

from .cluster import Cluster
from .context import Context
from .controllers.workqueue import Workqueue
from .errors import ApiError
from .store import StoreChange, StoreEntry
from .stored_fields import replace_field

CLUSTER_ROLES = "clusterroles.rbac.authorization.k8s.io"
#: Seconds in which changes are collected after a quiet time, and between two passes.
_MOMENT, _BETWEEN = 0.02, 0.5
#: The pause after a pass in times of what it took, and at most (seconds): with many operators these roles are large.
_SHARE, _LONGEST = 20, 2.0
_AGGREGATES = b'"aggregationRule"'

Label = tuple[str, str]


async def run(cluster: Cluster, context: Context) -> None:
    """Keeps the rules of aggregating roles complete.

    An operator brings roles by the dozen: one pass answers all of a moment.
    """
    loop = asyncio.get_running_loop()
    next_pass = loop.time()
    aggregation = Aggregation(cluster)

    def reconcile(*_: str) -> None:
        nonlocal next_pass
        began = time.thread_time()
        aggregation.run()
        next_pass = loop.time() + min(max(_BETWEEN, _SHARE * (time.thread_time() - began)), _LONGEST)

    queue = Workqueue("roles", reconcile)
    try:
        async for change in cluster.changes(CLUSTER_ROLES):
            if aggregation.concerns(change):
                queue.add_after(max(_MOMENT, next_pass - loop.time()), "", "")
    finally:
        queue.close()


class _Metadata(msgspec.Struct):
    name: str
    labels: dict[str, str] | None = None


class _Selector(msgspec.Struct):
    matchLabels: dict[str, str] | None = None


class _Rule(msgspec.Struct):
    clusterRoleSelectors: list[_Selector] | None = None


class _ClusterRole(msgspec.Struct):
    metadata: _Metadata
    rules: list[msgspec.Raw] | None = None
    aggregationRule: _Rule | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Role:
    """What aggregation asks of a ClusterRole. ``rules`` are JSON as it is stored, in the order of the role."""

    name: str
    version: int
    labels: frozenset[Label]
    #: Labels of which one is enough, and sets of labels that must be there together.
    single: frozenset[Label]
    several: tuple[frozenset[Label], ...]
    rules: dict[bytes, bytes]

    @property
    def aggregates(self) -> bool:
        return bool(self.single or self.several)


def read_role(entry: StoreEntry) -> Role:
    """A ClusterRole as it is stored. Rules are keyed by their canonical text, those of an aggregating role by their
    own.
    """
    role = msgspec.json.decode(entry.data, type=_ClusterRole)
    selectors = (role.aggregationRule.clusterRoleSelectors if role.aggregationRule else None) or []
    wanted = [frozenset((selector.matchLabels or {}).items()) for selector in selectors]
    texts = [bytes(rule) for rule in role.rules or []]
    return Role(
        name=entry.name,
        version=entry.version,
        labels=frozenset(entry.labels.items()),
        single=frozenset(label for labels in wanted if len(labels) == 1 for label in labels),
        several=tuple(labels for labels in wanted if len(labels) > 1),
        rules={text if any(wanted) else _canonical(text): text for text in texts},
    )


def _canonical(rule: bytes) -> bytes:
    return msgspec.json.encode(msgspec.json.decode(rule), order="deterministic")


class Aggregation:
    """Knows each ClusterRole in its last version, so that a pass reads those only that have changed."""

    def __init__(self, cluster: Cluster):
        self._cluster = cluster
        self._roles: dict[str, Role] = {}
        self._written: dict[str, int] = {}
        self._wanted: frozenset[Label] = frozenset()

    def concerns(self, change: StoreChange) -> bool:
        """Whether a change can alter what a role aggregates; our own writes are complete."""
        if self._written.get(change.entry.name) == change.version:
            return False
        for entry in filter(None, (change.entry, change.previous)):
            if _AGGREGATES in entry.data or not self._wanted.isdisjoint(entry.labels.items()):
                return True
        return False

    def run(self) -> None:
        """One pass over all roles, those that aggregate from aggregating ones included."""
        roles = self._refreshed()
        aggregating = [role for role in roles if role.aggregates]
        self._wanted = frozenset().union(*(role.single.union(*role.several) for role in aggregating))
        members = _Members(roles)
        for role in aggregating:
            rules = members.rules(role)
            if list(rules.values()) != list(role.rules.values()):
                self._write(role, rules)

    def _refreshed(self) -> list[Role]:
        roles = []
        for entry in self._cluster.verbs.store.scan(CLUSTER_ROLES):
            known = self._roles.get(entry.name)
            roles.append(known if known is not None and known.version == entry.version else read_role(entry))
        self._roles = {role.name: role for role in roles}
        return roles

    def _write(self, role: Role, rules: dict[bytes, bytes]) -> None:
        text = b"[" + b",".join(rules.values()) + b"]" if rules else b"null"
        version = replace_field(self._cluster, CLUSTER_ROLES, role.name, "rules", text) if rules else None
        if version is None:
            try:
                whole = {**self._cluster.get(CLUSTER_ROLES, role.name), "rules": msgspec.json.decode(text)}
                version = int(self._cluster.update(CLUSTER_ROLES, whole)["metadata"]["resourceVersion"])
            except ApiError:
                return
        self._written[role.name] = version
        self._roles[role.name] = replace(role, version=version, rules=rules)


class _Members:
    """Which role aggregates which rules, in one pass."""

    def __init__(self, roles: list[Role]):
        self._roles = roles
        self._place = {role.name: place for place, role in enumerate(roles)}
        self._by_label: dict[Label, list[Role]] = defaultdict(list)
        for role in roles:
            for label in role.labels:
                self._by_label[label].append(role)
        #: By name; None while a role's rules are being collected.
        self._aggregated: dict[str, dict[bytes, bytes] | None] = {}

    def rules(self, role: Role) -> dict[bytes, bytes]:
        """A role's rules when aggregation is complete, by canonical text; the first of equal rules keeps its place."""
        if not role.aggregates:
            return role.rules
        if role.name not in self._aggregated:
            self._aggregated[role.name] = None
            found: dict[bytes, bytes] = {}
            for member in self._members_of(role):
                for key, text in self.rules(member).items():
                    found.setdefault(key, text)
            self._aggregated[role.name] = found
        aggregated = self._aggregated[role.name]
        if aggregated is None:  # a cycle: each role begins with what the other has now
            return {_canonical(text): text for text in role.rules.values()}
        return aggregated

    def _members_of(self, role: Role) -> list[Role]:
        """The roles that it aggregates from, in the store's order."""
        found = {other.name: other for label in role.single for other in self._by_label.get(label, ())}
        for labels in role.several:
            candidates = min((self._by_label.get(label, []) for label in labels), key=len)
            found |= {other.name: other for other in candidates if labels <= other.labels}
        found.pop(role.name, None)
        return sorted(found.values(), key=lambda other: self._place[other.name])
