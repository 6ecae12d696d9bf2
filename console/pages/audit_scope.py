"""Which acts a user can read in the audit. The API server authorizes it (decision 20); there is no second RBAC.

Users can always read their own. Acts of all users need the cluster-wide permission to `get` the resource `audit` of the
group operator-console.dev. No server serves this resource, but RBAC only checks names: cluster-admin has it by its
wildcards, and a ClusterRole of three lines grants it to others.
"""

from console.audit.search import Scope
from console.web.access import can
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError

GROUP = "operator-console.dev"
AUDIT = ResourceType(group=GROUP, version="v1", plural="audit", kind="Audit", namespaced=False)


def may_read_all(client: ClusterClient) -> bool:
    """False where the API server does not answer."""
    try:
        return can(client, "get", AUDIT).allowed
    except KubeError:
        return False


def scope_of(client: ClusterClient) -> Scope:
    if may_read_all(client):
        return Scope(client.name)
    # With impersonation: the acts of the impersonating user as this user, not this user's own acts.
    return Scope(client.name, client.by, client.user) if client.by else Scope(client.name, client.user)
