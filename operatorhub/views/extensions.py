"""/extensions/: OLM v1's ClusterExtensions: listed, installed, shown with their conditions in words, upgraded, deleted
with everything that they created.
"""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.web import audit, render
from console.web.access import refusal
from console.web.errors import explain
from console.web.frame import forget_namespaces
from console.web.request import ConsoleRequest
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import KubeObject, name_of
from operatorhub import tasks
from operatorhub.bundle import bundles
from operatorhub.bundle.package import lifecycle_here
from operatorhub.extensions import draft, facts
from operatorhub.install import situation
from operatorhub.sources.drafts import SourceError
from operatorhub.views.run import result_rows
from resources import imports, live_topics
from resources.views import importing


@require_safe
def extensions(request: ConsoleRequest) -> HttpResponse:
    """The list; on a cluster without OLM v1 it says so."""
    client = request.cluster
    if not facts.served(client):
        return render.page(request, "operatorhub/extensions.html", {"absent": True})
    topics = live_topics.topics(
        client, (facts.GROUP, facts.VERSION, facts.EXTENSIONS), (facts.GROUP, facts.VERSION, facts.CATALOGS)
    )
    context = {"extensions": facts.every(client), "serving": _serving(client), "topics": topics}
    return render.page(request, "operatorhub/extensions.html", context, part=True)


