"""APIServices: API groups that another server answers for.

There is none behind the sandbox, so each such group is there, and does not answer.

As kube-aggregator's: discovery calls the group stale, its paths say 503 in plain text, and the APIService's condition
says why (pkg/controllers/status/remote, pkg/apiserver/handler_proxy.go).
"""

from __future__ import annotations

from .cluster import Cluster
from .context import Context
from .crdnames import set_condition
from .errors import ApiError
from .http import Response
from .objects import Object, dig

APISERVICES = "apiservices.apiregistration.k8s.io"
SERVICES = "services"


async def run(cluster: Cluster, context: Context) -> None:
    """Keeps the list of groups that do not answer, and each condition."""
    async for event in cluster.watch(APISERVICES):
        service = event.object
        name = service["metadata"]["name"]
        version = str(dig(service, "spec", "group") or ""), str(dig(service, "spec", "version") or "")
        if event.type == "DELETED" or not dig(service, "spec", "service"):
            context.unavailable.discard(version)
        elif version not in context.aggregated and not _served(cluster, version):
            context.unavailable.add(version)
        if event.type != "DELETED" and not dig(service, "status", "conditions"):
            _write_status(cluster, name, service)


def unavailable() -> Response:
    """The response for all paths of an unavailable API group."""
    return Response(b"service unavailable\n", 503, "text/plain; charset=utf-8")


def _served(cluster: Cluster, version: tuple[str, str]) -> bool:
    return any((resource.group, resource.version) == version for resource in cluster.verbs.registry.all())


def _write_status(cluster: Cluster, name: str, obj: Object) -> None:
    status: Object = {}
    service = dig(obj, "spec", "service")
    if not service:
        set_condition(status, "Available", True, "Local", "Local APIServices are always available")
    else:
        namespace, wanted = str(service.get("namespace") or ""), str(service.get("name") or "")
        try:
            cluster.get(SERVICES, wanted, namespace)
            reason, why = (
                "MissingEndpoints",
                f'endpoints for service/{wanted} in "{namespace}" have no addresses with port name ""',
            )
        except ApiError:
            reason, why = "ServiceNotFound", f'service/{wanted} in "{namespace}" is not present'
        set_condition(status, "Available", False, reason, why)
    try:
        cluster.patch(APISERVICES, name, {"status": status}, subresource="status")
    except ApiError:
        return  # it went meanwhile
