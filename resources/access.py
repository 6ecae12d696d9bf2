"""Access to a namespace: who has it, by which bindings, what a role allows, and the form that grants it.

What a role allows is stated in a few plain sentences. The bindings of a namespace, and roles, are read as far as this
user can read them; the rest is pure.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from console.reach.discovery import is_name
from console.web.access import binding_name, request_text
from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Forbidden, KubeError
from kube.kubectl import Command, CommandArgument, Commands
from kube.objects import KubeObject, items, namespace_of
from kube.reader import read
from kube.types.cluster import Role, RoleBinding
from kube.types.cluster import Subject as BoundSubject
from resources import permissions
from resources.whocan import Question, names_of
from resources.writing import bindings as rbac

USER, GROUP, ACCOUNT = "User", "Group", "ServiceAccount"
KINDS = (USER, GROUP, ACCOUNT)
#: The roles that every cluster has, each with what the one before it allows; any other role is custom.
LEVEL_LABELS = {"view": gettext_lazy("View"), "edit": gettext_lazy("Edit"), "admin": gettext_lazy("Admin")}
LEVELS = tuple(LEVEL_LABELS)
CUSTOM = "custom"
_ACCOUNT_PREFIX = "system:serviceaccount:"
#: Groups of Kubernetes itself end so, or have no dot.
_BUILT_IN = (".k8s.io",)
_MAX_RULES = 300
_MAX_KINDS = 3


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


def subject_of(bound: BoundSubject, namespace: str) -> Subject:
    """`namespace`: of the binding, where a service account has none. Its name as a user is the account, too."""
    if bound.kind == USER and bound.name.startswith(_ACCOUNT_PREFIX):
        home, colon, account = bound.name.removeprefix(_ACCOUNT_PREFIX).partition(":")
        if home and colon and account:
            return Subject(ACCOUNT, account, home)
    return Subject(bound.kind, bound.name, (bound.namespace or namespace) if bound.kind == ACCOUNT else "")


def members(objects: Iterable[KubeObject]) -> tuple[Member, ...]:
    """Of bindings. People, groups, service accounts, each by name; roles of the namespace before those of all
    namespaces.
    """
    grants: dict[Subject, list[RoleGrant]] = {}
    for obj in objects:
        binding = read(obj, RoleBinding)
        grant = _grant(binding)
        subjects = (subject_of(subject, binding.metadata.namespace) for subject in binding.subjects)
        for subject in dict.fromkeys(subjects):
            if subject.kind in KINDS and subject.name:
                grants.setdefault(subject, []).append(grant)
    found = (Member(subject, tuple(sorted(given, key=_grant_order))) for subject, given in grants.items())
    return tuple(sorted(found, key=_member_order))


def without(binding: KubeObject, subject: Subject) -> list[Mapping[str, Any]]:
    """The binding's subjects but this one, as they are, to be sent back."""
    namespace, found = namespace_of(binding), items(binding.get("subjects"))
    return [entry for entry in found if subject_of(read(entry, BoundSubject), namespace) != subject]


def _grant(binding: RoleBinding) -> RoleGrant:
    ref, meta = binding.role_ref, binding.metadata
    return RoleGrant(
        binding=meta.name,
        role_kind=ref.kind,
        role=ref.name,
        level=level_of(ref.kind, ref.name),
        since=meta.creation_timestamp,
        everywhere=not meta.namespace,
    )


def _grant_order(grant: RoleGrant) -> tuple[bool, int, str, str]:
    levels = (CUSTOM, *LEVELS)
    return grant.everywhere, -levels.index(grant.level), grant.role, grant.binding


def _member_order(member: Member) -> tuple[int, bool, str, str]:
    subject = member.subject
    return KINDS.index(subject.kind), subject.is_system, subject.name.casefold(), subject.namespace


def role_sentences(obj: KubeObject) -> tuple[str, ...]:
    """What the role allows, read from its rules; empty where it has none."""
    role = read(obj, Role)
    found = tuple(_usual_sentences(role))
    return found or tuple(_rule_sentences(role))


def level_sentences(level: str) -> tuple[str, ...]:
    """The same of view, edit and admin as every cluster has them, for users who can't read ClusterRoles."""
    if level == "view":
        return _("See workloads and settings. Secrets stay hidden."), _("Read logs.")
    words = (
        _("Create, change, and delete workloads."),
        _("Read logs."),
        _("Open terminals."),
        _("Read Secrets."),
    )
    return (*words, _("Give others access.")) if level == "admin" else words


def _usual_sentences(role: Role) -> Iterator[str]:
    def allows(verb: str, group: str, resource: str) -> bool:
        return names_of(role, Question(verb, group, resource)) == ()

    sees, secrets = allows("get", "", "pods"), allows("get", "", "secrets")
    if allows("create", "apps", "deployments") and allows("delete", "apps", "deployments"):
        yield _("Create, change, and delete workloads.")
    elif sees and not secrets:
        yield _("See workloads and settings. Secrets stay hidden.")
    elif sees:
        yield _("See workloads and settings.")
    yield from _operator_kinds(role)
    if allows("get", "", "pods/log"):
        yield _("Read logs.")
    if allows("create", "", "pods/exec"):
        yield _("Open terminals.")
    if secrets:
        yield _("Read Secrets.")
    if allows("create", "rbac.authorization.k8s.io", "rolebindings"):
        yield _("Give others access.")


