"""/operatorhub/olm/: is OLM there and well?

Where it is not: read its release manifest, look at it, try it, apply it, take it away again.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.frame import forget_namespaces
from console.web.request import ConsoleRequest
from operatorhub import runs
from operatorhub.admin import catalogs
from operatorhub.bootstrap import apply, manifest, state
from operatorhub.bootstrap.manifest import ManifestForm, ManifestProblem
from operatorhub.bundle.permissions import Right
from operatorhub.install import created_objects
from operatorhub.models import Run

#: Of one request while a manifest is applied.
SECONDS = 1.0


@require_http_methods(["GET", "HEAD", "POST"])
def olm(request: ConsoleRequest) -> HttpResponse:
    """GET shows the state; POST reads a manifest from addresses or files and redirects to its preview."""
    form = ManifestForm(request.POST, request.FILES) if request.method == "POST" else ManifestForm()
    if form.is_bound and not request.FILES:
        catalogs.check_can_name(request.cluster)
    if form.is_valid():
        try:
            texts = manifest.read_texts(form)
            run = apply.begin(request.cluster, manifest.read(texts), ", ".join(name for name, _text in texts))
            return HttpResponseRedirect(reverse("operatorhub:olm-manifest", args=[run.key]))
        except ManifestProblem as error:
            form.add_error(None, str(error))
    context = {"found": state.read_state(request.cluster), "form": form, "release": manifest.RELEASE}
    status = 422 if form.errors else 200
    return render.page(request, "operatorhub/bootstrap.html", context, part=True, status=status)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A manifest's page. `tried`: the answers of a dry run."""

    run: Run
    results: tuple[apply.ApplyResult, ...]
    groups: tuple[manifest.KindGroup, ...]
    rights: tuple[Right, ...]
    tried: tuple[apply.ApplyResult, ...]

    @property
    def made(self) -> int:
        return sum(result.outcome in ("created", "changed", "there") for result in self.results)

    @property
    def listed(self) -> tuple[apply.ApplyResult, ...]:
        """The answers of a dry run, or what became of each object so far."""
        return self.tried or (self.results if self.run.state != apply.DRAFT else ())

    @property
    def refused(self) -> int:
        return sum(result.outcome == "refused" for result in self.results)


def _shown(run: Run, tried: tuple[apply.ApplyResult, ...] = ()) -> dict[str, Any]:
    objects = run.document["objects"]
    return {
        "shown": Shown(
            run=run,
            results=apply.results(run),
            groups=manifest.groups(objects),
            rights=manifest.rights(objects),
            tried=tried,
        )
    }


@require_http_methods(["GET", "HEAD", "POST"])
def chosen(request: ConsoleRequest, key: str) -> HttpResponse:
    """GET shows the objects and their progress; POST does a dry run, starts to apply them, or continues."""
    client = request.cluster
    run = apply.find(client, key)
    tried: tuple[apply.ApplyResult, ...] = ()
    if request.method == "POST":
        if "dry_run" in request.POST:
            tried = apply.dry_run(client, run)
        else:
            if run.state != apply.RUNNING:
                apply.start(run)
            apply.advance(client, run, SECONDS, partial(audit.record, request, "apply"))
            runs.save(run)
            forget_namespaces()
    return render.page(
        request,
        "operatorhub/bootstrap_manifest.html",
        _shown(run, tried),
        part=True,
    )


@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: ConsoleRequest, key: str) -> HttpResponse:
    """GET lists what was applied; POST deletes what is ticked, each by its uid, last made first."""
    removed: tuple[created_objects.Removed, ...] | None = None
    run = apply.find(request.cluster, key)
    if request.method == "POST":
        wanted = created_objects.targets(request.POST.getlist("target"))
        removed = apply.remove(request.cluster, wanted, partial(audit.record, request, "delete"))
        request.cluster.forget_types()
        forget_namespaces()
    targets = apply.removable(request.cluster, run) if removed is None else ()
    context = {"run": run, "targets": targets, "removed": removed, "kubectl": created_objects.kubectl(targets)}
    return render.page(request, "operatorhub/undo.html", context)
