"""The button that opens the web page of what an object stands for: an address that its status names, or a Service's
port through a port-forward.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext as _

from console.web.access import can
from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import KubeObject, name_of, namespace_of
from resources.forward.targets import ForwardTarget, Port, ports
from resources.forward.tunnels import tunnels
from resources.page.status_descriptors import StatusValue
from resources.place import Place
from resources.podlogs import pods
from resources.tree.owners import Owned, belongings

#: So many owned Services are asked for their ports.
MAX_SERVICES = 5


@dataclass(frozen=True, slots=True)
class OpenPart:
    """`url` is '' where no web page is known. `title`: where it leads; `external`: out of the console."""

    url: str = ""
    title: str = ""
    external: bool = False


def open_part(
    client: ClusterClient,
    place: Place,
    obj: KubeObject,
    status_values: Iterable[StatusValue],
    owned: Iterable[Owned] | None = None,
) -> OpenPart:
    """`status_values`: the status as the operator describes it; `owned`: the owned objects, where they are known."""
    address = next((value.text for value in status_values if value.look == "link"), "")
    if address:
        return OpenPart(address, address, external=True)
    is_service = place.type.kind == "Service" and not place.type.group
    if not place.namespace or not (is_service or pods.may_have(place.type)):
        return OpenPart()
    try:
        services = iter((obj,)) if is_service else _services(client, place, obj, owned)
        found = next(_web_ports(services), None)
        type_ = client.find("", "v1", "pods")
        if found is None or not can(client, "create", type_, place.namespace, subresource="portforward").allowed:
            return OpenPart()
    except KubeError:
        return OpenPart()
    target, port = found
    title = _("Service %(name)s, port %(port)d, through a port-forward") % {"name": target.name, "port": port.number}
    tunnel = next(
        (tunnel for tunnel in tunnels(client) if tunnel.target == target and tunnel.remote == port.number), None
    )
    if tunnel:
        return OpenPart(tunnel.url if settings.LOCAL_ONLY else tunnel.proxied_url, title, external=True)
    return OpenPart(place.url("forward", target=target.key, remote=str(port.number)), title)


def _services(
    client: ClusterClient, place: Place, obj: KubeObject, owned: Iterable[Owned] | None
) -> Iterator[KubeObject]:
    """Of owned Services only the metadata was read."""
    rows = belongings(client, place.type, obj).rows if owned is None else owned
    services = [row for row in rows if row.type.kind == "Service" and not row.type.group]
    for row in services[:MAX_SERVICES]:
        yield client.get(row.type, name_of(row.object), namespace_of(row.object))


def _web_ports(services: Iterable[KubeObject]) -> Iterator[tuple[ForwardTarget, Port]]:
    for service in services:
        target = ForwardTarget("Service", namespace_of(service), name_of(service))
        yield from ((target, port) for port in ports({**service, "kind": "Service"}) if port.web)