def _operator_kinds(role: Role) -> Iterator[str]:
    """What operators' kinds the role reaches: those that can be created, else those that can be read."""
    created, read = dict[str, None](), dict[str, None]()
    for rule in role.rules[:_MAX_RULES]:
        groups = [group for group in rule.api_groups or () if "." in group and not group.endswith(_BUILT_IN)]
        if not groups:
            continue
        kinds = [
            permissions.NAMES.get((groups[0], kind), kind) for kind in rule.resources if "/" not in kind and kind != "*"
        ]
        verbs = set(rule.verbs)
        into = created if verbs & {"create", "*"} else read if verbs & {"get", "list"} else None
        if into is not None:
            into.update(dict.fromkeys(kinds or groups))
    if created:
        yield _("Create and change %(kinds)s.") % {"kinds": _listed(list(created))}
    elif read:
        yield _("See %(kinds)s.") % {"kinds": _listed(list(read))}


def _rule_sentences(role: Role) -> Iterator[str]:
    """Of a role that does none of the usual: its first rules as they are."""
    for rule in role.rules[:_MAX_KINDS]:
        words = permissions.permission_words(
            rule.verbs, rule.api_groups or (), rule.resources, rule.resource_names, rule.non_resource_urls
        )
        yield words[:1].upper() + words[1:] + "."


def _listed(kinds: list[str]) -> str:
    shown = ", ".join(kinds[:_MAX_KINDS])
    more = len(kinds) - _MAX_KINDS
    return _("%(shown)s and %(number)d more") % {"shown": shown, "number": more} if more > 0 else shown


#: What the form's choice of a role may be beside view, edit and admin: by which kind's name the role is typed.
OTHER_ROLES = {"other-cluster-role": "ClusterRole", "other-role": "Role"}
CHOICES = {
    **LEVEL_LABELS,
    "other-cluster-role": gettext_lazy("Another cluster role"),
    "other-role": gettext_lazy("A role of this namespace"),
}
_MAX_NAME = 253
_NAME = re.compile(r"[^\x00-\x1f\x7f]{0,253}")
_ROLE_NAME = re.compile(r"[^\x00-\x1f\x7f/%]{1,253}")
_ACCOUNT_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")
_FLAGS = {USER: "--user", GROUP: "--group"}
_ROLE_FLAGS = {"ClusterRole": "--clusterrole", "Role": "--role"}


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        words = _("Use at most %(number)d characters, and no line breaks.")
        raise ValidationError(words, params={"number": _MAX_NAME})


class GrantForm(forms.Form):
    """Grants a role in `namespace`. `other_cluster_role`, `other_role`: its name, for the choice that is called so."""

    kind = forms.TypedChoiceField(
        choices=[
            (USER, gettext_lazy("Person")),
            (GROUP, gettext_lazy("Group")),
            (ACCOUNT, gettext_lazy("Service account")),
        ],
        required=False,
        empty_value=USER,
        initial=USER,
    )
    name = forms.CharField(required=False, validators=[_check_name])
    account_namespace = forms.CharField(required=False)
    choice = forms.TypedChoiceField(choices=[*CHOICES.items()], required=False, empty_value="view", initial="view")
    other_cluster_role = forms.CharField(required=False)
    other_role = forms.CharField(required=False)

    def __init__(self, namespace: str, data: QueryDict | None = None) -> None:
        super().__init__(data, initial={"account_namespace": namespace})
        self.namespace = namespace

    def add_prefix(self, field_name: str) -> str:
        return field_name.replace("_", "-")

    def role_field(self, choice: str) -> forms.BoundField:
        """Where the name of one of OTHER_ROLES is typed."""
        return self[choice.replace("-", "_")]

    def clean_account_namespace(self) -> str:
        return self.cleaned_data["account_namespace"] or self.namespace

    def clean(self) -> dict[str, Any]:
        found: dict[str, Any] = super().clean() or {}
        kind, choice = found.get("kind", ""), found.get("choice", "")
        if "name" in found and (words := _name_error(kind, found["name"])):
            self.add_error("name", words)
        if kind == ACCOUNT and not is_name(found.get("account_namespace", "")):
            self.add_error("account_namespace", _("Enter the namespace of the service account."))
        role = choice
        if choice in OTHER_ROLES:
            field = self.role_field(choice).name
            role = found.get(field, "")
            if not role:
                self.add_error(field, _("Enter the name of a role."))
            elif not _ROLE_NAME.fullmatch(role):
                self.add_error(field, _("“%(name)s” isn't a valid role name.") % {"name": role[:100]})
        return {**found, "role_kind": OTHER_ROLES.get(choice, "ClusterRole"), "role": role}

    @property
    def subject(self) -> Subject:
        typed = self.cleaned_data
        return Subject(typed["kind"], typed["name"], typed["account_namespace"] if typed["kind"] == ACCOUNT else "")

    def binding(self, number: int = 1) -> dict[str, Any]:
        """The RoleBinding to create; `number`: of another try where the name is taken."""
        subject, role = self.subject, self.cleaned_data["role"]
        name = binding_name(subject.name, role)
        typed = {
            "namespace": self.namespace,
            "name": name if number == 1 else f"{name}-{number}",
            "role_kind": self.cleaned_data["role_kind"],
            "role": role,
            "subjects": [{"kind": subject.kind, "subject": subject.name, "namespace": subject.namespace}],
        }
        return rbac.build(typed)

    @property
    def commands(self) -> Commands:
        """The same with kubectl, for each choice of the form."""
        typed = {field.html_name: str(field.value() or "") for field in self}
        commands = tuple(_commands(typed, self.namespace))
        return Commands(commands, frozenset({typed["kind"], typed["choice"]}))

    def request(self, user: str, cluster: str) -> str:
        """The text by which an administrator is asked to grant this in one's place."""
        role = self.cleaned_data["role"]
        words = {"name": self.subject.label, "role": role, "namespace": self.namespace, "cluster": cluster}
        sentence = _(
            "“%(name)s” needs the role “%(role)s” in the namespace “%(namespace)s” of the cluster “%(cluster)s”."
        )
        return request_text(sentence % words, user, (), str(self.commands))