@require_safe
def extension(request: ConsoleRequest, name: str) -> HttpResponse:
    """Live: its conditions in words, what it made, where it can go."""
    client = request.cluster
    found = facts.read(client.get(facts.type_of(client), name))
    graph = _graph(client, found.catalog, found.package)
    versions = facts.candidates(graph, found.channels, "", (found.bundle, found.installed)) if graph else ()
    own = live_topics.topics(client, (facts.GROUP, facts.VERSION, facts.EXTENSIONS))
    context = {
        "extension": found,
        "lifecycle": lifecycle_here(client, graph.lifecycle, found.installed) if graph else None,
        "objects": facts.owned_objects(client, name),
        "next": [version for version in versions if version.follows and version.name != found.bundle],
        "topics": f"{own} {live_topics.topics(client, live_topics.DEPLOYMENTS, namespace=found.namespace)}",
        "refused": refusal(client, "patch", facts.type_of(client), "", name),
    }
    return render.page(request, "operatorhub/extension.html", context, part=True)


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: ConsoleRequest) -> HttpResponse:
    """GET shows what would be made of the choices so far; `~check` tries it, `~make` makes it."""
    client = request.cluster
    accounts = facts.wants_account(client)
    sent = request.POST if request.method == "POST" else request.GET
    here = situation.read_situation(client, request.namespace)
    form = draft.ExtensionForm(_extension_data(sent), _taken(client), accounts=accounts)
    catalog, package = form.choices["catalog"], form.choices["package"]
    graph = _graph(client, catalog, package)
    _found, picked = draft.target(graph, form.choices)
    bundle = _bundle(client, catalog, package, picked.name if picked else "")
    wanted = draft.new(form, graph, bundle, here, accounts=accounts)
    context = {
        "draft": wanted,
        "graph": graph,
        "accounts": accounts,
        "catalogs": _catalogs(client),
        "serving": _serving(client),
        "reading": bool(package) and graph is None and tasks.ask_for_all(request.cluster),
        "namespaces": list(here.namespaces),
    }
    return _answer(request, wanted, "operatorhub/extension_form.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def upgrade(request: ConsoleRequest, name: str) -> HttpResponse:
    """Another version, range, channels or policy; the rights of the account grow with it."""
    client = request.cluster
    accounts = facts.wants_account(client)
    present = facts.read(client.get(facts.type_of(client), name))
    form = draft.UpgradeForm(_upgrade_data(present, request.POST if request.method == "POST" else request.GET))
    graph = _graph(client, present.catalog, present.package)
    _found, picked = draft.target(graph, form.choices, (present.bundle, present.installed))
    names = dict.fromkeys((present.bundle, picked.name if picked else ""))
    both = (_bundle(client, present.catalog, present.package, bundle_name) for bundle_name in names)
    wanted = draft.upgrade(present, form, graph, [bundle for bundle in both if bundle], accounts=accounts)
    context: dict[str, Any] = {"draft": wanted, "graph": graph, "accounts": accounts, "extension": present}
    return _answer(request, wanted, "operatorhub/extension_form.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: ConsoleRequest, name: str) -> HttpResponse:
    """POST deletes exactly the one that the page showed."""
    client, problem = request.cluster, None
    type_ = facts.type_of(client)
    found = facts.read(client.get(type_, name))
    if request.method == "POST":
        try:
            with audit.recorded(request, "delete", facts.ref(name)):
                client.delete(type_, name, uid=request.POST.get("uid", ""))
        except KubeError as error:
            problem = explain(error)
        else:
            messages.success(
                request, _("%(name)s is being deleted, with all objects that it created.") % {"name": name}
            )
            return HttpResponseRedirect(reverse("operatorhub:extensions"))
    made = facts.owned_objects(client, name)
    context = {
        "extension": found,
        "objects": made,
        "instances": facts.count_instances(client, made),
        "problem": problem,
        "refused": refusal(client, "delete", type_, "", name),
        "kubectl": f"kubectl delete clusterextension {name}",
    }
    return render.page(request, "operatorhub/extension_delete.html", context, status=problem.status if problem else 200)


def _answer(
    request: ConsoleRequest, wanted: draft.ExtensionDraft, template: str, context: dict[str, Any]
) -> HttpResponse:
    missing = situation.missing_rights(request.cluster, wanted.objects, "patch")
    context |= {"form": wanted.form, "missing": missing}
    acts = request.method == "POST" and ({"~make", "~check"} & request.POST.keys())
    if acts and wanted.form.is_valid() and not missing:
        checked, obj = "~check" in request.POST, wanted.objects[-1]
        importer = _Taking(request.cluster, obj["spec"]["namespace"], True, checked)
        results = importer.run(_documents(wanted.objects))
        good = all(result.good for result in results)
        if not checked:
            importing.record(request, results)
            forget_namespaces()
            if good:
                return HttpResponseRedirect(reverse("operatorhub:extension", args=[name_of(obj)]))
        words = _("All objects would be accepted.") if good else _("Some objects were refused.")
        context["page"] = {"rows": result_rows(results, checked), "summary": words}
        return render.page(request, template, context, part=True, status=200 if good else 422)
    return render.page(request, template, context, part=True, status=422 if acts and wanted.form.errors else 200)


class _Taking(imports.Import):
    """What was applied by another tool is taken over; of a ClusterExtension that is there only what the form asks is
    changed, the rest stays.
    """

    def applied(self, type_: ResourceType, name: str, obj: KubeObject, namespace: str) -> KubeObject:
        if type_.plural == facts.EXTENSIONS and self.there(type_, name, "") is not None:
            return self.client.patch(type_, name, draft.change(obj), dry_run=self.dry_run)
        return self.client.patch(type_, name, obj, namespace, style="apply", dry_run=self.dry_run, force=True)


def _documents(objects: tuple[KubeObject, ...]) -> tuple[imports.Document, ...]:
    return tuple(imports.Document(number, 0, item) for number, item in enumerate(objects, 1))


def _names(package: str) -> dict[str, str]:
    base = package.strip().replace(".", "-")[:50].strip("-") or "extension"
    return {"name": base, "namespace": base, "account": f"{base}-installer"}


def _extension_data(sent: QueryDict) -> dict[str, Any]:
    """What was submitted; before that, names made of the package's.

    `named_after`: the package that they were made of. While the form is filled in, unchanged names follow the package.
    """
    names = _names(sent.get("package", ""))
    follows = "named_after" in sent and not {"~make", "~check"} & sent.keys()
    earlier = _names(sent.get("named_after", "")) if follows else {}
    data: dict[str, Any] = {
        "package": "",
        "policy": facts.CATALOG_PROVIDED,
        **sent.dict(),
        **{key: name for key, name in names.items() if sent.get(key, earlier.get(key)) == earlier.get(key)},
        "channels": sent.getlist("channels"),
    }
    if "name" not in sent:
        # A link from a package's page names the one channel that was looked at.
        channels = data["channels"] or sent.getlist("channel")
        data |= {"channels": channels, "make_account": True, "unsafe": False}
    return data


def _upgrade_data(present: facts.Extension, sent: QueryDict) -> dict[str, Any]:
    """What was submitted; before that, the values of the object."""
    data: dict[str, Any] = {"policy": present.policy, **sent.dict(), "channels": sent.getlist("channels")}
    if "~form" not in sent:
        data |= {
            "version": sent.get("version", present.version),
            "channels": present.channels,
            "policy": present.policy,
            "make_account": True,
            "unsafe": present.safety == "None",
        }
    return data


def _taken(client: ClusterClient) -> frozenset[str]:
    """Existing names; if the user can't list them, the API server decides."""
    try:
        return frozenset(installed.name for installed in facts.every(client))
    except Forbidden:
        return frozenset()


def _catalogs(client: ClusterClient) -> tuple[str, ...]:
    try:
        return tuple(row.object["metadata"]["name"] for row in client.table(facts.type_of(client, facts.CATALOGS)).rows)
    except KubeError:
        return ()


def _serving(client: ClusterClient) -> bool:
    """True if any ClusterCatalog can be installed from, or if the user can't read them."""
    try:
        found = client.list(facts.type_of(client, facts.CATALOGS)).items
    except KubeError:
        return True
    return any(facts.serving(item) for item in found)


def _graph(client: ClusterClient, catalog: str, package: str) -> bundles.Graph | None:
    """Of the named catalog, or of the first that has the package; None if it is unknown."""
    for name in (catalog,) if catalog else _catalogs(client):
        try:
            return bundles.graph(client, "-", name, package)
        except NotFound:
            continue
    return None


def _bundle(client: ClusterClient, catalog: str, package: str, name: str) -> bundles.Bundle | None:
    for place in (catalog,) if catalog else _catalogs(client):
        try:
            if name and (found := bundles.bundle(client, "-", place, package, name)):
                return found if found.csv and not found.partial else None
        except (NotFound, SourceError):
            continue
    return None
