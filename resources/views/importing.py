"""/resources/import/: many objects at once, from one text of YAML; the result of each document is a row of the page.

Pages of operatorhub that send several objects show their results with the same rows.
"""

from dataclasses import dataclass, replace

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.errors import Conflict
from kube.kubectl import Command, CommandArgument, Commands
from kube.objects import name_of
from resources import imports
from resources.imports import Result
from resources.place import Place
from resources.views import form_page, submission
from resources.views.submission import preserves_input
from resources.views.yaml_page import YamlErrorMark, YamlPage
from resources.writing.draft import refusal_causes
from resources.writing.review import Review
from resources.yamltext import YamlProblem


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRow:
    """The result of one document.

    `state` colours it: success, danger, info, muted. `key`: names the object where other field managers own its fields,
    which may be taken over; `review`: what changes in it.
    """

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
    key: str = ""
    review: Review | None = None

    @property
    def editing(self) -> bool:
        """Asked by resources/_diff.html: both sides are shown."""
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPage:
    """`checked`: a dry run, nothing is there yet; `failed`: numbers of the documents to send again; `several` etc. are
    the editor's; `undo`: what takes it back (resources/imports.py).
    """

    text: str
    namespace: str
    namespaces: tuple[str, ...]
    apply: bool = False
    rows: tuple[ImportRow, ...] = ()
    checked: bool = False
    failed: str = ""
    summary: str = ""
    problem: Problem | None = None
    marks: tuple[YamlErrorMark, ...] = ()
    dirty: bool = False
    force: frozenset[str] = frozenset()
    undo: str = ""

    @property
    def kubectl(self) -> Commands:
        """Of a file with the editor's text; as the form's tick `apply` and its field `namespace` say."""
        applies, place = frozenset({"1"}), (CommandArgument("namespace", self.namespace, before=" -n "),)
        create = Command("kubectl create -f objects.yaml", unless=applies, rest=place)
        apply = Command("kubectl apply --server-side -f objects.yaml", (applies,), rest=place)
        return Commands((create, apply), applies if self.apply else frozenset())

    @property
    def marks_data(self) -> str:
        return YamlPage.marks_data.fget(self)  # type: ignore[attr-defined, no-any-return]


@require_http_methods(["GET", "HEAD", "POST"])
@preserves_input
def import_(request: ConsoleRequest) -> HttpResponse:
    """A text; `~check` tries it (dry run), `~send` sends it, `~retry` sends what failed.

    The text stays, whatever comes of it.
    """
    post = request.POST
    namespaces = form_page.namespaces(request.cluster)
    namespace = str(post.get("namespace", request.namespace) or "")
    if namespaces and namespace and namespace not in namespaces:  # the list is some seconds old
        namespaces = (namespace, *namespaces)
    # Existing objects are changed, unless the box was unticked.
    apply = "apply" in post or request.method != "POST" or "~paste" in post
    text = _files(request, submission.yaml_of(post))
    page = ImportPage(
        text=text, namespace=namespace, namespaces=namespaces, apply=apply, force=frozenset(post.getlist("force"))
    )
    if "~undo" in post:
        return _undo(request, page)
    if request.method == "POST" and "~paste" not in post:
        page = _run(request, page)
    status = page.problem.status if page.problem else 200
    return render.page(request, "resources/import.html", {"page": page}, status=status)


def _files(request: ConsoleRequest, text: str) -> str:
    """With the files that were chosen, each a document or several, behind what stands in the editor."""
    files = [f"# {file.name}\n{file.read().decode('utf-8', 'replace')}" for file in request.FILES.getlist("files")]
    if not files:
        return text
    parts = [text, *files] if text.strip() else files
    return "\n---\n".join(part.rstrip("\n") for part in parts) + "\n"


