"""…/install/: the form, with the exact objects before they are made.

Every choice is in the address; POST tries them (dry run) or makes them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlencode

from django.http import HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.web import audit, render
from console.web.errors import explain
from console.web.frame import forget_namespaces
from console.web.request import ConsoleRequest
from kube.errors import NotFound
from operatorhub import csv
from operatorhub.bundle import package as packages
from operatorhub.bundle.package import Channel, Description, Manifest
from operatorhub.csv import Api
from operatorhub.install import choices, conflicts, created_objects, draft, situation
from operatorhub.install.choices import ALL, MULTI, OWN, SINGLE, Choices, InstallVersion, forced, read_version
from operatorhub.install.objects import may_monitor, monitoring_home
from operatorhub.install.situation import Missing, Situation
from operatorhub.running.workloads import DONE, FAILED, WAITING, StagePart

#: Above this number a list of namespaces doesn't help, and slows down a page that is rendered on every choice: the form
#: has text fields instead.
_MAX_LISTED_NAMESPACES = 500

#: Catalogs that are not OLM's: a ClusterCatalog's packages are installed by OLM v1, the console's own ones by a run.
_ELSEWHERE = {"-": ("operatorhub:extension-new", "version"), "~": ("operatorhub:run", "bundle")}


@dataclass(frozen=True, slots=True)
class Mode:
    """One install mode. `refused`: why it can't be chosen."""

    name: str
    label: str
    words: str
    refused: str


@dataclass(frozen=True, slots=True)
class ProvidedKind:
    """A card: a kind that the operator brings. `first`: it asks for one object of it before it works."""

    api: Api
    first: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallOptions:
    """All that the page shows beside what was chosen. `manual`: why approval must be manual."""

    manifest: Manifest
    channel: Channel
    about: Description
    situation: Situation
    modes: tuple[Mode, ...]
    suggested: str
    recommended: bool
    icon_name: str
    missing: tuple[Missing, ...]
    manual: str
    kinds: tuple[ProvidedKind, ...]
    monitoring: str
    version_old: bool
    version: InstallVersion

    @property
    def manifests_url(self) -> str:
        place = [self.manifest.namespace, self.manifest.catalog, self.manifest.name]
        return reverse("operatorhub:install-manifests", args=place)

    @property
    def listed(self) -> bool:
        """Whether namespaces are offered in lists."""
        return 0 < len(self.situation.namespaces) <= _MAX_LISTED_NAMESPACES


@require_http_methods(["GET", "HEAD", "POST"])
def install(request: ConsoleRequest, namespace: str, catalog: str, package: str) -> HttpResponse:
    """GET shows the objects for the current choices; POST creates them and redirects to the progress page."""
    if namespace in _ELSEWHERE:
        return _elsewhere(request, namespace, catalog, package)
    page, form = _read(request, namespace, catalog, package)
    # Of the last attempt: with each choice the form is asked for again. A link can't name objects to delete.
    sent = request.POST if request.method == "POST" else request.GET if request.htmx else QueryDict()
    created = created_objects.targets(sent.getlist("target"))
    made: created_objects.Made | None = None
    outcomes: tuple[StagePart, ...] = ()
    status = 200
    if request.method == "POST":
        status = 422
        if "dry_run" in request.POST and not form.errors:
            outcomes, status = _outcomes(created_objects.dry_run(request.cluster, form.objects), dry_run=True), 200
        elif not form.errors:
            record = partial(audit.record, request, "create")
            made = created_objects.create(request.cluster, form.objects, record, created)
            forget_namespaces()
            if made.error is None:
                return HttpResponseRedirect(reverse("operatorhub:progress", args=[form.choices.namespace, package]))
            outcomes, created = _outcomes(made.answers), made.created
            # The objects created before the refusal now exist.
            page, form = _read(request, namespace, catalog, package)
    problem = explain(made.error) if made and made.error else None
    tried = {(answer.kind, answer.name) for answer in made.answers} if made else ()
    context = {
        "page": page,
        "draft": form,
        "made": made,
        "problem": problem,
        "outcomes": outcomes,
        "created": created,
        "earlier": tuple(_still(item) for item in created if (item.kind, item.name) not in tried),
    }
    answer = render.page(request, "operatorhub/install.html", context, part=True, status=status)
    if request.htmx and request.method != "POST":
        answer["HX-Replace-Url"] = f"{request.path}?{form.choices.query()}"
    return answer


