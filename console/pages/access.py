"""/access/: what the reader can do in a namespace and what not, and a text that asks an administrator for more."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.reach.discovery import is_name
from console.web import render
from console.web.access import AccessRequest, can
from console.web.frame import known_namespaces
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.discovery import ResourceType

ROLES = ("view", "edit", "admin")
_RBAC = "rbac.authorization.k8s.io"
_MAX_NAMESPACES = 50


@dataclass(frozen=True, slots=True)
class Ability:
    """`role`: the smallest of ROLES that has it."""

    label: str
    role: str
    is_allowed: bool


@dataclass(frozen=True, slots=True)
class AccessLink:
    label: str
    url: str
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AccessPage:
    """`request`: None where nothing that a role of the namespace could give is missing."""

    namespace: str
    namespaces: tuple[AccessLink, ...] = ()
    abilities: tuple[Ability, ...] = ()
    roles: tuple[AccessLink, ...] = ()
    request: AccessRequest | None = None

    @property
    def missing(self) -> tuple[Ability, ...]:
        return tuple(ability for ability in self.abilities if not ability.is_allowed)

    @property
    def allowed(self) -> tuple[Ability, ...]:
        return tuple(ability for ability in self.abilities if ability.is_allowed)


@require_safe
def access(request: ConsoleRequest) -> HttpResponse:
    """Access in `?namespace=`, else in the picked one, else in the first; `?role=`: the role to request."""
    client = request.cluster
    known = known_namespaces(client)
    name = request.namespace if is_name(request.namespace) else known[0] if known else ""
    page = AccessPage(
        namespace=name,
        namespaces=tuple(
            _link(namespace, namespace == name, namespace=namespace) for namespace in known[:_MAX_NAMESPACES]
        ),
    )
    if name:
        page = _of_namespace(client, name, page.namespaces, request.GET.get("role", ""))
    return render.page(request, "console/access.html", {"page": page})


def _of_namespace(client: ClusterClient, namespace: str, namespaces: tuple[AccessLink, ...], role: str) -> AccessPage:
    abilities = _abilities(client, namespace)
    missing = [ability for ability in abilities if not ability.is_allowed]
    if not missing:
        return AccessPage(namespace=namespace, namespaces=namespaces, abilities=abilities)
    needed = [candidate for candidate in ROLES if any(ability.role == candidate for ability in missing)]
    wanted = role if role in needed else needed[0]
    within = ROLES[: ROLES.index(wanted) + 1]
    words = tuple(ability.label for ability in missing if ability.role in within)
    ask = AccessRequest(user=client.user, cluster=client.name, namespace=namespace, role=wanted, missing=words)
    labels = {"view": _("View"), "edit": _("Edit"), "admin": _("Admin")}
    roles = tuple(
        _link(labels[candidate], candidate == wanted, namespace=namespace, role=candidate) for candidate in needed
    )
    return AccessPage(namespace=namespace, namespaces=namespaces, abilities=abilities, roles=roles, request=ask)


def _link(label: str, current: bool, **query: str) -> AccessLink:
    return AccessLink(label, f"?{urlencode(query)}", current)


def _abilities(client: ClusterClient, namespace: str) -> tuple[Ability, ...]:
    """As the API server answers, a question each."""
    asked = (
        (_("See workloads"), "view", "list", "", "pods", ""),
        (_("See settings (ConfigMaps)"), "view", "list", "", "configmaps", ""),
        (_("Read logs"), "view", "get", "", "pods", "log"),
        (_("Create and change workloads"), "edit", "create", "apps", "deployments", ""),
        (_("Delete workloads"), "edit", "delete", "apps", "deployments", ""),
        (_("Change settings (ConfigMaps)"), "edit", "create", "", "configmaps", ""),
        (_("Read and write Secrets"), "edit", "create", "", "secrets", ""),
        (_("Open terminals"), "edit", "create", "", "pods", "exec"),
        (_("Forward ports"), "edit", "create", "", "pods", "portforward"),
        (_("See who has access"), "admin", "list", _RBAC, "rolebindings", ""),
        (_("Give others access"), "admin", "create", _RBAC, "rolebindings", ""),
    )
    found = []
    for label, role, verb, group, plural, part in asked:
        type_ = ResourceType(group=group, version="v1", plural=plural, kind="", namespaced=True)
        found.append(Ability(label, role, can(client, verb, type_, namespace, subresource=part).allowed))
    return tuple(found)
