"""The panels of one object's page, by its kind (resources/kinds/)."""

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject
from resources.kinds import Maker, Panel, crds, pods, services

_MAKERS: dict[tuple[str, str], Maker] = {**crds.PANELS, **pods.PANELS, **services.PANELS}


def panels(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> tuple[Panel, ...]:
    """None for kinds that have nothing special."""
    make = _MAKERS.get((type_.group, type_.kind))
    return tuple(make(client, type_, obj)) if make else ()
