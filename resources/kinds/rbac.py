"""The pages of Roles, bindings and ServiceAccounts: permissions in words, dangerous ones marked, and who has them.

This only describes what a role allows. Whether a user has a permission, the API server decides.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from console.signin.impersonation import can_impersonate
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject, items, mapping, name_of, namespace_of, text
from resources import permissions
from resources.kinds import Kind, Maker, Panel
from resources.kinds.parts import Bit, Cell, Some, Table, facts, label, line, lines, see, some, table

GROUP = "rbac.authorization.k8s.io"
_RULES = 300
# Of one rule; longer ones repeat themselves.
_LOOKED_AT = 5000


def role(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    whole = type_.kind == "ClusterRole"
    if mapping(obj.get("aggregationRule")):
        words = _(
            "The rules are collected from the ClusterRoles with these labels; rules that you add "
            "manually are overwritten."
        )
        yield facts("aggregation", _("Aggregation rule"), ((_("Source"), lines(_gathered(obj), "code")),), note=words)
    found = items(obj.get("rules"))
    rows = tuple(rule_row(rule, cluster=whole) for rule in found[:_RULES])
    columns, empty = (_("Permission"), _("Verbs"), _("Resources"), _("Risk")), _("No permissions.")
    yield table(
        "rules",
        Table(title=_("Rules"), columns=columns, rows=rows, left=max(0, len(found) - _RULES), empty=empty),
        wide=True,
    )
    yield _bound(client, obj, "ClusterRole" if whole else "Role")


def _gathered(obj: KubeObject) -> Iterator[str]:
    for item in items(mapping(obj.get("aggregationRule")).get("clusterRoleSelectors")):
        yield ", ".join(f"{key}={text(value)}" for key, value in mapping(item.get("matchLabels")).items()) or "…"


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(text(item) for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def rule_row(rule: Mapping[str, Any], *, cluster: bool) -> tuple[Cell, ...]:
    """A rule in words, as it is written, and why it is dangerous."""
    verbs, groups, kinds = _texts(rule.get("verbs")), _texts(rule.get("apiGroups")), _texts(rule.get("resources"))
    names, urls = _texts(rule.get("resourceNames")), _texts(rule.get("nonResourceURLs"))
    on = tuple(f"{kind}.{group}" if group else kind for kind in kinds for group in groups or ("",))
    level, why = danger(verbs, groups, kinds, names, cluster=cluster)
    mark = label(_("critical") if level == "critical" else _("high"), "red" if level == "critical" else "orange")
    return (
        line(permissions.permission_words(verbs, groups, kinds, names, urls)),
        lines((", ".join(verbs),), "code"),
        lines(islice((*on, *urls), 30), "code") + lines(_("named %(name)s") % {"name": name} for name in names[:30]),
        (*mark, *line(why, "muted")) if level else (),
    )


def danger(
    verbs: Sequence[str], groups: Sequence[str], kinds: Sequence[str], names: Sequence[str], *, cluster: bool
) -> tuple[str, str]:
    """("critical" | "high" | "", why) of the worst thing that a rule allows."""
    asked, found = frozenset(verb.lower() for verb in verbs), ("", "")
    for group, kind, name in islice(product(groups or ("",), kinds, names or ("",)), _LOOKED_AT):
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


def _bound(client: ClusterClient, obj: KubeObject, kind: str) -> Panel:
    """Who has the role: its bindings, each with its subjects."""
    found, problems = bindings(client, "" if kind == "ClusterRole" else namespace_of(obj), kind == "ClusterRole")
    rows = tuple(
        (binding_link(client, item), _scope(item), subjects(client, item))
        for item in found
        if (ref := mapping(item.get("roleRef")))
        and (text(ref.get("kind")), text(ref.get("name"))) == (kind, name_of(obj))
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


def bindings(client: ClusterClient, namespace: str, whole: bool) -> tuple[list[KubeObject], list[str]]:
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
    return [item for _kind, found in asked for item in found.items], problems


def binding_link(client: ClusterClient, item: KubeObject) -> Cell:
    return see(client, GROUP, text(item.get("kind")), name_of(item), namespace_of(item))


def _scope(item: KubeObject) -> Cell:
    return line(namespace_of(item) or _("the whole cluster"))


def subjects(client: ClusterClient, item: KubeObject) -> Cell:
    """A line for each user, group and service account."""
    return tuple(_subject(client, subject, namespace_of(item)) for subject in items(item.get("subjects"))[:100])


def _subject(client: ClusterClient, subject: Mapping[str, Any], namespace: str) -> Bit:
    kind, name = text(subject.get("kind")), text(subject.get("name"))
    words = {"User": _("user %(name)s"), "Group": _("group %(name)s"), "ServiceAccount": _("service account %(name)s")}
    label = words.get(kind, "%(name)s") % {"name": name}
    if kind != "ServiceAccount":
        return Bit(text=label)
    where = text(subject.get("namespace")) or namespace
    found = see(client=client, group="", kind="ServiceAccount", name=name, namespace=where, words=f"{label} ({where})")
    return found[0] if found else Bit(text=label)


def _who(subject: Mapping[str, Any], namespace: str) -> tuple[str, str] | None:
    """Of a subject: the field of /view-as/ and what stands in it."""
    kind, name = text(subject.get("kind")), text(subject.get("name"))
    if kind == "ServiceAccount":
        return "user", f"system:serviceaccount:{text(subject.get('namespace')) or namespace}:{name}"
    return {"User": ("user", name), "Group": ("group", name)}.get(kind)


def _view_as(client: ClusterClient, whom: Iterable[tuple[str, str]]) -> Cell:
    """Links to acting as each, for who may impersonate at all."""
    if client.by or not can_impersonate(client):
        return ()
    address = reverse("signin:view-as")
    return tuple(Bit(text=name, url=f"{address}?{urlencode({field: name})}") for field, name in whom if name)


def binding(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    ref = mapping(obj.get("roleRef"))
    kind, name, namespace = text(ref.get("kind")), text(ref.get("name")), namespace_of(obj)
    entries = (
        (
            _("Role"),
            see(client=client, group=GROUP, kind=kind, name=name, namespace=namespace, words=f"{kind} {name}"),
        ),
        (_("Scope"), line(namespace or _("the whole cluster"))),
        (_("Subjects"), subjects(client, obj) or line(_("none"), "muted")),
        (
            _("View as"),
            _view_as(client, (who for item in items(obj.get("subjects"))[:20] if (who := _who(item, namespace)))),
        ),
    )
    yield facts("binding", _("Binding"), entries)
    found = some(client, GROUP, kind, namespace if kind == "Role" else "", fields=f"metadata.name={name}", limit=1)
    rules = items(found.items[0].get("rules")) if found.items else []
    rows = tuple(rule_row(rule, cluster=not namespace) for rule in rules[:_RULES])
    columns = (_("Permission"), _("Verbs"), _("Resources"), _("Risk"))
    empty = _("No permissions.") if found.items else _("This role doesn't exist, so the binding grants nothing.")
    left = max(0, len(rules) - _RULES)
    yield table(
        "rules",
        Table(
            title=_("Permissions"), columns=columns, rows=rows, note="", left=left, problem=found.problem, empty=empty
        ),
        wide=True,
    )


def account(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    namespace, name = namespace_of(obj), name_of(obj)
    entries = (
        (_("User name"), line(f"system:serviceaccount:{namespace}:{name}", "code")),
        (_("View as"), _view_as(client, [("user", f"system:serviceaccount:{namespace}:{name}")])),
        (_("Secrets"), _secrets(client, obj, "secrets")),
        (_("Image pull secrets"), _secrets(client, obj, "imagePullSecrets")),
        (
            _("Automount token"),
            line(_("No, unless a Pod requests it")) if obj.get("automountServiceAccountToken") is False else (),
        ),
    )
    yield facts("account", _("Service account"), entries)
    every, problems = bindings(client, "", True)
    rows = tuple(
        (binding_link(client, item), _scope(item), _role_of(client, item), line(way))
        for item in every
        if (way := _way(item, namespace, name))
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


def _secrets(client: ClusterClient, obj: KubeObject, part: str) -> Cell:
    return tuple(
        bit for item in items(obj.get(part)) for bit in see(client, "", "Secret", item.get("name"), namespace_of(obj))
    )


def _role_of(client: ClusterClient, item: KubeObject) -> Cell:
    ref = mapping(item.get("roleRef"))
    kind, name = text(ref.get("kind")), text(ref.get("name"))
    return see(client=client, group=GROUP, kind=kind, name=name, namespace=namespace_of(item), words=f"{kind} {name}")


def _way(item: KubeObject, namespace: str, name: str) -> str:
    """How a binding reaches the account: by its name, or as one of a group; '' when it does not."""
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated")
    for subject in items(item.get("subjects")):
        kind, who = text(subject.get("kind")), text(subject.get("name"))
        where = text(subject.get("namespace")) or namespace_of(item)
        if (kind, who, where) == ("ServiceAccount", name, namespace):
            return _("this service account")
        if kind == "User" and who == f"system:serviceaccount:{namespace}:{name}":
            return _("this service account")
        if kind == "Group" and who in groups:
            return _("members of the group %(name)s") % {"name": who}
    return ""


PANELS: dict[Kind, Maker] = {
    (GROUP, "Role"): role,
    (GROUP, "ClusterRole"): role,
    (GROUP, "RoleBinding"): binding,
    (GROUP, "ClusterRoleBinding"): binding,
    ("", "ServiceAccount"): account,
}
