"""The kinds that installed operators provide, one tile for each kind.

A kind that several installs provide (an operator in each of ten namespaces) is one tile; the newest version of it is
offered.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from console.web.access import refusal
from kube.client import ClusterClient
from kube.discovery import ResourceType
from operatorhub.csv import Api
from operatorhub.running.installed_operators import Operator
from resources.types import kind_versions


@dataclass(frozen=True, slots=True)
class Service:
    """One kind.

    `operators`: its providers. `type`: None while the cluster doesn't serve it; `refused`: why nothing can be created
    here, '' if it can.
    """

    api: Api
    operators: tuple[Operator, ...]
    type: ResourceType | None = None
    refused: str = ""

    @property
    def icon_name(self) -> str:
        return next((operator.icon_name for operator in self.operators if operator.icon_name), "")

    @property
    def titles(self) -> tuple[str, ...]:
        """Of its operators, each once."""
        return tuple(dict.fromkeys(operator.title for operator in self.operators))


def services(operators: Iterable[Operator], q: str = "") -> tuple[Service, ...]:
    """By title. `q`: all its words must be in the kind's or its operators' texts."""
    found: dict[str, Service] = {}
    for operator in operators:
        for api in operator.apis:
            known = found.get(api.crd)
            found[api.crd] = (
                replace(known, operators=(*known.operators, operator)) if known else Service(api, (operator,))
            )
    words = q.lower().split()
    matches = (service for service in found.values() if all(word in _texts(service) for word in words))
    return tuple(sorted(matches, key=lambda service: (service.api.title.lower(), service.api.crd)))


def _texts(service: Service) -> str:
    api = service.api
    return " ".join((api.title, api.kind, api.group, api.plural, api.description, *service.titles)).lower()


def served(client: ClusterClient, found: Iterable[Service], namespace: str) -> tuple[Service, ...]:
    """With the type that the cluster serves, and whether this user may create one in the namespace ('' = in every
    one).
    """
    return tuple(_served(client, service, namespace) for service in found)


def _served(client: ClusterClient, service: Service, namespace: str) -> Service:
    type_ = kind_versions.preferred_type(client, service.api.group, service.api.plural)
    if type_ is None:
        return service
    return replace(service, type=type_, refused=refusal(client, "create", type_, namespace))
