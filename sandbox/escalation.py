"""Escalation check, so that users can't grant permissions that they don't have: roles and bindings that are written
over HTTP (kubernetes/pkg/registry/rbac).

Exempt are ``system:masters`` and users with the verb ``escalate`` on a role, or ``bind`` on the role of a binding.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from .errors import NotFound, forbidden
from .http import User
from .objects import Object, decode
from .rbac import BINDINGS, GROUP, ROLES, Attributes, Authorizer, Rule
from .resources import Resource
from .store import Store


class Escalation:
    """Looks at each role and binding before it is stored."""

    def __init__(self, store: Store, access: Authorizer):
        self._store = store
        self._access = access

    def check(self, resource: Resource, namespace: str, obj: Object, old: Object | None, user: User) -> None:
        """Raises Forbidden, which lists the rights that are missing."""
        if resource.key not in (*ROLES.values(), *BINDINGS.values()) or "system:masters" in user.groups:
            return
        same = ("rules", "aggregationRule", "roleRef", "subjects")
        if old is not None and all(obj.get(name) == old.get(name) for name in same):
            return
        rules = self._granted(resource, namespace, obj, user)
        held = [
            rule for grant in self._access.grants(user) if grant.namespace in ("", namespace) for rule in grant.rules
        ]
        missing = [part for rule in rules for part in _parts(rule) if not any(_covers(mine, part) for mine in held)]
        if missing:
            groups = " ".join(f'"{group}"' for group in user.groups)
            lines = "\n".join(sorted({_shown(rule) for rule in _compact(missing)}))
            who = f'user "{user.name}" (groups=[{groups}])'
            why = f"{who} is attempting to grant RBAC permissions not currently held:\n{lines}"
            raise forbidden(resource.plural, obj["metadata"].get("name", ""), why, resource.group)

    def _granted(self, resource: Resource, namespace: str, obj: Object, user: User) -> list[Rule]:
        """The rules that the role has, or that the binding gives; none where the user may anyway."""
        name = obj["metadata"].get("name", "")
        if resource.plural in ("roles", "clusterroles"):
            asked = Attributes(
                verb="escalate", group=GROUP, resource=resource.plural, subresource="", namespace=namespace, name=name
            )
            rules: list[Rule] = obj.get("rules") or []
            if obj.get("aggregationRule"):
                rules = [
                    *rules,
                    {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
                    {"nonResourceURLs": ["*"], "verbs": ["*"]},
                ]
            return [] if self._access.allows(user, asked) is not None else rules
        reference = obj.get("roleRef") or {}
        kind, role = reference.get("kind"), str(reference.get("name") or "")
        if kind not in ("Role", "ClusterRole"):
            return []  # validation has words for that
        plural, scope = ("roles", namespace) if kind == "Role" else ("clusterroles", "")
        if (
            self._access.allows(
                user,
                Attributes(verb="bind", group=GROUP, resource=plural, subresource="", namespace=namespace, name=role),
            )
            is not None
        ):
            return []
        entry = self._store.get(f"{plural}.{GROUP}", scope, role)
        if entry is None:
            raise NotFound(resource.plural, role, GROUP)
        return decode(entry.data).get("rules") or []


def _parts(rule: Rule) -> Iterator[Rule]:
    """The rule as rules of one verb for one thing each."""
    verbs = rule.get("verbs") or []
    for verb, url in product(verbs, rule.get("nonResourceURLs") or []):
        yield {"nonResourceURLs": [url], "verbs": [verb]}
    for group, resource, verb in product(rule.get("apiGroups") or [], rule.get("resources") or [], verbs):
        single = {"apiGroups": [group], "resources": [resource], "verbs": [verb]}
        names = rule.get("resourceNames") or []
        if not names:
            yield single
        for name in names:
            yield {**single, "resourceNames": [name]}


def _covers(mine: Rule, part: Rule) -> bool:
    """Whether a rule that the user has includes this part."""
    if not _has(mine.get("verbs"), part["verbs"][0]):
        return False
    if "nonResourceURLs" in part:
        url = part["nonResourceURLs"][0]
        held = mine.get("nonResourceURLs") or []
        return any(own in ("*", url) or (own.endswith("*") and url.startswith(own[:-1])) for own in held)
    resource, names = part["resources"][0], mine.get("resourceNames") or []
    _, slash, subresource = resource.partition("/")
    wanted = _has(mine.get("resources"), resource) or (slash and f"*/{subresource}" in (mine.get("resources") or []))
    named = not names or any(name in names for name in part.get("resourceNames") or [])
    return bool(wanted) and _has(mine.get("apiGroups"), part["apiGroups"][0]) and named


def _has(values: list[str] | None, wanted: str) -> bool:
    return "*" in (values or []) or wanted in (values or [])


def _compact(parts: list[Rule]) -> list[Rule]:
    """Parts about the same thing become one rule with all their verbs."""
    found: dict[str, Rule] = {}
    result: list[Rule] = []
    for part in parts:
        key = repr({name: value for name, value in part.items() if name != "verbs"})
        if "nonResourceURLs" in part or key not in found:
            found[key] = {**part, "verbs": list(part["verbs"])}
            result.append(found[key])
        else:
            found[key]["verbs"] += [verb for verb in part["verbs"] if verb not in found[key]["verbs"]]
    return result


def _shown(rule: Rule) -> str:
    order = ("apiGroups", "resources", "nonResourceURLs", "resourceNames", "verbs")
    names = {"apiGroups": "APIGroups"}
    shown = []
    for name in order:
        if rule.get(name):
            values = " ".join(f'"{value}"' for value in rule[name])
            shown.append(f"{names.get(name, name[0].upper() + name[1:])}:[{values}]")
    return "{" + ", ".join(shown) + "}"
