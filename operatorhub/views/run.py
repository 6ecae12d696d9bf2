"""/operatorhub/run/: reads and validates a given bundle, shows its objects, does a dry run, creates them.

/operators/<namespace>/runs/<package>/ shows the progress of a run; …/remove/ deletes all its objects.

The rows of operatorhub/_results.html are made here for other pages too.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from console.web import audit, render
from console.web.errors import explain
from console.web.frame import forget_namespaces
from console.web.request import ConsoleRequest
from kube import limits
from operatorhub import olm
from operatorhub.admin import catalogs
from operatorhub.bundle import bundles, permissions
from operatorhub.install import situation
from operatorhub.install.created_objects import Removed
from operatorhub.run import bundle_input, follow, plan, removal, verdicts
from operatorhub.sources.drafts import SourceError
from resources import live_topics
from resources.imports import Result
from resources.views import importing
from resources.views.importing import ImportRow


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPage:
    """`packed`: what was given, carried along; `findings`: in the bundle, and of files that can't be read; `modes`:
    names and labels; `rows`: results of a dry run (`checked`) or of a run that did not go through.
    """

    problem: str = ""
    source: bundle_input.Given | None = None
    packed: str = ""
    bundle: bundles.Bundle | None = None
    findings: tuple[verdicts.Verdict, ...] = ()
    wanted: plan.RunPlan | None = None
    modes: tuple[tuple[str, str], ...] = ()
    namespaces: tuple[str, ...] = ()
    missing: tuple[situation.Missing, ...] = ()
    dangers: tuple[permissions.Right, ...] = ()
    rows: tuple[ImportRow, ...] = ()
    checked: bool = False
    summary: str = ""

    @property
    def ready(self) -> bool:
        return bool(self.wanted and not self.wanted.errors and not verdicts.refused(self.findings) and not self.missing)


@require_http_methods(["GET", "HEAD", "POST"])
def run(request: ConsoleRequest) -> HttpResponse:
    """Without a bundle: the ways to give one, and the runs there are.

    `~check` tries the objects, `~run` makes them; every other POST only looks.
    """
    if not olm.served(request.cluster):
        return render.page(request, "operatorhub/no_olm.html", {})
    try:
        page = _looked(request)
    except SourceError as error:
        page = RunPage(problem=str(error))
    if request.method == "POST" and page.ready and page.wanted and ({"~run", "~check"} & request.POST.keys()):
        page = _made(request, page, page.wanted)
        if page.wanted and not page.checked and not page.rows:
            place = [page.wanted.choice.namespace, page.wanted.bundle.package]
            return HttpResponseRedirect(reverse("operatorhub:run-progress", args=place))
    bad = page.problem or (request.method == "POST" and "~run" in request.POST)
    context = {"page": page, "plan": page.wanted, "running": () if page.bundle else follow.runs(request.cluster)}
    return render.page(request, "operatorhub/run.html", context, part=True, status=422 if bad else 200)


@require_safe
def progress(request: ConsoleRequest, namespace: str, package: str) -> HttpResponse:
    """Live by its topics; a reload shows the same."""
    client = request.cluster
    types = (*olm.type_names(olm.GROUPS, olm.CSVS), live_topics.DEPLOYMENTS, live_topics.PODS)
    topics = live_topics.topics(client, *types, namespace=namespace)
    found = follow.read(client, namespace, package)
    context = {"run": found, "progress": found, "heading": found.heading, "topics": topics}
    return render.page(request, "operatorhub/progress.html", context, part=True)


@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: ConsoleRequest, namespace: str, package: str) -> HttpResponse:
    """GET lists what goes; POST takes it, and lists what did not go."""
    client = request.cluster
    found = removal.find_objects(client, namespace, package)
    results: tuple[Removed, ...] = ()
    if request.method == "POST":
        wanted = {name: name in request.POST for name in ("operands", "kinds", "space")}
        results = removal.take(client, found, **wanted, done=partial(audit.record, request, "delete"))
        forget_namespaces()
        if all(result.outcome in ("removed", "gone") for result in results):
            messages.success(request, _("The bundle “%(name)s” is being removed.") % {"name": package})
            return HttpResponseRedirect(reverse("operatorhub:run"))
    bad = [
        (result, explain(result.error).detail if result.error else "")
        for result in results
        if result.outcome not in ("removed", "gone")
    ]
    context = {"removal": found, "bad": bad}
    return render.page(request, "operatorhub/run_remove.html", context, status=409 if bad else 200)


def _source(request: ConsoleRequest) -> bundle_input.Given | None:
    """What was given, in one of the ways; None when nothing was. Raises SourceError."""
    post = request.POST
    if files := [file for file in request.FILES.getlist("files") if file.size]:
        if sum(file.size or 0 for file in files) > limits.RUN_BYTES.value:
            words = _("These files are larger than %(most)d MiB. Add them as a catalog instead.")
            raise SourceError(words % {"most": limits.RUN_BYTES.value // 2**20})
        return bundle_input.files((str(file.name), file.read()) for file in files)
    if post.get("~given"):
        return bundle_input.received(post["~given"])
    if url := post.get("address", "").strip():
        catalogs.check_can_name(request.cluster)
        return bundle_input.address(url)
    if reference := post.get("image", "").strip():
        catalogs.check_can_name(request.cluster)
        return bundle_input.registry(reference)
    if "~give" in post:
        raise SourceError(_("Choose a file, or enter an address or an image."))
    return _of_catalog(request) if request.GET.get("catalog") and request.GET.get("package") else None


def _of_catalog(request: ConsoleRequest) -> bundle_input.Given:
    """A bundle of one of the console's own catalogs ("name"), or of any other ("namespace/name").

    Raises SourceError.
    """
    catalog, package, name = (request.GET.get(key, "") for key in ("catalog", "package", "bundle"))
    home, _slash, short = catalog.rpartition("/")
    found = bundles.bundle(request.cluster, home or "~", short, package, name)
    if found is None:
        words = _(
            "The catalog “%(catalog)s” doesn't provide the bundle “%(name)s” here. Use a file, an "
            "address or an image instead."
        )
        raise SourceError(words % {"catalog": catalog, "name": name or package})
    return bundle_input.one(found, f"{catalog}: {package}")


def _looked(request: ConsoleRequest) -> RunPage:
    """What was given, with the objects that the choices so far make of it."""
    source = _source(request)
    if source is None:
        return RunPage()
    data: Any = request.POST if request.method == "POST" else request.GET
    bundle = source.find(data.get("bundle", "")) or source.bundles[0]
    unread = (verdicts.Verdict(verdicts.WARNING, problem.words, problem.place) for problem in source.problems)
    here = situation.read_situation(request.cluster, request.namespace)
    choice = plan.suggested(bundle, here, request.namespace)
    # Of another bundle of the same archive the choices stay; nothing was chosen before the first look.
    if data.get("namespace", "").strip():
        watch = tuple(dict.fromkeys(data.get("watch", "").replace(",", " ").split()))
        choice = plan.RunChoice(data["namespace"].strip(), data.get("mode", choice.mode), watch)
    wanted = plan.plan(request.cluster, bundle, choice, here, source.place) if bundle.csv else None
    labels = {
        "AllNamespaces": _("all namespaces"),
        "OwnNamespace": _("the namespace it is installed in"),
        "SingleNamespace": _("one other namespace"),
        "MultiNamespace": _("several namespaces"),
    }
    return RunPage(
        source=source,
        packed=bundle_input.carried(source),
        bundle=bundle,
        findings=(*verdicts.judge(bundle), *unread),
        wanted=wanted,
        modes=tuple((mode, labels[mode]) for mode in plan.modes(bundle)),
        namespaces=tuple(here.namespaces),
        missing=situation.missing_rights(request.cluster, wanted.objects, "patch") if wanted else (),
        dangers=tuple(right for right in permissions.asked(bundle.csv) if right.danger)[:8],
    )


def _made(request: ConsoleRequest, page: RunPage, wanted: plan.RunPlan) -> RunPage:
    """With the results; without rows when everything was made."""
    checked = "~check" in request.POST
    results = plan.create_objects(request.cluster, wanted, dry_run=checked)
    rows = result_rows(results, checked)
    good = all(result.good for result in results)
    if checked:
        words = _("All objects would be accepted.") if good else _("Some objects would be refused.")
        return replace(page, rows=rows, checked=True, summary=words)
    importing.record(request, results)
    forget_namespaces()
    plan.hand_over(request.cluster, results, lambda ref, outcome: audit.record(request, "patch", ref, outcome))
    if good:
        return page
    words = _(
        "Some objects couldn't be created; the others were. Fix the cause and run the bundle again, or remove it."
    )
    return replace(page, rows=rows, summary=words)


def result_rows(results: tuple[Result, ...], checked: bool) -> tuple[ImportRow, ...]:
    """`checked`: of a dry run. What can't be tried yet says what it stands on."""
    words = {
        "namespace": _("The namespace is created first."),
        "kind": _("The resource type is created first."),
        "operator": _(
            "The operator provides this resource type. The object is created as soon as the cluster "
            "serves the resource type."
        ),
    }
    found = zip(importing.import_rows(results, checked), results, strict=True)
    return tuple(
        replace(row, detail=words.get(result.detail, row.detail)) if result.outcome == "waits" else row
        for row, result in found
    )
