"""The permissions that an operator requests for its service accounts, in words, the dangerous ones first.

Pure, over a ClusterServiceVersion.

The rules of `spec.install.spec` are split into single resources, deduplicated and grouped again: a rule on Pods and
Secrets becomes a harmless and a dangerous right. `permissions` hold in the namespaces that the operator watches; OLM
makes cluster roles of them when it is installed for all.
https://olm.operatorframework.io/docs/advanced-tasks/operator-scoping-with-operatorgroups/
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any, NamedTuple

from kube import limits
from kube.reader import read
from kube.types.cluster import PolicyRule
from kube.types.olm import ClusterServiceVersionSpec
from operatorhub.csv import apis, strings
from resources import permissions
from resources.permissions import judge

CLUSTER, NAMESPACE = "cluster", "namespace"
# Display order of verbs.
VERBS = ("*", "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")
_RANK = {"critical": 0, "high": 1, "": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Right:
    """One sentence's worth: `verbs` on `resources` of `groups`, or on `urls`.

    `danger`: "critical", "high" or "". "*" means all of them.
    """

    scope: str
    service_account: str
    verbs: tuple[str, ...]
    groups: tuple[str, ...] = ()
    resources: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    danger: str = ""
    cause: str = ""

    @property
    def words(self) -> str:
        """The right as a sentence in the reader's language: “May read and write Secrets in every namespace”."""
        return permissions.sentence(
            scope=self.scope,
            verbs=self.verbs,
            groups=self.groups,
            resources=self.resources,
            names=self.names,
            urls=self.urls,
        )

    @property
    def why(self) -> str:
        """Why it is dangerous, '' when it is not."""
        return str(permissions.WHY.get(self.cause, ""))


@dataclass(frozen=True, slots=True)
class AccountRole:
    """The rules of one service account, as the CSV has them."""

    scope: str
    service_account: str
    rules: tuple[PolicyRule, ...]


class _Atom(NamedTuple):
    """The smallest unit of a permission. `name` and `url`: '' if it isn't limited to one."""

    scope: str
    account: str
    group: str
    resource: str
    name: str
    url: str


_Atoms = dict[_Atom, frozenset[str]]


def roles(spec: ClusterServiceVersionSpec) -> tuple[AccountRole, ...]:
    """Cluster-wide ones first; a service account may come more than once."""
    strategy = spec.install.spec
    return tuple(
        AccountRole(scope, permission.service_account_name or "default", permission.rules)
        for scope, granted in ((CLUSTER, strategy.cluster_permissions), (NAMESPACE, strategy.permissions))
        for permission in granted
    )


def asked(csv: Mapping[str, Any]) -> tuple[Right, ...]:
    """All rights that the operator's service accounts get, the most dangerous first.

    Empty when it asks for none, or the CSV is not known.
    """
    spec = read(csv.get("spec"), ClusterServiceVersionSpec)
    found = _atoms(roles(spec))
    return _rights(_beyond(found, found), _own(spec))


def level(rights: Iterable[Right]) -> str:
    """ "cluster-admin" when one of them is everything on everything everywhere, "elevated" when any is dangerous,
    else ''.
    """
    found = ""
    for right in rights:
        if right.scope == CLUSTER and right.cause == "everything":
            return "cluster-admin"
        found = found or ("elevated" if right.danger else "")
    return found


