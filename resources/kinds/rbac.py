"""The pages of Roles, bindings and ServiceAccounts: permissions in words, dangerous ones marked, and who has them.

This only describes what a role allows. Whether a user has a permission, the API server decides.
"""

from collections.abc import Iterable
from itertools import islice, product
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from console.signin.impersonation import can_impersonate
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject
from kube.reader import read
from kube.types.cluster import PolicyRule, Role, RoleBinding, ServiceAccount, Subject
from kube.types.meta import LabelSelector, ObjectReference
from resources import permissions
from resources.kinds import Kind, Maker, Panel
from resources.kinds.parts import Bit, Cell, Some, Table, facts, label, line, lines, see, some, table

GROUP = "rbac.authorization.k8s.io"
_RULES = 300
# Of one rule; longer ones repeat themselves.
_LOOKED_AT = 5000


def role_panels(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    role = read(obj, Role)
    whole = type_.kind == "ClusterRole"
    if selectors := role.aggregation_rule.cluster_role_selectors:
        words = _(
            "The rules are collected from the ClusterRoles with these labels; rules that you add "
            "manually are overwritten."
        )
        sources = lines((_labels(selector) for selector in selectors), "code")
        yield facts("aggregation", _("Aggregation rule"), ((_("Source"), sources),), note=words)
    rows = tuple(rule_row(rule, cluster=whole) for rule in role.rules[:_RULES])
    columns, empty = (_("Permission"), _("Verbs"), _("Resources"), _("Risk")), _("No permissions.")
    yield table(
        "rules",
        Table(title=_("Rules"), columns=columns, rows=rows, left=max(0, len(role.rules) - _RULES), empty=empty),
        wide=True,
    )
    yield _bound(client, role, "ClusterRole" if whole else "Role")


def _labels(selector: LabelSelector) -> str:
    return ", ".join(f"{key}={value}" for key, value in selector.match_labels.items()) or "…"


def rule_row(rule: PolicyRule, *, cluster: bool) -> tuple[Cell, ...]:
    """A rule in words, as it is written, and why it is dangerous."""
    groups, names, urls = rule.api_groups or (), rule.resource_names, rule.non_resource_urls
    on = tuple(f"{kind}.{group}" if group else kind for kind in rule.resources for group in groups or ("",))
    level, why = danger(rule, cluster=cluster)
    mark = label(_("critical") if level == "critical" else _("high"), "red" if level == "critical" else "orange")
    return (
        line(permissions.permission_words(rule.verbs, groups, rule.resources, names, urls)),
        lines((", ".join(rule.verbs),), "code"),
        lines(islice((*on, *urls), 30), "code") + lines(_("named %(name)s") % {"name": name} for name in names[:30]),
        (*mark, *line(why, "muted")) if level else (),
    )


def danger(rule: PolicyRule, *, cluster: bool) -> tuple[str, str]:
    """("critical" | "high" | "", why) of the worst thing that a rule allows."""
    asked, found = frozenset(verb.lower() for verb in rule.verbs), ("", "")
    parts = product(rule.api_groups or ("",), rule.resources, rule.resource_names or ("",))
    for group, kind, name in islice(parts, _LOOKED_AT):
        level, cause = permissions.judge(
            scope="cluster" if cluster else "namespace",
            group=group,
            resource=kind,
            verbs=asked,
            name=name,
            own=frozenset(),
        )
        if level == "critical" or (level and not found[0]):
            found = level, str(permissions.WHY.get(cause, ""))
        if level == "critical":
            break
    return found


def _bound(client: ClusterClient, role: Role, kind: str) -> Panel:
    """Who has the role: its bindings, each with its subjects."""
    found, problems = bindings(client, "" if kind == "ClusterRole" else role.metadata.namespace, kind == "ClusterRole")
    rows = tuple(
        (binding_link(client, binding), _scope(binding), subjects(client, binding))
        for binding in found
        if (binding.role_ref.kind, binding.role_ref.name) == (kind, role.metadata.name)
    )
    columns = (_("Binding"), _("Scope"), _("Subjects"))
    made = Table(
        title=_("Who has access"),
        columns=columns,
        rows=rows,
        note=" ".join(problems),
        empty=_("No binding grants this role."),
    )
    return table("bound", made, wide=True)


def bindings(client: ClusterClient, namespace: str, whole: bool) -> tuple[list[RoleBinding], list[str]]:
    """RoleBindings of the namespace (or all), and with `whole` ClusterRoleBindings; and what could not be read, a
    sentence each.
    """
    asked: list[tuple[str, Some]] = [("RoleBinding", some(client, GROUP, "RoleBinding", namespace, limit=2000))]
    if whole:
        asked.append(("ClusterRoleBinding", some(client, GROUP, "ClusterRoleBinding", limit=2000)))
    problems = [
        (
            _("Couldn't read %(kind)s objects: %(why)s") % {"kind": kind, "why": found.problem}
            if found.problem
            else _("There are more %(kind)s objects than the console reads, so this list can be incomplete.")
            % {"kind": kind}
        )
        for kind, found in asked
        if found.problem or found.more
    ]
    return [read(item, RoleBinding) for _kind, found in asked for item in found.items], problems


def binding_link(client: ClusterClient, binding: RoleBinding) -> Cell:
    return see(client, GROUP, binding.kind, binding.metadata.name, binding.metadata.namespace)


def _scope(binding: RoleBinding) -> Cell:
    return line(binding.metadata.namespace or _("the whole cluster"))


def subjects(client: ClusterClient, binding: RoleBinding) -> Cell:
    """A line for each user, group and service account."""
    return tuple(_subject(client, subject, binding.metadata.namespace) for subject in binding.subjects[:100])


def _subject(client: ClusterClient, subject: Subject, namespace: str) -> Bit:
    kind, name = subject.kind, subject.name
    words = {"User": _("user %(name)s"), "Group": _("group %(name)s"), "ServiceAccount": _("service account %(name)s")}
    label = words.get(kind, "%(name)s") % {"name": name}
    if kind != "ServiceAccount":
        return Bit(text=label)
    where = subject.namespace or namespace
    found = see(client=client, group="", kind="ServiceAccount", name=name, namespace=where, words=f"{label} ({where})")
    return found[0] if found else Bit(text=label)


def _who(subject: Subject, namespace: str) -> tuple[str, str] | None:
    """Of a subject: the field of /view-as/ and what stands in it."""
    if subject.kind == "ServiceAccount":
        return "user", f"system:serviceaccount:{subject.namespace or namespace}:{subject.name}"
    return {"User": ("user", subject.name), "Group": ("group", subject.name)}.get(subject.kind)


def _view_as(client: ClusterClient, whom: Iterable[tuple[str, str]]) -> Cell:
    """Links to acting as each, for who may impersonate at all."""
    if client.by or not can_impersonate(client):
        return ()
    address = reverse("signin:view-as")
    return tuple(Bit(text=name, url=f"{address}?{urlencode({field: name})}") for field, name in whom if name)


def binding_panels(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    binding = read(obj, RoleBinding)
    ref, namespace = binding.role_ref, binding.metadata.namespace
    entries = (
        (_("Role"), _role_of(client, binding)),
        (_("Scope"), _scope(binding)),
        (_("Subjects"), subjects(client, binding) or line(_("none"), "muted")),
        (
            _("View as"),
            _view_as(client, (who for subject in binding.subjects[:20] if (who := _who(subject, namespace)))),
        ),
    )
    yield facts("binding", _("Binding"), entries)
    where, only = namespace if ref.kind == "Role" else "", f"metadata.name={ref.name}"
    found = some(client, GROUP, ref.kind, where, fields=only, limit=1)
    rules = read(found.items[0], Role).rules if found.items else ()
    made = Table(
        title=_("Permissions"),
        columns=(_("Permission"), _("Verbs"), _("Resources"), _("Risk")),
        rows=tuple(rule_row(rule, cluster=not namespace) for rule in rules[:_RULES]),
        left=max(0, len(rules) - _RULES),
        problem=found.problem,
        empty=_("No permissions.") if found.items else _("This role doesn't exist, so the binding grants nothing."),
    )
    yield table("rules", made, wide=True)


def account_panels(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    account = read(obj, ServiceAccount)
    namespace, name = account.metadata.namespace, account.metadata.name
    entries = (
        (_("User name"), line(f"system:serviceaccount:{namespace}:{name}", "code")),
        (_("View as"), _view_as(client, [("user", f"system:serviceaccount:{namespace}:{name}")])),
        (_("Secrets"), _secrets(client, account.secrets, namespace)),
        (_("Image pull secrets"), _secrets(client, account.image_pull_secrets, namespace)),
        (
            _("Automount token"),
            () if account.automount_service_account_token else line(_("No, unless a Pod requests it")),
        ),
    )
    yield facts("account", _("Service account"), entries)
    every, problems = bindings(client, "", True)
    rows = tuple(
        (binding_link(client, binding), _scope(binding), _role_of(client, binding), line(way))
        for binding in every
        if (way := _way(binding, namespace, name))
    )
    columns, empty = (
        (_("Binding"), _("Scope"), _("Role"), _("Granted to")),
        _("No binding grants this service account a role."),
    )
    yield table(
        "bindings",
        Table(title=_("Permissions"), columns=columns, rows=rows, note=" ".join(problems), empty=empty),
        wide=True,
    )


def _secrets(client: ClusterClient, secrets: Iterable[ObjectReference], namespace: str) -> Cell:
    return tuple(bit for secret in secrets for bit in see(client, "", "Secret", secret.name, namespace))


def _role_of(client: ClusterClient, binding: RoleBinding) -> Cell:
    ref, namespace = binding.role_ref, binding.metadata.namespace
    words = f"{ref.kind} {ref.name}"
    return see(client=client, group=GROUP, kind=ref.kind, name=ref.name, namespace=namespace, words=words)


def _way(binding: RoleBinding, namespace: str, name: str) -> str:
    """How a binding reaches the account: by its name, or as one of a group; '' when it does not."""
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated")
    for subject in binding.subjects:
        where = subject.namespace or binding.metadata.namespace
        if (subject.kind, subject.name, where) == ("ServiceAccount", name, namespace):
            return _("this service account")
        if subject.kind == "User" and subject.name == f"system:serviceaccount:{namespace}:{name}":
            return _("this service account")
        if subject.kind == "Group" and subject.name in groups:
            return _("members of the group %(name)s") % {"name": subject.name}
    return ""


PANELS: dict[Kind, Maker] = {
    (GROUP, "Role"): role_panels,
    (GROUP, "ClusterRole"): role_panels,
    (GROUP, "RoleBinding"): binding_panels,
    (GROUP, "ClusterRoleBinding"): binding_panels,
    ("", "ServiceAccount"): account_panels,
}
