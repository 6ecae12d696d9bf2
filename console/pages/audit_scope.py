"""Whose acts somebody may read in the audit. The API server says it (decision 20): there is no second list of rights.

One's own always. Everybody's with the right to `get` the resource `audit` of the group operator-console.dev in all of
the cluster. No server serves such a resource; RBAC judges by names alone, so cluster-admin has it by its wildcards, and
a ClusterRole of three lines gives it to others.
"""

from console.audit.search import Scope
from console.web.access import can
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError

GROUP = "operator-console.dev"
AUDIT = ResourceType(GROUP, "v1", "audit", "Audit", namespaced=False)


def may_read_all(client: ClusterClient) -> bool:
    """False where the API server does not answer."""
    try:
        return can(client, "get", AUDIT).allowed
    except KubeError:
        return False


def scope_of(client: ClusterClient) -> Scope:
    if may_read_all(client):
        return Scope(client.name)
    # Who acts as another sees what he himself did as that one, and nothing of that one's own.
    return Scope(client.name, client.by, client.user) if client.by else Scope(client.name, client.user)
