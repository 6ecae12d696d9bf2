"""A Service's page."""

from collections.abc import Iterable
from dataclasses import dataclass

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject
from resources.health import items, mapping, text
from resources.kinds import Kind, Maker, Panel


@dataclass(frozen=True, slots=True)
class Port:
    """A Service's port; `target` is a number or a name."""

    name: str
    number: str
    protocol: str
    target: str
    node_port: str


def panels(_client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    if found := _ports(obj):
        yield Panel("ports", "resources/kinds/_ports.html", found)


def _ports(obj: KubeObject) -> tuple[Port, ...]:
    return tuple(
        Port(
            text(entry.get("name")),
            text(entry.get("port")),
            text(entry.get("protocol")) or "TCP",
            text(entry.get("targetPort")) or text(entry.get("port")),
            text(entry.get("nodePort")),
        )
        for entry in items(mapping(obj.get("spec")).get("ports"))
    )


PANELS: dict[Kind, Maker] = {("", "Service"): panels}
