"""/operators/<namespace>/<csv>/export/: choose an operator's objects, see them as files, download a kustomize folder.

/operators/import/: compare a folder of manifests with the cluster, try it, and apply it in its order.
"""

from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from console.web import audit, render
from console.web.frame import forget_namespaces
from console.web.request import ConsoleRequest
from kube.objects import name_of
from operatorhub.exports import folder, operator_objects
from operatorhub.install.choices import LABEL as NAMESPACE_NAME
from operatorhub.sources.drafts import SourceError
from operatorhub.views.run import result_rows
from resources import live_topics
from resources.imports import Result
from resources.types.manager import DEFINITIONS
from resources.views import importing
from resources.writing.review import Review
from resources.yamltext import YamlProblem


@dataclass(frozen=True, slots=True)
class ExportRow:
    """An item with its box."""

    item: operator_objects.Item
    taken: bool


@dataclass(frozen=True, slots=True)
class ExportGroup:
    """The items of the operator itself, or its instances."""

    title: str
    rows: tuple[ExportRow, ...]


@require_safe
def export(request: ConsoleRequest, namespace: str, csv: str) -> HttpResponse:
    """GET alone: every choice is in the address, and nothing is changed.

    `zip` answers with the folder. Each Secret that is shown goes into the audit.
    """
    offer = operator_objects.read_offer(request.cluster, namespace, csv)
    shown = "shown" in request.GET
    chosen = set(request.GET.getlist("take")) if shown else {item.key for item in offer.items if item.ticked}
    taken = [item for item in offer.items if item.key in chosen]
    found, unread = operator_objects.objects(request.cluster, taken)
    into = request.GET.get("into", "").strip()
    into = into if NAMESPACE_NAME.fullmatch(into) else namespace
    pinned = csv if request.GET.get("pin") or not shown else ""
    files = folder.files(found, namespace, into=into, pinned=pinned)
    name = f"{offer.package}-{into}"
    for item, _secret in found:
        if item.secret:
            audit.record(request, "export", f"core/v1/secrets {item.namespace}/{item.name}", "ok")
    if "zip" in request.GET:
        return _zip(name, files)
    context = {
        "offer": offer,
        "groups": [
            ExportGroup(title, tuple(ExportRow(item, item.key in chosen) for item in offer.items if item.part == part))
            for part, title in (("operator", _("Operator")), ("instances", _("Instances")))
        ],
        "files": files,
        "into": into,
        "pinned": pinned,
        "unread": (*offer.unread, *unread),
        "name": name,
        "secrets": [item for item in taken if item.secret],
        "subscribed": any(item.kind == "Subscription" for item in offer.items),
        "kubectl": f"kubectl apply -k {name}/operator && kubectl apply -k {name}/instances",
    }
    return render.page(request, "operatorhub/export.html", context, part=True)


def _zip(name: str, files: tuple[folder.File, ...]) -> HttpResponse:
    return render.as_file(HttpResponse(folder.zipped(name, files), content_type="application/zip"), f"{name}.zip")


@dataclass(frozen=True, slots=True)
class Difference:
    """An existing object that would be changed."""

    title: str
    found: Review


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPage:
    """`rows` and `summary` are those of operatorhub/_results.html.

    `namespace_error`: with one, the namespaces of the manifests are compared. `waiting_url`: a region that tells when
    the kinds that are waited for have come.
    """

    problem: str = ""
    text: str = ""
    notes: tuple[str, ...] = ()
    namespace: str = ""
    namespace_error: str = ""
    rows: tuple[importing.ImportRow, ...] = ()
    differences: tuple[Difference, ...] = ()
    summary: str = ""
    applied: bool = False
    only: str = ""
    waiting_url: str = ""
    good: bool = False
    installs: tuple[tuple[str, str], ...] = ()


@require_http_methods(["GET", "HEAD", "POST"])
def bring_in(request: ConsoleRequest) -> HttpResponse:
    """What was given is compared at once, nothing is made; `~apply` applies it, and what waits is sent by the same
    again.
    """
    try:
        page = _import_page(request) if request.method == "POST" else ImportPage()
    except SourceError as error:
        page = ImportPage(problem=str(error))
    except YamlProblem as error:
        where = (
            _("Line %(line)d, column %(column)d: ") % {"line": error.line, "column": error.column} if error.line else ""
        )
        page = ImportPage(problem=f"{where}{error.message}")
    context = {
        "page": page,
        "topic": live_topics.topics(request.cluster, DEFINITIONS),
        "shell": {"editing": True},
    }
    return render.page(
        request,
        "operatorhub/import.html",
        context,
        part=True,
        status=422 if page.problem or page.namespace_error else 200,
    )


