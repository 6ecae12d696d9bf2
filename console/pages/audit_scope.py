"""Whose acts somebody may read in the audit. The API server says it (decision 20): there is no second list of rights.

One's own always. Everybody's with the right to `get` the resource `audit` of the group operator-console.dev in all of the cluster. No server serves such a
resource; RBAC judges by names alone, so cluster-admin has it by its wildcards, and a ClusterRole of three lines gives it to others.
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
    return Scope(client.name, "" if may_read_all(client) else client.user)