def _outcomes(answers: Iterable[created_objects.CreateResult], *, dry_run: bool = False) -> tuple[StagePart, ...]:
    """What the API server said to each object."""
    return tuple(_outcome(answer, dry_run=dry_run) for answer in answers)


def _still(item: created_objects.DeletionTarget) -> StagePart:
    return StagePart(kind=item.kind, name=item.name, state=DONE, words=_("created, still exists"))


def _outcome(answer: created_objects.CreateResult, *, dry_run: bool) -> StagePart:
    words = {
        "ok": _("would be created") if dry_run else _("created, still exists"),
        "present": _("already existed"),
        "waits": _("can't be checked until the namespace %(namespace)s exists") % {"namespace": answer.namespace},
        "refused": answer.error.message if dry_run and answer.error else _("refused"),
        "untried": _("not attempted"),
    }
    state = {"ok": DONE, "present": DONE, "refused": FAILED}.get(answer.outcome, WAITING)
    return StagePart(kind=answer.kind, name=answer.name, state=state, words=words[answer.outcome])


@require_safe
def manifests(request: ConsoleRequest, namespace: str, catalog: str, package: str) -> HttpResponse:
    """The objects of the same choices as a file."""
    _page, form = _read(request, namespace, catalog, package)
    return render.as_file(HttpResponse(form.yaml, content_type="application/yaml; charset=utf-8"), f"{package}.yaml")


def _elsewhere(request: ConsoleRequest, namespace: str, catalog: str, package: str) -> HttpResponse:
    page, key = _ELSEWHERE[namespace]
    query = {"package": package, "catalog": catalog, key: request.GET.get("version", "")}
    return HttpResponseRedirect(f"{reverse(page)}?{urlencode({name: value for name, value in query.items() if value})}")


def _read(
    request: ConsoleRequest, namespace: str, catalog: str, package: str
) -> tuple[InstallOptions, draft.InstallDraft]:
    client, posted = request.cluster, request.method == "POST"
    manifest = packages.read(client, namespace, catalog, package, request.namespace)
    data = request.POST if posted else request.GET
    channel = manifest.channel(data.get("channel", ""))
    if channel is None:
        raise NotFound(_("The package “%(name)s” has no channel, so it can't be installed.") % {"name": package})
    chosen_version = read_version(client, manifest, channel, data.get("version", ""), request.namespace)
    channel = chosen_version.channel
    about = packages.describe(channel, package)
    found = situation.read_situation(client, request.namespace, namespace)
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
    page = _options(
        manifest=manifest,
        chosen_version=chosen_version,
        about=about,
        found=found,
        chosen=chosen,
        suggested=suggested,
        icon_name=icon,
        missing=situation.missing_rights(client, form.objects),
    )
    return page, form


def _options(
    manifest: Manifest,
    chosen_version: InstallVersion,
    about: Description,
    found: Situation,
    chosen: Choices,
    suggested: str,
    icon_name: str,
    missing: tuple[Missing, ...],
) -> InstallOptions:
    """All that the page shows beside the choices."""
    channel = chosen_version.channel
    notes = channel.desc.annotations
    first = csv.initialization(notes) or {}
    why = forced(
        channel=channel,
        situation=found,
        package=manifest.name,
        version=chosen.version,
        namespace=chosen.namespace,
        cfg=chosen.config,
    )
    return InstallOptions(
        manifest=manifest,
        channel=channel,
        about=about,
        situation=found,
        modes=tuple(_modes(about)),
        suggested=suggested,
        recommended=bool(about.suggested_namespace) and suggested == about.suggested_namespace,
        icon_name=icon_name,
        missing=missing,
        manual=conflicts.forced_words(why),
        kinds=tuple(ProvidedKind(api, api.kind == first.get("kind")) for api in about.apis),
        monitoring=monitoring_home(found) if may_monitor(notes, chosen, found) else "",
        version_old=bool(chosen.version) and chosen.version != channel.csv,
        version=chosen_version,
    )


def _modes(about: Description) -> Iterator[Mode]:
    """All four, in OLM's order."""
    texts = {
        ALL: (_("All namespaces of the cluster"), _("the usual choice")),
        OWN: (_("Only the namespace it is installed in"), ""),
        SINGLE: (_("One other namespace"), _("runs in its own namespace and watches the selected namespace")),
        MULTI: (_("Several namespaces"), _("runs in its own namespace and watches the selected namespaces")),
    }
    for name in csv.MODES:
        refused = "" if name in about.modes else _("not supported by this operator")
        yield Mode(name, texts[name][0], texts[name][1], refused)