@require_safe
def import_waiting(request: ConsoleRequest) -> HttpResponse:
    """Whether the kinds of ?kind= are served."""
    kinds = request.GET.getlist("kind")
    return render.page(
        request,
        "operatorhub/import.html",
        {"kinds": kinds, "served": folder.kinds_served(request.cluster, kinds)},
        block="waiting",
    )


def _given(request: ConsoleRequest) -> folder.Brought:
    """Uploaded files, or the text that an earlier page carries. Raises SourceError."""
    if uploads := [(str(file.name), file.read()) for file in request.FILES.getlist("files") if file.size]:
        return folder.read_uploads(uploads)
    return folder.Brought(request.POST.get("text", "").replace("\r\n", "\n"), tuple(request.POST.getlist("note")))


def _import_page(request: ConsoleRequest) -> ImportPage:
    given, post = _given(request), request.POST
    documents = folder.read_documents(given.text)
    if not documents:
        raise SourceError(_("Choose a folder as zip, or its files."))
    typed = namespace = post.get("namespace", "").strip()
    error = ""
    if typed and not NAMESPACE_NAME.fullmatch(typed):
        error, namespace = _("“%(name)s” isn't a valid namespace name.") % {"name": typed}, ""
    applying = "~apply" in post and not error
    bringing = folder.Bringing(request.cluster, namespace, not applying)
    only = (
        frozenset(int(part) for part in post.get("only", "").split(",") if part.isdigit()) if applying else frozenset()
    )
    results = bringing.run(folder.move_documents(documents, namespace), only)
    if applying:
        importing.record(request, results)
        forget_namespaces()
    rows = result_rows(results, not applying)
    changes = ((f"{result.document.kind} {result.document.name}", bringing.difference(result)) for result in results)
    differences = tuple(Difference(title, found) for title, found in changes if found and found.changes)
    return _standing(
        ImportPage(
            problem="",
            text=given.text,
            notes=given.notes,
            namespace=typed,
            namespace_error=error,
            rows=rows,
            differences=differences,
            applied=applying,
        ),
        results,
        applying,
    )


def _standing(page: ImportPage, results: tuple[Result, ...], applying: bool) -> ImportPage:
    """The page with its summary and the documents that remain to be sent."""
    later = folder.waiting(results)
    bad = [result for result in results if not result.good and result.outcome != "skipped"]
    left = [*later, *(bad if applying else ())]
    kinds = sorted({f"{result.document.group}/{result.document.kind}" for result in later})
    url = f"{reverse('operatorhub:import-waiting')}?{urlencode([('kind', kind) for kind in kinds])}"
    return replace(
        page,
        summary=_summary(len(results), len(bad), len(later), applying),
        only=",".join(str(item.document.number) for item in left),
        waiting_url=url if kinds and applying else "",
        good=not bad and not page.namespace_error,
        installs=tuple(
            (result.namespace, name_of(result.made))
            for result in results
            if result.made and result.document.kind == "Subscription"
        )
        if applying
        else (),
    )


def _summary(count: int, bad: int, later: int, applying: bool) -> str:
    if bad:
        text = (
            _("%(bad)d of %(all)d objects were refused.")
            if applying
            else _("%(bad)d of %(all)d objects would be refused.")
        )
        return text % {"bad": bad, "all": count}
    if later:
        text = ngettext(
            "%(n)d object is waiting for its resource type.",
            "%(n)d objects are waiting for their resource types.",
            later,
        ) % {"n": later}
        others = _("The others are in the cluster.") if applying else _("The others would be accepted.")
        return f"{others} {text}"
    text = ngettext("Applied %(n)d object.", "Applied all %(n)d objects.", count)
    return (
        text if applying else ngettext("%(n)d object would be accepted.", "All %(n)d objects would be accepted.", count)
    ) % {"n": count}