def _name_error(kind: str, name: str) -> str:
    if not name:
        return {
            USER: _("Enter a user name."),
            GROUP: _("Enter a group name."),
            ACCOUNT: _("Enter the name of a service account."),
        }.get(kind, "")
    if kind == ACCOUNT and not _ACCOUNT_NAME.fullmatch(name):
        return _("Use lowercase letters, digits, hyphens, and dots.")
    if kind == USER and name.startswith(_ACCOUNT_PREFIX):
        return _("This is a service account. Choose “Service account” above.")
    return ""


def _commands(typed: Mapping[str, str], namespace: str) -> Iterator[Command]:
    name = typed["name"]
    for kind in KINDS:
        for choice in CHOICES:
            role: tuple[str | CommandArgument, ...] = (f"-{choice} --clusterrole={choice}",)
            if choice in OTHER_ROLES:
                flag = _ROLE_FLAGS[OTHER_ROLES[choice]]
                role = (
                    CommandArgument(choice, typed[choice], "-", "-ROLE"),
                    CommandArgument(choice, typed[choice], f" {flag}=", f" {flag}=ROLE"),
                )
            who: tuple[str | CommandArgument, ...]
            if kind == ACCOUNT:
                who = (
                    CommandArgument(
                        "account-namespace",
                        typed["account-namespace"],
                        " --serviceaccount=",
                        f" --serviceaccount={namespace}",
                    ),
                    CommandArgument("name", name, ":", ":NAME"),
                )
            else:
                who = (CommandArgument("name", name, f" {_FLAGS[kind]}=", f" {_FLAGS[kind]}=NAME"),)
            rest = (CommandArgument("name", name, " ", " NAME"), *role, *who, f" -n {namespace}")
            yield Command("kubectl create rolebinding", ticks=(frozenset({kind}), frozenset({choice})), rest=rest)


@dataclass(frozen=True, slots=True)
class NamespaceAccess:
    """`refused`: RoleBindings can't be read. `is_partial`: nothing is known of roles that hold in all namespaces.

    `more`: there are bindings that were not read.
    """

    members: tuple[Member, ...] = ()
    refused: bool = False
    is_partial: bool = False
    more: bool = False


def role_bindings(client: ClusterClient) -> ResourceType:
    return client.find(rbac.GROUP, "v1", "rolebindings")


def read_access(client: ClusterClient, namespace: str) -> NamespaceAccess:
    """Raises KubeError, but for a refusal."""
    limit = limits.NAMESPACE_BINDINGS.value
    try:
        own = client.list(role_bindings(client), namespace, limit=limit)
    except Forbidden:
        return NamespaceAccess(refused=True)
    bindings: list[KubeObject] = list(own.items)
    more, is_partial = bool(own.continue_), False
    try:
        everywhere = client.list(client.find(rbac.GROUP, "v1", "clusterrolebindings"), limit=limit)
        bindings += everywhere.items
        more = more or bool(everywhere.continue_)
    except Forbidden:
        is_partial = True
    return NamespaceAccess(members(bindings), is_partial=is_partial, more=more)


def read_role(client: ClusterClient, name: str) -> KubeObject | None:
    """A ClusterRole; None where it can't be read."""
    try:
        return client.get(client.find(rbac.GROUP, "v1", "clusterroles"), name)
    except KubeError:
        return None


def role_names(client: ClusterClient, kind: str, namespace: str = "") -> tuple[str, ...]:
    """Those of the control plane last; empty where they can't be listed."""
    try:
        table = client.table(client.find_kind(rbac.GROUP, kind), namespace, limit=limits.NAMESPACE_ROLES.value)
    except KubeError:
        return ()
    names = (str(row.object["metadata"]["name"]) for row in table.rows)
    return tuple(sorted(names, key=lambda name: (name.startswith("system:"), name)))