def _undo(request: ConsoleRequest, page: ImportPage) -> HttpResponse:
    """`undo`: what pack() made. What was created goes, what was changed is as before, and each says how it went."""
    try:
        steps = imports.unpack_undo(request.POST.get("undo", ""))
    except ValueError as error:
        problem = Problem(
            status=400,
            title=_("Can't undo the import"),
            advice=_("The page sent incomplete data. Undo the changes manually."),
            detail=str(error),
        )
        return render.page(request, "resources/import.html", {"page": replace(page, problem=problem)}, status=400)
    done = imports.undo(request.cluster, steps)
    rows = []
    for number, undo in enumerate(done, 1):
        place = imports.undo_place(request.cluster, undo.step)
        if place is not None:
            outcome = undo.error.reason if undo.error else "Conflict" if undo.problem else "ok"
            audit.record(request, "undo", place.ref, outcome)
        kind = place.type.kind if place else undo.step.plural
        state, words = ("danger", _("not undone")) if undo.problem else ("success", undo.words)
        url = place.url() if place and undo.step.before is not None else ""
        rows.append(
            ImportRow(
                number=number,
                line=0,
                kind=kind,
                name=undo.step.name,
                namespace=undo.step.namespace,
                state=state,
                words=words,
                detail=undo.problem,
                causes=(),
                url=url,
            )
        )
    failed = sum(bool(undo.problem) for undo in done)
    words = _("%(bad)d of %(all)d changes couldn't be undone.") % {"bad": failed, "all": len(done)}
    summary = words if failed else _("All changes were undone.")
    return render.page(request, "resources/import.html", {"page": replace(page, rows=tuple(rows), summary=summary)})


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
        problem = Problem(
            status=422, title=_("The YAML or JSON isn't valid"), advice=f"{where}{error.message}", detail=""
        )
        marks = (YamlErrorMark(error.line, error.column, error.message),) if error.line else ()
        return replace(page, problem=problem, marks=marks, dirty=True)
    checked = "~check" in post
    only = (
        frozenset(int(part) for part in post.get("only", "").split(",") if part.isdigit())
        if "~retry" in post
        else frozenset()
    )
    results = imports.Import(request.cluster, page.namespace, page.apply, checked, page.force).run(documents, only)
    if not checked:
        record(request, results)
    rows = import_rows(results, checked)
    bad = [result for result in results if not result.good and result.outcome != "skipped"]
    return replace(
        page,
        rows=rows,
        checked=checked,
        failed="" if checked else ",".join(str(result.document.number) for result in bad),
        summary=_summary(results, bad, checked),
        marks=tuple(YamlErrorMark(row.line, 1, row.detail) for row in rows if row.state == "danger"),
        dirty=checked or bool(bad),
        undo="" if checked else imports.pack_undo(results),
    )


def record(request: ConsoleRequest, results: tuple[Result, ...]) -> None:
    """Into the audit log, one line for each object that was sent."""
    for result in results:
        if result.type is None or result.outcome in ("skipped", "unchanged"):
            continue
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
        return _("%(bad)d of %(all)d objects would be refused.") % {"bad": len(bad), "all": len(results)}
    if not bad:
        return ngettext("Applied %(n)d object.", "Applied all %(n)d objects.", good) % {"n": good}
    return _("%(bad)d of %(all)d objects failed; the others were applied.") % {"bad": len(bad), "all": len(results)}


def import_rows(results: tuple[Result, ...], checked: bool) -> tuple[ImportRow, ...]:
    """The results as rows of resources/import.html; `checked`: of a dry run."""
    return tuple(_row(result, checked) for result in results)


def _row(result: Result, checked: bool) -> ImportRow:
    document = result.document
    state, words = _words(result, checked)
    name = name_of(result.made or document.object) or document.name
    place = Place(result.type, result.namespace, name) if result.type and result.good and not checked else None
    detail, causes = _why(result)
    return ImportRow(
        number=document.number,
        line=document.line,
        kind=document.kind,
        name=name,
        namespace=result.namespace,
        state=state,
        words=words,
        detail=detail,
        causes=causes,
        url=place.url() if place else "",
        key=_key(result),
        review=imports.difference(result),
    )


def _key(result: Result) -> str:
    """Of an object with fields of another field manager; '' for all others."""
    if not isinstance(result.error, Conflict):
        return ""
    return imports.key(result.document.object, result.namespace)


def _words(result: Result, checked: bool) -> tuple[str, str]:
    would = {
        "created": _("would be created"),
        "changed": _("would be changed"),
        "unchanged": _("already exists, unchanged"),
        "waits": _("depends on another document, not checked yet"),
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
            f"{cause.field}: {cause.message}" if cause.field else cause.message
            for cause in refusal_causes(result.error)
        )
        if any(cause.reason == "FieldManagerConflict" for cause in result.error.causes):
            return _("Other field managers own these fields:"), causes
        return explain(result.error).title if causes else str(result.error), causes
    if result.outcome == "waits":
        other = (
            _("Another document defines this resource type.")
            if result.detail == "kind"
            else _("Another document creates this namespace.")
        )
        return other, ()
    if result.detail.startswith("twice:"):
        return _("Duplicate of document %(n)s.") % {"n": result.detail[6:]}, ()
    messages = {
        "": "",
        "object": _("This isn't an object. An object begins with apiVersion, kind and metadata."),
        "namespace": _("No namespace set. Choose one above, or set metadata.namespace."),
        "metadata": _("metadata must be an object with a name."),
    }
    return messages.get(result.detail, _("The object has no %(field)s.") % {"field": result.detail}), ()
