"""The bindings of a namespace, as far as this user can read them."""

from dataclasses import dataclass

from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Forbidden, KubeError
from kube.objects import KubeObject
from resources.access.grants import Member, members
from resources.writing.bindings import GROUP


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
    return client.find(GROUP, "v1", "rolebindings")


def read(client: ClusterClient, namespace: str) -> NamespaceAccess:
    """Raises KubeError, but for a refusal."""
    limit = limits.NAMESPACE_BINDINGS.value
    try:
        own = client.list(role_bindings(client), namespace, limit=limit)
    except Forbidden:
        return NamespaceAccess(refused=True)
    bindings: list[KubeObject] = list(own.items)
    more, is_partial = bool(own.continue_), False
    try:
        everywhere = client.list(client.find(GROUP, "v1", "clusterrolebindings"), limit=limit)
        bindings += everywhere.items
        more = more or bool(everywhere.continue_)
    except Forbidden:
        is_partial = True
    return NamespaceAccess(members(bindings), is_partial=is_partial, more=more)


def role(client: ClusterClient, name: str) -> KubeObject | None:
    """A ClusterRole; None where it can't be read."""
    try:
        return client.get(client.find(GROUP, "v1", "clusterroles"), name)
    except KubeError:
        return None


def role_names(client: ClusterClient, kind: str, namespace: str = "") -> tuple[str, ...]:
    """Those of the control plane last; empty where they can't be listed."""
    try:
        table = client.table(client.find_kind(GROUP, kind), namespace, limit=limits.NAMESPACE_ROLES.value)
    except KubeError:
        return ()
    names = (str(row.object["metadata"]["name"]) for row in table.rows)
    return tuple(sorted(names, key=lambda name: (name.startswith("system:"), name)))
