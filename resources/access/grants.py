"""Who has access to a namespace, by which bindings. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from kube.objects import KubeObject, name_of, namespace_of
from resources.state.health import items, mapping, text

USER, GROUP, ACCOUNT = "User", "Group", "ServiceAccount"
KINDS = (USER, GROUP, ACCOUNT)
#: The roles that every cluster has, each with what the one before it allows; any other role is custom.
LEVELS = ("view", "edit", "admin")
CUSTOM = "custom"
_ACCOUNT_PREFIX = "system:serviceaccount:"


@dataclass(frozen=True, slots=True, order=True)
class Subject:
    """A user, a group or a service account; `namespace`: of a service account."""

    kind: str
    name: str
    namespace: str = ""

    @property
    def user_name(self) -> str:
        """What the API server calls it; '' for a group."""
        if self.kind == ACCOUNT:
            return f"{_ACCOUNT_PREFIX}{self.namespace}:{self.name}"
        return "" if self.kind == GROUP else self.name

    @property
    def label(self) -> str:
        return f"{self.namespace}/{self.name}" if self.kind == ACCOUNT else self.name

    @property
    def is_system(self) -> bool:
        """Whether it belongs to the control plane."""
        return self.name.startswith("system:") or self.namespace == "kube-system"


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleGrant:
    """A role by a binding. `everywhere`: a ClusterRoleBinding gives it. `since`: RFC 3339, of the binding."""

    binding: str
    role_kind: str
    role: str
    level: str
    since: str
    everywhere: bool = False

    @property
    def is_named_after_level(self) -> bool:
        return self.role == self.level


@dataclass(frozen=True, slots=True)
class Member:
    subject: Subject
    grants: tuple[RoleGrant, ...]

    @property
    def marks(self) -> tuple[tuple[str, str], ...]:
        """(level, "granted", "included" or "") of each column; included: in a higher role that is granted."""
        granted = {grant.level for grant in self.grants}
        highest = max((LEVELS.index(level) for level in granted & set(LEVELS)), default=-1)
        marks = []
        for number, level in enumerate(LEVELS):
            marks.append((level, "granted" if level in granted else "included" if number < highest else ""))
        return (*marks, (CUSTOM, "granted" if CUSTOM in granted else ""))

    @property
    def is_system(self) -> bool:
        """Of the control plane, with nothing that was given in the namespace itself."""
        return self.subject.is_system and all(grant.everywhere for grant in self.grants)


def level_of(role_kind: str, role: str) -> str:
    """cluster-admin allows what admin does, and everything else. A Role is custom, whatever its name."""
    if role_kind != "ClusterRole":
        return CUSTOM
    if role == "cluster-admin":
        return "admin"
    return role if role in LEVELS else CUSTOM


def subject_of(subject: Mapping[str, Any], namespace: str) -> Subject:
    """`namespace`: of the binding, where a service account has none. Its name as a user is the account, too."""
    kind, name = text(subject.get("kind")), text(subject.get("name"))
    if kind == USER and name.startswith(_ACCOUNT_PREFIX):
        home, colon, account = name.removeprefix(_ACCOUNT_PREFIX).partition(":")
        if home and colon and account:
            return Subject(ACCOUNT, account, home)
    return Subject(kind, name, (text(subject.get("namespace")) or namespace) if kind == ACCOUNT else "")


def members(bindings: Iterable[KubeObject]) -> tuple[Member, ...]:
    """People, groups, service accounts, each by name; roles of the namespace before those of all namespaces."""
    grants: dict[Subject, list[RoleGrant]] = {}
    for binding in bindings:
        grant = _grant(binding)
        subjects = (subject_of(subject, namespace_of(binding)) for subject in items(binding.get("subjects")))
        for subject in dict.fromkeys(subjects):
            if subject.kind in KINDS and subject.name:
                grants.setdefault(subject, []).append(grant)
    found = (Member(subject, tuple(sorted(given, key=_grant_order))) for subject, given in grants.items())
    return tuple(sorted(found, key=_member_order))


def without(binding: KubeObject, subject: Subject) -> list[Mapping[str, Any]]:
    """The binding's subjects but this one."""
    namespace = namespace_of(binding)
    return [found for found in items(binding.get("subjects")) if subject_of(found, namespace) != subject]


def _grant(binding: KubeObject) -> RoleGrant:
    ref = mapping(binding.get("roleRef"))
    kind, role = text(ref.get("kind")), text(ref.get("name"))
    since = text(mapping(binding.get("metadata")).get("creationTimestamp"))
    return RoleGrant(
        binding=name_of(binding),
        role_kind=kind,
        role=role,
        level=level_of(kind, role),
        since=since,
        everywhere=not namespace_of(binding),
    )


def _grant_order(grant: RoleGrant) -> tuple[bool, int, str, str]:
    levels = (CUSTOM, *LEVELS)
    return grant.everywhere, -levels.index(grant.level), grant.role, grant.binding


def _member_order(member: Member) -> tuple[int, bool, str, str]:
    subject = member.subject
    return KINDS.index(subject.kind), subject.is_system, subject.name.casefold(), subject.namespace
