"""Whether a ServiceAccount has all permissions to manage an extension; reports all missing ones together.

Source: operator-controller's preflight of permissions; the rights are those of docs/howto/derive-service-account.md.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..cluster import Cluster
from ..errors import ApiError, NotFound
from ..escalation import Escalation
from ..http import User
from ..objects import Object
from ..rbac import Attributes, Authorizer
from .names import GROUP

_ANY = ("create", "list", "watch")
_NAMED = ("get", "update", "patch", "delete")


def account(namespace: str, name: str) -> User:
    """The ServiceAccount as a user."""
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated")
    return User(f"system:serviceaccount:{namespace}:{name}", groups)


def missing(cluster: Cluster, extension: str, objects: list[Object], user: User) -> str:
    """'' or the error with every right that is missing."""
    access = Authorizer(cluster.verbs.store)
    lacking: dict[tuple[str, str, str, tuple[str, ...]], list[str]] = {}
    for asked in _asked(cluster, extension, objects):
        if access.allows(user, asked) is None:
            resource = f"{asked.resource}/{asked.subresource}" if asked.subresource else asked.resource
            key = (asked.namespace, asked.group, resource, (asked.name,) if asked.name else ())
            lacking.setdefault(key, []).append(asked.verb)
    lines = {
        f'  Namespace:"{namespace}" APIGroups:[{group}] Resources:[{resource}]'
        f"{f' ResourceNames:[{names[0]}]' if names else ''} Verbs:[{','.join(dict.fromkeys(verbs))}]"
        for (namespace, group, resource, names), verbs in lacking.items()
    }
    lines |= _escalations(cluster, access, objects, user)
    if not lines:
        return ""
    head = "pre-authorization failed: service account requires the following permissions to manage cluster extension:"
    return "\n".join([head, *sorted(lines)])


def _asked(cluster: Cluster, extension: str, objects: list[Object]) -> Iterator[Attributes]:
    yield Attributes(
        verb="update", group=GROUP, resource="clusterextensions", subresource="finalizers", namespace="", name=extension
    )
    for obj in objects:
        resource = cluster.resource_for(obj["apiVersion"], obj["kind"])
        if resource is None:
            continue
        namespace = obj["metadata"].get("namespace", "")
        for verb in _ANY:
            yield Attributes(verb, resource.group, resource.plural, "", namespace)
        for verb in _NAMED:
            yield Attributes(
                verb=verb,
                group=resource.group,
                resource=resource.plural,
                subresource="",
                namespace=namespace,
                name=obj["metadata"]["name"],
            )


def _escalations(cluster: Cluster, access: Authorizer, objects: list[Object], user: User) -> set[str]:
    """The permissions that the operator gets and the account doesn't have itself."""
    guard, found = Escalation(cluster.verbs.store, access), set()
    roles = {item["metadata"]["name"]: item for item in objects if item["kind"] in ("Role", "ClusterRole")}
    for obj in objects:
        if obj["kind"] not in ("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding"):
            continue
        resource = cluster.resource_for(obj["apiVersion"], obj["kind"])
        if resource is None or (obj.get("roleRef") or {}).get("name") in roles:
            continue
        namespace = obj["metadata"].get("namespace", "")
        try:
            guard.check(resource, namespace, obj, None, user)
        except NotFound:
            continue
        except ApiError as error:
            rules = error.message.rpartition("not currently held:\n")[2]
            found |= {
                f'  Namespace:"{namespace}" {line.strip().strip("{}")}' for line in rules.splitlines() if line.strip()
            }
    return found
