"""May they? Roles and bindings as they are stored, compiled when they change.

Rules of kubernetes/plugin/pkg/auth/authorizer/rbac; ``system:masters`` may do everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from .errors import Forbidden, qualified
from .http import User
from .objects import decode
from .outlines import outline_of
from .requestinfo import RequestInfo
from .store import Store, StoreEntry

GROUP = "rbac.authorization.k8s.io"
#: Resources by kind.
ROLES = {"Role": f"roles.{GROUP}", "ClusterRole": f"clusterroles.{GROUP}"}
BINDINGS = {"ClusterRoleBinding": f"clusterrolebindings.{GROUP}", "RoleBinding": f"rolebindings.{GROUP}"}
Rule = dict[str, list[str]]


class Attributes(NamedTuple):
    """The attributes of a request: a resource, or a path when ``resource`` is empty."""

    verb: str
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str = ""


class GrantedRules(NamedTuple):
    """Rules that a subject has, in one namespace or (``namespace`` empty) everywhere; ``reason`` says by what."""

    namespace: str
    rules: list[Rule]
    reason: str


class Bound(NamedTuple):
    """A role that a subject is bound to: ``resource`` and ``role_namespace`` say where the role is."""

    namespace: str
    resource: str
    role_namespace: str
    role: str
    reason: str


def attributes(info: RequestInfo, name: str) -> Attributes:
    """The attributes of a request, with the object's name if it has one."""
    if not info.is_resource:
        return Attributes(info.verb, path=info.path)
    return Attributes(
        verb=info.verb,
        group=info.group,
        resource=info.resource,
        subresource=info.subresource,
        namespace=info.namespace,
        name=name,
    )


class Authorizer:
    """Answers by the stored RBAC objects: bindings are found by their subjects, and read as roles when asked for."""

    def __init__(self, store: Store):
        self._store = store

    def allows(self, user: User, asked: Attributes) -> str | None:
        """Why it is allowed (may be empty); None when it is not."""
        if "system:masters" in user.groups:
            return ""
        return allowed_by(self.grants(user), asked)

    def check(self, user: User, asked: Attributes) -> None:
        """Raises Forbidden, in the API server's words."""
        if self.allows(user, asked) is None:
            raise Forbidden(*refusal(user, asked))

    def grants(self, user: User) -> Iterator[GrantedRules]:
        """Everything bound to the user or one of the groups."""
        subjects = (f"User:{user.name}", *(f"Group:{group}" for group in user.groups))
        found = [bound for subject in subjects for bound in self._bound(subject)]
        for bound in sorted(found, key=lambda bound: bound.namespace != ""):
            role = self._store.get(bound.resource, bound.role_namespace, bound.role)
            if role is not None:
                rules = outline_of(self._store, bound.resource, role, rules_of)
                yield GrantedRules(bound.namespace, rules, bound.reason)

    def _bound(self, subject: str) -> Iterator[Bound]:
        for resource in BINDINGS.values():
            for entry in self._store.indexed(resource, subjects_of, subject):
                yield from outline_of(self._store, resource, entry, bound_in).get(subject, ())


def bound_in(binding: dict[str, Any]) -> dict[str, list[Bound]]:
    """A binding's role by subject; an outline (outlines.py)."""
    name, namespace = binding["metadata"]["name"], binding["metadata"].get("namespace", "")
    kind = "RoleBinding" if namespace else "ClusterRoleBinding"
    title = f"{name}/{namespace}" if namespace else name
    reference = binding.get("roleRef") or {}
    resource = ROLES.get(str(reference.get("kind")))
    found: dict[str, list[Bound]] = {}
    if resource is None:
        return found
    scope = namespace if reference["kind"] == "Role" else ""
    role = f'{reference["kind"]} "{reference.get("name")}"'
    for subject in binding.get("subjects") or []:
        who = subject_key(subject, namespace)
        label = who.split(":", 1)[1]
        shown = f'{subject.get("kind")} "{label}"'
        if subject.get("kind") == "ServiceAccount":
            shown = f'ServiceAccount "{subject.get("name")}/{subject.get("namespace") or namespace}"'
        reason = f'RBAC: allowed by {kind} "{title}" of {role} to {shown}'
        bound = Bound(namespace, resource, scope, str(reference.get("name")), reason)
        found.setdefault(who, []).append(bound)
    return found


def subjects_of(entry: StoreEntry) -> list[str]:
    """Who is bound by a binding; an index (store.py)."""
    return [subject_key(subject, entry.namespace) for subject in decode(entry.data).get("subjects") or []]


def allowed_by(grants: Iterable[GrantedRules], asked: Attributes) -> str | None:
    """The reason of the first grant that allows what is asked; None when none does."""
    for grant in grants:
        if grant.namespace and (grant.namespace != asked.namespace or not asked.resource):
            continue
        if any(covers(rule, asked) for rule in grant.rules):
            return f"{grant.reason}"
    return None


def rules_of(role: dict[str, Any]) -> list[Rule]:
    """An outline (outlines.py)."""
    return role.get("rules") or []


def subject_key(subject: dict[str, str], namespace: str) -> str:
    """``User:name`` or ``Group:name``; a ServiceAccount is a user."""
    if subject.get("kind") == "ServiceAccount":
        return f"User:system:serviceaccount:{subject.get('namespace') or namespace}:{subject.get('name')}"
    return f"{subject.get('kind')}:{subject.get('name')}"


def covers(rule: Rule, asked: Attributes) -> bool:
    """Whether one PolicyRule allows the request."""
    verbs = rule.get("verbs") or []
    if "*" not in verbs and asked.verb not in verbs:
        return False
    if not asked.resource:
        return any(
            url in ("*", asked.path) or (url.endswith("*") and asked.path.startswith(url[:-1]))
            for url in rule.get("nonResourceURLs") or []
        )
    groups = rule.get("apiGroups") or []
    if "*" not in groups and asked.group not in groups:
        return False
    names = rule.get("resourceNames") or []
    if names and asked.name not in names:
        return False
    resources = rule.get("resources") or []
    if "*" in resources:
        return True
    if asked.subresource:
        return f"{asked.resource}/{asked.subresource}" in resources or f"*/{asked.subresource}" in resources
    return asked.resource in resources


def refusal(user: User, asked: Attributes) -> tuple[str, dict[str, Any]]:
    """(message, details) of a 403."""
    if not asked.resource:
        return f'forbidden: User "{user.name}" cannot {asked.verb} path "{asked.path}"', {}
    full = f"{asked.resource}/{asked.subresource}" if asked.subresource else asked.resource
    about = qualified(asked.resource, asked.group)
    if asked.name:
        about += f' "{asked.name}"'
    where = f'in the namespace "{asked.namespace}"' if asked.namespace else "at the cluster scope"
    message = (
        f'{about} is forbidden: User "{user.name}" cannot {asked.verb} resource "{full}" '
        f'in API group "{asked.group}" {where}'
    )
    details = {"name": asked.name, "group": asked.group, "kind": asked.resource}
    return message, {key: value for key, value in details.items() if value}