def diff(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[tuple[Right, ...], tuple[Right, ...]]:
    """(what only the new CSV may, what only the old one may).

    A right that a wider one includes is not missing; which account has it does not matter.
    """
    old_spec = read(old.get("spec"), ClusterServiceVersionSpec)
    new_spec = read(new.get("spec"), ClusterServiceVersionSpec)
    before, after = _atoms(roles(old_spec)), _atoms(roles(new_spec))
    own = _own(old_spec) | _own(new_spec)
    added, removed = _beyond(after, _of_anybody(before)), _beyond(before, _of_anybody(after))
    return _rights(_beyond(added, added), own), _rights(_beyond(removed, removed), own)


def _own(spec: ClusterServiceVersionSpec) -> frozenset[str]:
    return frozenset(api.group for api in apis(spec.customresourcedefinitions.owned))


def _atoms(every: Iterable[AccountRole]) -> _Atoms:
    """Every resource of every rule with all its verbs.

    A rule with too many combinations to read counts as everything, so that length hides nothing.
    """
    found: dict[_Atom, set[str]] = {}
    for role in every:
        for rule in role.rules:
            verbs = {verb.lower() for verb in strings(rule.verbs)}
            for url in strings(rule.non_resource_urls):
                found.setdefault(
                    _Atom(scope=role.scope, account=role.service_account, group="", resource="", name="", url=url),
                    set(),
                ).update(verbs)
            parts = (
                ("",) if rule.api_groups is None else tuple(dict.fromkeys(rule.api_groups)),
                strings(rule.resources),
                strings(rule.resource_names) or ("",),
            )
            if max(prod(map(len, parts)), len(found)) > limits.RULE_COMBINATIONS.value:
                parts, verbs = (("*",), ("*",), ("",)), {"*"}
            for group, resource, name in product(*parts):
                place = _Atom(
                    scope=role.scope,
                    account=role.service_account,
                    group=group,
                    resource=resource.lower(),
                    name=name,
                    url="",
                )
                found.setdefault(place, set()).update(verbs)
    return {place: frozenset({"*"}) if "*" in verbs else frozenset(verbs) for place, verbs in found.items() if verbs}


def _of_anybody(atoms: _Atoms) -> _Atoms:
    found: _Atoms = {}
    for place, verbs in atoms.items():
        anybody = place._replace(account="")
        found[anybody] = found.get(anybody, frozenset()) | verbs
    return found


def _beyond(atoms: _Atoms, other: _Atoms) -> _Atoms:
    """What of `atoms` nothing else in `other` allows."""
    left: _Atoms = {}
    for place, asks in atoms.items():
        verbs = asks
        for wide in _wider(place, other):
            allowed = other.get(wide, frozenset())
            if other is not atoms or wide != place:
                verbs = frozenset() if "*" in allowed else verbs - allowed
        if verbs:
            left[place] = verbs
    return left


def _wider(place: _Atom, other: _Atoms) -> Iterator[_Atom]:
    """The places in which a rule includes `place`, itself among them, of the same account and of none."""
    scopes = dict.fromkeys((place.scope, CLUSTER))
    if place.url:
        for scope, account in product(scopes, (place.account, "")):
            yield from (
                atom
                for atom in other
                if atom.url
                and (atom.scope, atom.account) == (scope, account)
                and (atom.url == place.url or (atom.url.endswith("*") and place.url.startswith(atom.url[:-1])))
            )
        return
    _, slash, part = place.resource.partition("/")
    resources = dict.fromkeys((place.resource, "*", f"*/{part}" if slash else "*"))
    for scope, account, group, resource, name in product(
        scopes, (place.account, ""), dict.fromkeys((place.group, "*")), resources, dict.fromkeys((place.name, ""))
    ):
        yield _Atom(scope=scope, account=account, group=group, resource=resource, name=name, url="")


def _rights(atoms: _Atoms, own: frozenset[str]) -> tuple[Right, ...]:
    """Atoms that share everything but one thing become one Right: first the names, then the resources, then the
    groups.
    """
    singles = []
    for place, verbs in atoms.items():
        if place.url:
            danger, cause = ("high", "urls") if place.url == "*" else ("", "")
        else:
            danger, cause = judge(
                scope=place.scope, group=place.group, resource=place.resource, verbs=verbs, name=place.name, own=own
            )
        ordered = tuple(sorted(verbs, key=lambda verb: (VERBS.index(verb) if verb in VERBS else len(VERBS), verb)))
        urls = (place.url,) if place.url else ()
        groups, resources = ((), ()) if urls else ((place.group,), (place.resource,))
        names = (place.name,) if place.name else ()
        singles.append(
            Right(
                scope=place.scope,
                service_account=place.account,
                verbs=ordered,
                groups=groups,
                resources=resources,
                names=names,
                urls=urls,
                danger=danger,
                cause=cause,
            )
        )
    for field in ("names", "resources", "groups", "urls"):
        singles = _joined(singles, field)
    singles.sort(
        key=lambda right: (
            _RANK[right.danger],
            right.scope,
            right.service_account,
            right.groups,
            right.resources,
            right.names,
        )
    )
    return tuple(singles)


def _joined(rights: Iterable[Right], field: str) -> list[Right]:
    together: dict[Right, list[str]] = {}
    for right in rights:
        value = getattr(right, field)
        # What is about no name at all stays apart from what is limited to some.
        together.setdefault(_with(right, field, ("",) if value else ()), []).extend(value)
    return [_with(key, field, tuple(sorted(set(values)))) for key, values in together.items()]


def _with(right: Right, field: str, values: tuple[str, ...]) -> Right:
    return replace(right, **{field: values})  # type: ignore[arg-type]
