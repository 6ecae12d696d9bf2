"""/namespaces/: the list of namespaces, a new one by its name, and the picked one.

For users who can't list namespaces (console/reach), the page has their own: how each was found, which are deleted, and
why a named one can't be added.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import Resolver404, resolve, reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from console.pages.clusters import list_above
from console.reach import discovery
from console.reach.discovery import GONE, HERE, REFUSED, Own, check_access, is_name
from console.web import audit, render
from console.web.access import can, view_binding_command
from console.web.errors import explain
from console.web.frame import forget_namespaces
from console.web.front import place_of
from console.web.request import ALL_NAMESPACES, ConsoleRequest, remember_namespace
from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import AlreadyExists, Forbidden, Invalid, KubeError
from kube.objects import name_of
from resources import live_topics

# Kubernetes' own, which an operator's objects have no business in.
SYSTEM = ("kube-", "openshift-")
# Of an address: what another namespace makes untrue.
_OF_NAMESPACE = frozenset({"namespace", "page", "continue"})


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceRow:
    """`phase` is Active or Terminating, '' if the user can't read it.

    `found`: how it was found, for users who can't list namespaces.
    """

    name: str
    phase: str
    created: str
    system: bool
    found: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Namespaces:
    """`total`: how many there are, of which `rows` may only be the first."""

    total: int
    rows: tuple[NamespaceRow, ...]
    topic: str
    may_create: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnNamespaces:
    """`found`: how each was found."""

    lost: tuple[Own, ...]
    found: dict[str, str]


class NewNamespaceForm(forms.Form):
    """The API server checks the name."""

    name = forms.CharField(error_messages={"required": gettext_lazy("Enter a name for the namespace.")})


class OwnNamespaceForm(forms.Form):
    """A namespace of a user who can't list namespaces."""

    name = forms.CharField(required=False)

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if not is_name(name):
            words = _(
                "Use lowercase letters, digits and hyphens, at most 63 characters. Start and end with a letter or "
                "digit."
            )
            raise ValidationError(words)
        return name


def namespace_type(client: ClusterClient) -> ResourceType:
    return client.find("", "v1", "namespaces")


def namespaces_page(client: ClusterClient, q: str, found: Mapping[str, str] | None = None) -> Namespaces:
    """The namespaces with `q` in their name. `found`: how each was found, for users who can't list namespaces."""
    type_ = namespace_type(client)
    if found is not None:
        rows = tuple(_own_row(client, type_, name, how) for name, how in found.items() if q in name)
        return Namespaces(total=len(rows), rows=rows, topic="", may_create=can(client, "create", type_).allowed)
    every = sorted((item for item in client.list(type_).items if q in name_of(item)), key=name_of)
    rows = tuple(
        NamespaceRow(
            name=name_of(namespace),
            phase=str((namespace.get("status") or {}).get("phase") or ""),
            created=str(namespace["metadata"].get("creationTimestamp") or ""),
            system=name_of(namespace).startswith(SYSTEM),
        )
        for namespace in every[: limits.NAMESPACE_ROWS.value]
    )
    return Namespaces(
        total=len(every),
        rows=rows,
        topic=live_topics.topics(client, ("", "v1", "namespaces")),
        may_create=can(client, "create", type_).allowed,
    )


def _own_row(client: ClusterClient, type_: ResourceType, name: str, how: str) -> NamespaceRow:
    try:
        item = client.get(type_, name)
    except KubeError:
        return NamespaceRow(name=name, phase="", created="", system=False, found=how)
    phase = str((item.get("status") or {}).get("phase") or "")
    return NamespaceRow(
        name=name,
        phase=phase,
        created=str(item["metadata"].get("creationTimestamp") or ""),
        system=name.startswith(SYSTEM),
        found=how,
    )


def own_namespaces(client: ClusterClient) -> OwnNamespaces | None:
    """The user's own namespaces, each checked again; None if the user can list all. Raises KubeError."""
    if not discovery.limited(client):
        return None
    known, words = discovery.own(client, refresh=True), discovery.words()
    found = {own.name: words[own.how] for own in known if own.usable}
    return OwnNamespaces(lost=tuple(own for own in known if not own.usable), found=found)


def create(request: ConsoleRequest, form: NewNamespaceForm) -> None:
    """Make the namespace. What the API server refuses becomes an error of the field."""
    name = form.cleaned_data["name"]
    try:
        with audit.recorded(request, "create", f"core/v1/namespaces {name}"):
            manifest = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
            request.cluster.create(namespace_type(request.cluster), manifest)
    except AlreadyExists:
        form.add_error("name", _("Namespace “%(name)s” already exists. Choose another name.") % {"name": name})
    except Invalid as error:
        # The server's sentence about the name alone; the rest of its message repeats the whole object.
        form.add_error("name", "; ".join(cause.message for cause in error.causes) or str(error))
    except Forbidden as error:
        form.add_error("name", f"{explain(error).advice} {error}")
    else:
        forget_namespaces()


