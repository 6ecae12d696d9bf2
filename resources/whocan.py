"""Who can do that?

As the cluster's roles and bindings say it: a table to read, not a decision. The API server decides, and may know other
authorizers.

Rules are matched as RBAC does: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-resources
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.objects import KubeObject, items, mapping, name_of, namespace_of, text
from resources.kinds.parts import Some, some

GROUP = "rbac.authorization.k8s.io"
VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")
_READ = 5000


@dataclass(frozen=True, slots=True)
class Question:
    """`resource` may have a subresource: pods/exec.

    `namespace` '' asks for all namespaces at once, and for what lives in none.
    """

    verb: str
    group: str
    resource: str
    namespace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """One subject that can.

    `names`: only objects of these names, () for all. `namespace`: where it holds, '' everywhere.
    """

    subject_kind: str
    subject: str
    subject_namespace: str
    role_kind: str
    role: str
    binding: str
    namespace: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """`gaps`: a sentence for each object that could not be read; subjects may be missing then."""

    ways: tuple[Way, ...]
    gaps: tuple[str, ...] = ()


def ask(client: ClusterClient, question: Question) -> Answer:
    """With the reader's own rights, in four or fewer questions to the API server."""
    space = question.namespace
    read = {
        "ClusterRole": some(client, GROUP, "ClusterRole", limit=_READ),
        "ClusterRoleBinding": some(client, GROUP, "ClusterRoleBinding", limit=_READ),
        **({"Role": some(client, GROUP, "Role", space, limit=_READ)} if space else {}),
        **({"RoleBinding": some(client, GROUP, "RoleBinding", space, limit=_READ)} if space else {}),
    }
    roles = {
        (kind, namespace_of(item), name_of(item)): found
        for kind in ("ClusterRole", "Role")
        for item in read.get(kind, Some()).items
        if (found := names_of(item, question)) is not None
    }
    bindings = (*read["ClusterRoleBinding"].items, *read.get("RoleBinding", Some()).items)
    ways = sorted(set(_ways(bindings, roles)), key=_order)
    return Answer(tuple(ways), tuple(_gaps(read)))


def names_of(role: Mapping[str, Any], question: Question) -> tuple[str, ...] | None:
    """() when a role allows it for every object, the names when only for those, None when it does not allow it."""
    named: list[str] = []
    for rule in items(role.get("rules")):
        if not _allows(rule, question):
            continue
        names = _texts(rule.get("resourceNames"))
        if not names:
            return ()
        named += names
    return tuple(dict.fromkeys(named)) or None


def _allows(rule: Mapping[str, Any], question: Question) -> bool:
    verbs, groups = _texts(rule.get("verbs")), _texts(rule.get("apiGroups"))
    if not {"*", question.verb} & set(verbs) or not {"*", question.group} & set(groups):
        return False
    _plural, slash, part = question.resource.partition("/")
    wanted = {"*", question.resource, f"*/{part}"} if slash else {"*", question.resource}
    return bool(wanted & set(_texts(rule.get("resources"))))


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(entry for entry in value if isinstance(entry, str)) if isinstance(value, list) else ()


def _ways(bindings: Iterable[KubeObject], roles: Mapping[tuple[str, str, str], tuple[str, ...]]) -> Iterator[Way]:
    for binding in bindings:
        ref, space = mapping(binding.get("roleRef")), namespace_of(binding)
        kind, name = text(ref.get("kind")), text(ref.get("name"))
        key = (kind, space if kind == "Role" else "", name)
        if key not in roles:
            continue
        for subject in items(binding.get("subjects")):
            where = text(subject.get("namespace")) if text(subject.get("kind")) == "ServiceAccount" else ""
            who = text(subject.get("name"))
            yield Way(
                subject_kind=text(subject.get("kind")),
                subject=who,
                subject_namespace=where,
                role_kind=kind,
                role=name,
                binding=name_of(binding),
                namespace=space,
                names=roles[key],
            )


def _order(way: Way) -> tuple[bool, int, str, str, str]:
    """People before the control plane's own accounts, users before groups before service accounts."""
    kinds = ("User", "Group", "ServiceAccount")
    place = kinds.index(way.subject_kind) if way.subject_kind in kinds else len(kinds)
    own = way.subject.startswith("system:") or way.subject_namespace == "kube-system"
    return own, place, way.subject_namespace, way.subject, way.binding


def _gaps(read: Mapping[str, Some]) -> Iterator[str]:
    for kind, found in read.items():
        if found.problem:
            yield _("Couldn't read %(kind)s objects: %(why)s") % {"kind": kind, "why": found.problem}
        elif found.more:
            yield _("There are more %(kind)s objects than the console reads, so this list can be incomplete.") % {
                "kind": kind
            }
