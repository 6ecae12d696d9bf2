"""/resources/who-can/: who may do something with a kind, as the roles and bindings say it; and what the API server
says of oneself.
"""

from dataclasses import dataclass

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.access import can
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from resources import whocan
from resources.kinds.parts import Bit, Cell, Table, line, lines, see
from resources.whocan import GROUP, VERBS, Answer, Question, Way


@dataclass(frozen=True, slots=True, kw_only=True)
class WhoCanPage:
    """`mine`: what the API server answers about oneself, None while nothing is asked."""

    verb: str
    resource: str
    kinds: tuple[str, ...]
    namespace: str
    error: str = ""
    table: Table | None = None
    gaps: tuple[str, ...] = ()
    mine: bool | None = None
    kubectl: str = ""
    verbs: tuple[str, ...] = VERBS


@require_safe
def who_can(request: ConsoleRequest) -> HttpResponse:
    """`?verb=`, `?resource=` (pods, deployments.apps, pods/exec; `?kind=` is the same), and the picked namespace."""
    client, get = request.cluster, request.GET
    verb = get.get("verb", "get").strip() or "get"
    resource = get.get("resource", "").strip() or get.get("kind", "").strip()
    kinds = tuple(dict.fromkeys(type_.qualified for type_ in client.types()))
    page = WhoCanPage(verb=verb, resource=resource, kinds=kinds, namespace=request.namespace)
    if resource:
        page = _asked(client, page)
    status = 422 if page.error else 200
    return render.page(request, "resources/who_can.html", {"page": page}, status=status)


def _asked(client: ClusterClient, page: WhoCanPage) -> WhoCanPage:
    named, _slash, part = page.resource.partition("/")
    plural, _dot, group = named.partition(".")
    type_ = _type(client, plural, group)
    if type_ is None:
        error = _(
            "The cluster doesn't serve “%(name)s”. Use a name from the list, such as pods, "
            "deployments.apps or pods/exec."
        )
        return WhoCanPage(
            verb=page.verb,
            resource=page.resource,
            kinds=page.kinds,
            namespace=page.namespace,
            error=error % {"name": page.resource[:100]},
        )
    space = page.namespace if type_.namespaced else ""
    resource = f"{type_.plural}/{part}" if part else type_.plural
    answer = whocan.ask(client, Question(page.verb, type_.group, resource, space))
    scope = f" -n {space}" if space else " -A"
    return WhoCanPage(
        verb=page.verb,
        resource=page.resource,
        kinds=page.kinds,
        namespace=page.namespace,
        table=_table(client, answer, space),
        gaps=answer.gaps,
        mine=_mine(client, page.verb, type_, space, part),
        kubectl=f"kubectl get clusterrolebindings,rolebindings{scope} -o wide",
    )


def _type(client: ClusterClient, name: str, group: str) -> ResourceType | None:
    """By its plural, kind or short name, as kubectl takes them."""
    try:
        return client.find(group, "", name)
    except NotFound:
        known = (type_ for type_ in client.types() if not group or type_.group == group)
        return next((type_ for type_ in known if name.lower() in (type_.kind.lower(), *type_.short_names)), None)


def _mine(client: ClusterClient, verb: str, type_: ResourceType, space: str, part: str) -> bool | None:
    try:
        return can(client, verb, type_, space, subresource=part).allowed
    except KubeError:
        return None


def _table(client: ClusterClient, answer: Answer, space: str) -> Table:
    rows = tuple(
        (
            _subject(client, way),
            see(
                client=client,
                group=GROUP,
                kind=way.role_kind,
                name=way.role,
                namespace=way.namespace,
                words=f"{way.role_kind} {way.role}",
            ),
            see(client, GROUP, "RoleBinding" if way.namespace else "ClusterRoleBinding", way.binding, way.namespace),
            line(way.namespace or _("the whole cluster")),
            lines(way.names) or line(_("All")),
        )
        for way in answer.ways
    )
    columns = (_("Who"), _("Role"), _("Defined by"), _("Scope"), _("Objects"))
    note = "" if space else _("Roles in individual namespaces aren't included. Select a namespace to see them.")
    return Table(
        title=_("Who can"), columns=columns, rows=rows, note=note, empty=_("No one, according to roles and bindings.")
    )


def _subject(client: ClusterClient, way: Way) -> Cell:
    words = {"User": _("user %(name)s"), "Group": _("group %(name)s"), "ServiceAccount": _("service account %(name)s")}
    label = words.get(way.subject_kind, "%(name)s") % {"name": way.subject}
    if way.subject_kind != "ServiceAccount":
        return (Bit(text=label),)
    return see(
        client=client,
        group="",
        kind="ServiceAccount",
        name=way.subject,
        namespace=way.subject_namespace,
        words=f"{label} ({way.subject_namespace})",
    )