def own_refusal(client: ClusterClient, name: str) -> str:
    """Why a user's own namespace can't be added, in words for the field; '' if it can."""
    verdict = check_access(client, name, refresh=True)
    if verdict.state == HERE:
        return ""
    if verdict.state == GONE:
        return _("The namespace “%(name)s” doesn't exist.") % {"name": name}
    if verdict.state == REFUSED:
        return _(
            "You don't have permission to read anything in “%(name)s”, or the namespace doesn't exist. Ask an"
            " administrator for a RoleBinding there."
        ) % {"name": name}
    return _("Couldn't check your access to this namespace: %(words)s") % {"words": verdict.words}


@require_http_methods(["GET", "HEAD", "POST"])
def namespaces(request: ConsoleRequest) -> HttpResponse:
    """The list; a POST makes one and picks it."""
    form = NewNamespaceForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        name = form.cleaned_data["name"]
        create(request, form)
        if not form.errors:
            messages.success(request, _("Namespace “%(name)s” created.") % {"name": name})
            return _picked(request, name)
    return _render(request, form, OwnNamespaceForm())


@require_POST
def own(request: ConsoleRequest) -> HttpResponse:
    """/namespaces/own/: adds or removes a namespace of a user who can't list namespaces.

    `name`: added if the user can read in it; `forget`: removed.
    """
    client = request.cluster
    if forgotten := request.POST.get("forget", ""):
        discovery.forget(client, forgotten)
        messages.success(request, _("Namespace “%(name)s” removed from your list.") % {"name": forgotten})
        return HttpResponseRedirect(reverse("pages:namespaces"))
    form = OwnNamespaceForm(request.POST)
    if not form.is_valid():
        return _render(request, NewNamespaceForm(), form)
    name = form.cleaned_data["name"]
    if refusal := own_refusal(client, name):
        form.add_error("name", refusal)
        return _render(request, NewNamespaceForm(), form, view_binding_command(client.user, name))
    if discovery.limited(client):
        discovery.remember(client, name, discovery.TYPED)
    messages.success(request, _("Namespace “%(name)s” added to your list.") % {"name": name})
    return _picked(request, name)


def _render(
    request: ConsoleRequest, new_form: NewNamespaceForm, own_form: OwnNamespaceForm, command: str = ""
) -> HttpResponse:
    """`command`: with which an administrator would grant access to the namespace of `own_form`."""
    client = request.cluster
    theirs = own_namespaces(client)
    context = {
        "namespaces": namespaces_page(client, request.GET.get("q", "").strip(), theirs.found if theirs else None),
        "own": theirs,
        "new_form": new_form,
        "own_form": own_form,
        "command": command,
    }
    status = 422 if new_form.errors or own_form.errors else 200
    return render.page(request, "console/namespaces.html", context, part=True, status=status)


def _picked(request: ConsoleRequest, name: str) -> HttpResponse:
    """Back to the list, with the namespace that was made or named here picked."""
    response = HttpResponseRedirect(f"{reverse('pages:namespaces')}?{urlencode({'namespace': name})}")
    remember_namespace(request, response, name)
    return response


@require_POST
def pick(request: ConsoleRequest) -> HttpResponse:
    """/namespaces/pick/: the namespace bar.

    `namespace`: a name, or '-' or '' for all; `next`: the page that it stands on.
    """
    name = request.POST.get("namespace", "").strip() or ALL_NAMESPACES
    if name != ALL_NAMESPACES and not is_name(name):
        messages.error(request, _("“%(name)s” isn't a valid namespace name.") % {"name": name[:80]})
        return HttpResponseRedirect(_page(request, {}))
    response = HttpResponseRedirect(_page(request, {"namespace": name}), status=303)
    remember_namespace(request, response, name)
    return response


def _page(request: ConsoleRequest, query: dict[str, str]) -> str:
    """The page that the picker stands on, from its beginning, with this query; only a page of this console.

    A page about one namespace leads to the list that it belongs to: it has nothing to show of another one.
    """
    address = urlsplit(request.POST.get("next", ""))
    pairs = [pair for pair in parse_qsl(address.query, keep_blank_values=True) if pair[0] not in _OF_NAMESPACE]
    if above := _list_above(request, address.path):
        address, pairs = address._replace(path=above), []
    page = urlunsplit(("", "", address.path, urlencode([*query.items(), *pairs]), ""))
    local = page.startswith("/") and url_has_allowed_host_and_scheme(page, None)
    return page if local else reverse("pages:overview")


def _list_above(request: ConsoleRequest, path: str) -> str:
    """Of a page whose address names a namespace; '' of any other."""
    try:
        found = resolve(path.removeprefix(place_of(request).prefix))
    except Resolver404:
        return ""
    return list_above(found) if "namespace" in found.kwargs else ""
