"""The fixes that buttons on an install's page apply, and the live topics of that page."""

from datetime import UTC, datetime
from typing import Any

from kube.client import ClusterClient
from operatorhub import olm

ACTIONS = ("group-own", "group-all", "look-again")
LOOK_AGAIN = "operator-console.dev/look-again"


def make_group(client: ClusterClient, namespace: str, everywhere: bool) -> str:
    """An OperatorGroup where there is none. Returns how the audit log names it."""
    spec: dict[str, Any] = {} if everywhere else {"targetNamespaces": [namespace]}
    meta = {"name": namespace, "namespace": namespace}
    body = {"apiVersion": f"{olm.GROUP}/v1", "kind": "OperatorGroup", "metadata": meta, "spec": spec}
    client.create(olm.type_of(client, "operatorgroups"), body, namespace)
    return f"{olm.GROUP}/v1/operatorgroups {namespace}/{namespace}"


def look_again(client: ClusterClient, namespace: str, name: str) -> str:
    """A change that means nothing, so that OLM looks at the Subscription once more.

    Returns how the audit log names it.
    """
    patch = {"metadata": {"annotations": {LOOK_AGAIN: datetime.now(UTC).isoformat(timespec="seconds")}}}
    client.patch(olm.type_of(client, olm.SUBSCRIPTIONS), name, patch, namespace)
    return olm.ref(olm.SUBSCRIPTIONS, namespace, name)


def topics(client: ClusterClient, namespace: str, sub: olm.Subscription) -> list[str]:
    """Everything whose change can change the page."""
    found = [
        olm.topic(client, plural, namespace) for plural in (olm.SUBSCRIPTIONS, olm.PLANS, olm.CSVS, "operatorgroups")
    ]
    found.append(olm.topic(client, "deployments", namespace, "apps", "v1"))
    found.append(olm.topic(client, "pods", namespace, "", "v1"))
    if not sub.current_csv:
        found.append(olm.topic(client, olm.SOURCES, sub.catalog_namespace))
    return found
