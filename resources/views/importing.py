"""/resources/import/: many objects at once, from one text of YAML."""

from dataclasses import dataclass, replace

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.objects import name_of
from resources import imports
from resources.imports import Result
from resources.place import Place
from resources.save import causes_of
from resources.views import form_page, received
from resources.views.keeping import keeping
from resources.views.yaml_page import Mark, YamlPage
from resources.yamltext import YamlProblem


@dataclass(frozen=True, slots=True)
class Row:
    """One document's line. `state` colours it: success, danger, info, muted."""

    number: int
    line: int
    kind: str
    name: str
    namespace: str
    state: str
    words: str
    detail: str = ""
    causes: tuple[str, ...] = ()
    url: str = ""


@dataclass(frozen=True, slots=True)
class ImportPage:
    """`checked`: a dry run, nothing is there yet; `failed`: numbers of the documents to send again; `several` etc. are the editor's."""

    text: str
    namespace: str
    namespaces: tuple[str, ...]
    apply: bool = False
    rows: tuple[Row, ...] = ()
    checked: bool = False
    failed: str = ""
    summary: str = ""
    problem: Problem | None = None
    marks: tuple[Mark, ...] = ()
    dirty: bool = False

    @property
    def marks_data(self) -> str:
        return YamlPage.marks_data.fget(self)  # type: ignore[attr-defined, no-any-return]


@require_http_methods(["GET", "HEAD", "POST"])
@keeping
def import_(request: ConsoleRequest) -> HttpResponse:
    """A text; `~check` tries it (dry run), `~send` sends it, `~retry` sends what failed. The text stays, whatever comes of it."""
    post = request.POST
    namespaces = form_page.namespaces(request.cluster)
    namespace = str(post.get("namespace", request.namespace) or "")
    if namespaces and namespace and namespace not in namespaces:  # the list is some seconds old
        namespaces = (namespace, *namespaces)
    page = ImportPage(received.yaml_of(post), namespace, namespaces, apply="apply" in post)
    if request.method == "POST" and "~paste" not in post:
        page = _run(request, page)
    status = page.problem.status if page.problem else 200
    return render.page(request, "resources/import.html", {"page": page}, status=status)


def _run(request: ConsoleRequest, page: ImportPage) -> ImportPage:
    post = request.POST
    try:
        documents = imports.read(page.text)
        if not documents:
            raise YamlProblem(_("the text is empty: paste or upload the objects to create"))
    except YamlProblem as error:
        where = (
            _("Line %(line)d, column %(column)d: ") % {"line": error.line, "column": error.column} if error.line else ""
        )
        problem = Problem(422, _("This can't be read yet"), f"{where}{error.message}", "")
        marks = (Mark(error.line, error.column, error.message),) if error.line else ()
        return replace(page, problem=problem, marks=marks, dirty=True)
    checked = "~check" in post
    only = (
        frozenset(int(part) for part in post.get("only", "").split(",") if part.isdigit())
        if "~retry" in post
        else frozenset()
    )
    results = imports.Import(request.cluster, page.namespace, page.apply, checked).run(documents, only)
    if not checked:
        record(request, results)
    rows = rows_of(results, checked)
    bad = [result for result in results if not result.good and result.outcome != "skipped"]
    return replace(
        page,
        rows=rows,
        checked=checked,
        failed="" if checked else ",".join(str(result.document.number) for result in bad),
        summary=_summary(results, bad, checked),
        marks=tuple(Mark(row.line, 1, row.detail) for row in rows if row.state == "danger"),
        dirty=checked or bool(bad),
    )


def rows_of(results: tuple[Result, ...], checked: bool) -> tuple[Row, ...]:
    """The results as lines of resources/_import_results.html; `checked`: of a dry run."""
    return tuple(_row(result, checked) for result in results)


def record(request: ConsoleRequest, results: tuple[Result, ...]) -> None:
    """Into the audit log, one line for each object that was sent."""
    for result in results:
        _record(request, result)


def _record(request: ConsoleRequest, result: Result) -> None:
    if result.type is None or result.outcome in ("skipped", "unchanged"):
        return
    name = name_of(result.made or result.document.object)
    outcome = "ok" if result.good else result.error.reason if result.error else "Invalid"
    audit.record(
        request,
        "create" if result.outcome == "created" else "apply",
        Place(result.type, result.namespace, name).ref,
        outcome,
    )


def _summary(results: tuple[Result, ...], bad: list[Result], checked: bool) -> str:
    good = sum(result.good for result in results)
    if checked and not bad:
        return ngettext("%(n)d object would be accepted.", "All %(n)d objects would be accepted.", good) % {"n": good}
    if checked:
        return _("%(bad)d of %(all)d would be refused.") % {"bad": len(bad), "all": len(results)}
    if not bad:
        return ngettext("%(n)d object is in the cluster.", "All %(n)d objects are in the cluster.", good) % {"n": good}
    return _("%(bad)d of %(all)d failed; the others are in the cluster.") % {"bad": len(bad), "all": len(results)}


def _row(result: Result, checked: bool) -> Row:
    document = result.document
    state, words = _words(result, checked)
    name = name_of(result.made or document.object) or document.name
    place = Place(result.type, result.namespace, name) if result.type and result.good and not checked else None
    detail, causes = _why(result)
    return Row(
        document.number,
        document.line,
        document.kind,
        name,
        result.namespace,
        state,
        words,
        detail,
        causes,
        place.url() if place else "",
    )


def _words(result: Result, checked: bool) -> tuple[str, str]:
    would = {
        "created": _("would be created"),
        "changed": _("would be changed"),
        "unchanged": _("is there already, unchanged"),
        "waits": _("can only be checked after another"),
    }
    done = {
        "created": _("created"),
        "changed": _("changed"),
        "unchanged": _("unchanged"),
        "waits": "",
        "skipped": _("not sent again"),
    }
    if result.outcome == "refused":
        return "danger", _("would be refused") if checked else _("failed")
    state = {"waits": "info", "skipped": "muted", "unchanged": "info"}.get(result.outcome, "success")
    return state, (would if checked else done).get(result.outcome, "")


def _why(result: Result) -> tuple[str, tuple[str, ...]]:
    """In words what is wrong, and the cluster's complaints field by field."""
    if result.error is not None:
        causes = tuple(
            f"{cause.field}: {cause.message}" if cause.field else cause.message for cause in causes_of(result.error)
        )
        return explain(result.error).title if causes else str(result.error), causes
    if result.outcome == "waits":
        other = (
            _("Its kind is defined by another document.")
            if result.detail == "kind"
            else _("Its namespace is made by another document.")
        )
        return other, ()
    if result.detail.startswith("twice:"):
        return _("This is document %(n)s once more.") % {"n": result.detail[6:]}, ()
    said = {
        "": "",
        "object": _("This is no object: it begins with apiVersion, kind and metadata."),
        "namespace": _("It names no namespace: choose one above, or write metadata.namespace."),
        "metadata": _("metadata must be an object with the name."),
    }
    return said.get(result.detail, _("The object has no %(field)s.") % {"field": result.detail}), ()
