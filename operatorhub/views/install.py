"""…/install/: the form, with the exact objects before they are made.

Every choice is in the address; POST tries them (dry run) or makes them.
"""

from functools import partial
from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.web import audit, render
from console.web.errors import explain
from console.web.frame import forget_namespaces
from console.web.request import ConsoleRequest
from kube.errors import NotFound
from operatorhub.bundle import package as packages
from operatorhub.install import choices, conflicts, create, draft, offer, rights, situation, version


@require_http_methods(["GET", "HEAD", "POST"])
def install(request: ConsoleRequest, namespace: str, catalog: str, package: str) -> HttpResponse:
    """GET shows the objects for the current choices; POST creates them and redirects to the progress page."""
    if namespace in _ELSEWHERE:
        return _elsewhere(request, namespace, catalog, package)
    page, form = _read(request, namespace, catalog, package)
    made: create.Made | None = None
    answers: tuple[create.CreateResult, ...] = ()
    status = 200
    if request.method == "POST":
        status = 422
        if "dry_run" in request.POST and not form.errors:
            answers, status = create.dry_run(request.cluster, form.objects), 200
        elif not form.errors:
            made = create.create(request.cluster, form.objects, partial(audit.record, request, "create"))
            forget_namespaces()
            if made.error is None:
                return HttpResponseRedirect(reverse("operatorhub:progress", args=[form.choices.namespace, package]))
            # The objects created before the refusal now exist.
            page, form = _read(request, namespace, catalog, package)
    problem = explain(made.error) if made and made.error else None
    context = {"page": page, "draft": form, "made": made, "problem": problem, "answers": answers}
    answer = render.page(request, "operatorhub/install.html", context, part=True, status=status)
    if request.htmx and request.method != "POST":
        answer["HX-Replace-Url"] = f"{request.path}?{form.choices.query()}"
    return answer


#: Catalogs that are not OLM's: a ClusterCatalog's packages are installed by OLM v1, the console's own ones by a run.
_ELSEWHERE = {"-": ("operatorhub:extension-new", "version"), "~": ("operatorhub:run", "bundle")}


def _elsewhere(request: ConsoleRequest, namespace: str, catalog: str, package: str) -> HttpResponse:
    page, key = _ELSEWHERE[namespace]
    query = {"package": package, "catalog": catalog, key: request.GET.get("version", "")}
    return HttpResponseRedirect(f"{reverse(page)}?{urlencode({name: value for name, value in query.items() if value})}")


@require_safe
def manifests(request: ConsoleRequest, namespace: str, catalog: str, package: str) -> HttpResponse:
    """The objects of the same choices as a file."""
    _page, form = _read(request, namespace, catalog, package)
    return render.as_file(HttpResponse(form.yaml, content_type="application/yaml; charset=utf-8"), f"{package}.yaml")


def _read(
    request: ConsoleRequest, namespace: str, catalog: str, package: str
) -> tuple[offer.InstallOptions, draft.InstallDraft]:
    client, posted = request.cluster, request.method == "POST"
    manifest = packages.read(client, namespace, catalog, package, request.namespace)
    data = request.POST if posted else request.GET
    channel = manifest.channel(data.get("channel", ""))
    if channel is None:
        raise NotFound(_("The package “%(name)s” has no channel, so it can't be installed.") % {"name": package})
    chosen_version = version.read(client, manifest, channel, data.get("version", ""), request.namespace)
    channel = chosen_version.channel
    about = packages.describe(channel, package)
    found = situation.read_situation(client, request.namespace)
    picked = request.namespace
    chosen = choices.read(
        data=data, posted=posted, channel=channel, about=about, situation=found, package=package, picked=picked
    )
    asked = conflicts.InstallRequest(
        manifest=manifest,
        channel=channel,
        about=about,
        situation=found,
        choices=chosen,
        exact=chosen_version.exact,
        needs=chosen_version.needs,
    )
    form = draft.make(asked, client)
    suggested = choices.suggestion(about, found, chosen.mode, picked, package)
    icon = packages.icon_name(client, namespace, catalog, package)
    page = offer.make(
        manifest=manifest,
        version=chosen_version,
        about=about,
        situation=found,
        choices=chosen,
        suggested=suggested,
        icon_name=icon,
        missing=rights.missing(client, form.objects),
    )
    return page, form
