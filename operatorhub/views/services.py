"""/operators/services/: the resource types that the installed operators provide, one tile with a button for each.

A type that several installs provide (an operator in each of ten namespaces) is one tile; it offers the newest version
of the type.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import quote

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from console.web import render
from console.web.access import refusal
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.discovery import ResourceType
from operatorhub import olm
from operatorhub.csv import Api
from operatorhub.running import installed_operators
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


@require_safe
def services(request: ConsoleRequest) -> HttpResponse:
    """`?q=` keeps those that have its words."""
    client = request.cluster
    if not olm.served(client):
        return render.page(request, "operatorhub/no_olm.html", {})
    q = " ".join(request.GET.get("q", "").split())[:200]
    listed = installed_operators.listed(client, request.namespace)
    operators = listed.rows
    shown = services_of(operators, q)
    context = {
        "services": with_types(client, shown, request.namespace),
        "everything": len(shown) if not q else len(services_of(operators)),
        "q": q,
        "in_namespace": f"?namespace={quote(request.namespace)}" if request.namespace else "",
        "gaps": listed.gaps,
        "topics": olm.topic(client, olm.CSVS, request.namespace),
    }
    return render.page(request, "operatorhub/services.html", context, part=True)


def services_of(operators: Iterable[Operator], q: str = "") -> tuple[Service, ...]:
    """By title. `q`: all its words must be in the kind's or its operators' texts."""
    found: dict[str, Service] = {}
    for operator in operators:
        for api in operator.apis:
            known = found.get(api.crd)
            found[api.crd] = (
                replace(known, operators=(*known.operators, operator)) if known else Service(api, (operator,))
            )
    words = q.lower().split()
    matches = (service for service in found.values() if all(word in _search_text(service) for word in words))
    return tuple(sorted(matches, key=lambda service: (service.api.title.lower(), service.api.crd)))


def _search_text(service: Service) -> str:
    api = service.api
    return " ".join((api.title, api.kind, api.group, api.plural, api.description, *service.titles)).lower()


def with_types(client: ClusterClient, found: Iterable[Service], namespace: str) -> tuple[Service, ...]:
    """With the type that the cluster serves, and whether this user may create one in the namespace ('' = in every
    one).
    """
    return tuple(_with_type(client, service, namespace) for service in found)


def _with_type(client: ClusterClient, service: Service, namespace: str) -> Service:
    type_ = kind_versions.preferred_type(client, service.api.group, service.api.plural)
    if type_ is None:
        return service
    return replace(service, type=type_, refused=refusal(client, "create", type_, namespace))
