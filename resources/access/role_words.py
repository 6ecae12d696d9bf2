"""What a role allows in a namespace, in a few plain sentences, read from its rules."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from kube.objects import KubeObject
from resources.rights import permission_words
from resources.state.health import items
from resources.whocan import Question, names_of

#: Groups of Kubernetes itself end so, or have no dot.
_BUILT_IN = (".k8s.io",)
_MAX_RULES = 300
_MAX_KINDS = 3


def sentences(role: KubeObject) -> tuple[str, ...]:
    """Empty where the role has no rules."""
    found = tuple(_sentences(role))
    return found or tuple(_rules(role))


def usual(level: str) -> tuple[str, ...]:
    """Of view, edit and admin as every cluster has them, for users who can't read ClusterRoles."""
    if level == "view":
        return _("See workloads and settings. Secrets stay hidden."), _("Read logs.")
    words = (
        _("Create, change, and delete workloads."),
        _("Read logs."),
        _("Open terminals."),
        _("Read Secrets."),
    )
    return (*words, _("Give others access.")) if level == "admin" else words


def _sentences(role: KubeObject) -> Iterator[str]:
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


def _operator_kinds(role: KubeObject) -> Iterator[str]:
    """What operators' kinds the role reaches: those that can be created, else those that can be read."""
    created, read = dict[str, None](), dict[str, None]()
    for rule in items(role.get("rules"))[:_MAX_RULES]:
        groups = [group for group in _texts(rule, "apiGroups") if "." in group and not group.endswith(_BUILT_IN)]
        if not groups:
            continue
        kinds = [
            permission_words.NAMES.get((groups[0], kind), kind)
            for kind in _texts(rule, "resources")
            if "/" not in kind and kind != "*"
        ]
        verbs = set(_texts(rule, "verbs"))
        into = created if verbs & {"create", "*"} else read if verbs & {"get", "list"} else None
        if into is not None:
            into.update(dict.fromkeys(kinds or groups))
    if created:
        yield _("Create and change %(kinds)s.") % {"kinds": _listed(list(created))}
    elif read:
        yield _("See %(kinds)s.") % {"kinds": _listed(list(read))}


def _rules(role: KubeObject) -> Iterator[str]:
    """Of a role that does none of the usual: its first rules as they are."""
    for rule in items(role.get("rules"))[:_MAX_KINDS]:
        parts = ("verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs")
        words = permission_words.plain(*(_texts(rule, part) for part in parts))
        yield words[:1].upper() + words[1:] + "."


def _listed(kinds: list[str]) -> str:
    shown = ", ".join(kinds[:_MAX_KINDS])
    more = len(kinds) - _MAX_KINDS
    return _("%(shown)s and %(number)d more") % {"shown": shown, "number": more} if more > 0 else shown


def _texts(rule: Mapping[str, Any], part: str) -> list[str]:
    values = rule.get(part)
    return [value for value in values if isinstance(value, str)] if isinstance(values, list) else []
