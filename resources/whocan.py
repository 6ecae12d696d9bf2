"""Who can do that?

As the cluster's roles and bindings say it: a table to read, not a decision. The API server decides, and may know other
authorizers.

Rules are matched as RBAC does: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-resources
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.objects import KubeObject
from kube.reader import read
from kube.types.cluster import PolicyRule, Role, RoleBinding
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
    lists = {
        "ClusterRole": some(client, GROUP, "ClusterRole", limit=_READ),
        "ClusterRoleBinding": some(client, GROUP, "ClusterRoleBinding", limit=_READ),
        **({"Role": some(client, GROUP, "Role", space, limit=_READ)} if space else {}),
        **({"RoleBinding": some(client, GROUP, "RoleBinding", space, limit=_READ)} if space else {}),
    }
    roles: dict[tuple[str, str, str], tuple[str, ...]] = {}
    for kind in ("ClusterRole", "Role"):
        for item in lists.get(kind, Some()).items:
            role = read(item, Role)
            names = names_of(role, question)
            if names is not None:
                roles[kind, role.metadata.namespace, role.metadata.name] = names
    bindings = (*lists["ClusterRoleBinding"].items, *lists.get("RoleBinding", Some()).items)
    ways = sorted(set(_ways(bindings, roles)), key=_order)
    return Answer(tuple(ways), tuple(_gaps(lists)))


def names_of(role: Role, question: Question) -> tuple[str, ...] | None:
    """() when a role allows it for every object, the names when only for those, None when it does not allow it."""
    named: list[str] = []
    for rule in role.rules:
        if not _allows(rule, question):
            continue
        if not rule.resource_names:
            return ()
        named += rule.resource_names
    return tuple(dict.fromkeys(named)) or None


def _allows(rule: PolicyRule, question: Question) -> bool:
    if not {"*", question.verb} & set(rule.verbs) or not {"*", question.group} & set(rule.api_groups or ()):
        return False
    _plural, slash, part = question.resource.partition("/")
    wanted = {"*", question.resource, f"*/{part}"} if slash else {"*", question.resource}
    return bool(wanted & set(rule.resources))


def _ways(objects: Iterable[KubeObject], roles: Mapping[tuple[str, str, str], tuple[str, ...]]) -> Iterator[Way]:
    for obj in objects:
        binding = read(obj, RoleBinding)
        ref, space = binding.role_ref, binding.metadata.namespace
        key = (ref.kind, space if ref.kind == "Role" else "", ref.name)
        if key not in roles:
            continue
        for subject in binding.subjects:
            yield Way(
                subject_kind=subject.kind,
                subject=subject.name,
                subject_namespace=subject.namespace if subject.kind == "ServiceAccount" else "",
                role_kind=ref.kind,
                role=ref.name,
                binding=binding.metadata.name,
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
