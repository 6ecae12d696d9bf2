"""The object editor's responses: the form, the YAML view, the review, and the preview beside the form.

Each but the preview carries what was typed, with the problems that were found. The preview shows what the form says
now, as YAML, and what the API server would answer: nothing is saved, noted or kept.

The sentences of what came of Save are in save_messages.py.
"""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.http import HttpResponse, QueryDict
from django.utils.translation import gettext as _

from console.web import render
from console.web.errors import Problem
from kube.errors import KubeError
from kube.objects import KubeObject
from resources.forms.errors import Placed
from resources.views import form_page, save_messages, submission, yaml_page
from resources.views.submission import FORM, VIEW_COOKIE, YAML, Conflicting, Draft, Shell, carried, conflicting
from resources.views.yaml_page import YamlPage
from resources.writing import draft
from resources.writing.draft import Clashing, ObjectGone, Outcome, refusal_causes
from resources.writing.review import Review, compare
from resources.writing.review import review as reviewed
from resources.yamltext import YamlProblem

if TYPE_CHECKING:
    from resources.views.work import Work

#: More mistakes than these are at their fields.
_SHOWN = 5
_COOKIE_SECONDS = 365 * 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewPart:
    """`refusal`: why it can't be saved as it is, '' where the API server would take it; `causes`: field by field."""

    found: Review | None = None
    refusal: str = ""
    causes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPage:
    """What the review's templates are given.

    `base`, `original`, `document`: the state of the page it came from, as that posts it; `decided`: choices about
    clashes; `live`: shows what changed in the cluster since the object was opened, not what Save would change.
    """

    shell: Shell
    found: Review
    base: str
    original: str
    document: str
    decided: tuple[tuple[str, str], ...] = ()
    live: bool = False

    @property
    def of_form(self) -> bool:
        return self.shell.face == FORM

    @property
    def nothing(self) -> bool:
        return self.shell.editing and not self.found.changes


def form(
    work: "Work",
    written: Draft,
    *,
    problem: Problem | None = None,
    placed: tuple[Placed, ...] = (),
    asked: str = "",
    gone: bool = False,
    conflicts: tuple[Conflicting, ...] = (),
    placing: bool = True,
) -> HttpResponse:
    """`placing`: the words of `placed` are still to be put at their fields."""
    free = work.place.type.namespaced and not work.editing
    placed = tuple(replace(error, message=form_page.plain_refusal(error.message)) for error in placed)
    page = form_page.with_errors(
        placed if placing else (),
        written.typed,
        place=work.place,
        schema=work.schema,
        obj=written.obj,
        offer=work.offer,
        choice=form_page.namespaces(work.request.cluster) if free else (),
        shell=work.shell(written, asked=asked).on(FORM),
        editing=work.editing,
        original=carried(written.original) if written.original else "",
        document=written.text,
        dirty=_dirty(work, written),
        problem=problem,
        conflicts=conflicts,
        gone=gone,
    )
    page = replace(page, errors=form_page.messages(placed, page))
    return _answer(
        work=work,
        template="resources/form.html",
        part=True,
        context={"form": page},
        problem=problem,
        face=FORM,
    )


def yaml(
    work: "Work",
    written: Draft,
    *,
    problem: Problem | None = None,
    placed: tuple[Placed, ...] = (),
    asked: str = "",
    gone: bool = False,
    conflicts: tuple[Conflicting, ...] = (),
) -> HttpResponse:
    text = yaml_page.text_of(written)
    if work.request.method == "GET" and work.request.GET.get("start") == "paste":
        text = ""
    page = YamlPage(
        shell=work.shell(written, asked=asked).on(YAML),
        text=text,
        original=carried(written.original) if written.original else "",
        good="" if written.original and not written.dirty else carried(written.obj),
        dirty=_dirty(work, written),
        problem=problem,
        marks=yaml_page.marks(text, placed),
        conflicts=conflicts,
        gone=gone,
    )
    return _answer(
        work=work, template="resources/yaml.html", part=False, context={"yaml": page}, problem=problem, face=YAML
    )


def broken(work: "Work", text: str, problem: YamlProblem) -> HttpResponse:
    """The text as it was typed, with the place where it can't be read."""
    post, original = work.request.POST, {}
    with suppress(ValueError):
        original = submission.received(post.get("~original", ""))
    written = Draft(obj={}, original=original, start=post.get("~start", ""), begun=post.get("~begun", ""))
    shown = save_messages.invalid_yaml(problem)
    page = YamlPage(
        shell=work.shell(written).on(YAML),
        text=text,
        original=post.get("~original", ""),
        good=post.get("~good", ""),
        dirty=True,
        problem=shown,
        marks=(yaml_page.YamlErrorMark(problem.line, problem.column, problem.message),) if problem.line else (),
        discards="~switch" in post and bool(post.get("~good") or post.get("~original")),
        several=problem.several,
    )
    return _answer(
        work=work, template="resources/yaml.html", part=False, context={"yaml": page}, problem=shown, face=YAML
    )


def last_good(post: QueryDict) -> Draft:
    """What the text said when it was read last."""
    original = submission.received(post.get("~original", "")) if post.get("~original") else {}
    obj = submission.received(post.get("~good", "")) if post.get("~good") else original
    return Draft(obj=obj, original=original, start=post.get("~start", ""), begun=post.get("~begun", ""))


def clashing(work: "Work", written: Draft) -> HttpResponse:
    """Each field that two people changed, to be decided one by one."""
    rows = tuple(conflicting(clash, written.decided) for clash in written.clashes)
    drawn = form if work.face == FORM else yaml
    return drawn(work, written, problem=save_messages.conflict(), conflicts=rows)


def review(work: "Work", written: Draft, outcome: Outcome) -> HttpResponse:
    """What the cluster answered to the dry run of exactly what Save will send."""
    return _review(work, written, reviewed(outcome.live or None, outcome.sent, outcome.result))


def live_changes(work: "Work", written: Draft, live: KubeObject) -> HttpResponse:
    """What changed in the cluster since the object was opened."""
    return _review(work, written, compare(draft.own(written.original), draft.own(live)), live=True)


def _review(work: "Work", written: Draft, found: Review, live: bool = False) -> HttpResponse:
    page = ReviewPage(
        shell=work.shell(written),
        found=found,
        base=carried(written.obj),
        original=carried(written.original) if written.original else "",
        document=yaml_page.text_of(written) if work.face == YAML else written.text,
        decided=tuple((f"~clash:{submission.spelt(clash.path)}", submission.began(clash)) for clash in written.clashes)
        + tuple((f"~take:{spelt}", taken) for spelt, taken in written.decided.items()),
        live=live,
    )
    return _answer(
        work=work,
        template="resources/review.html",
        part=True,
        context={"review": page},
        problem=None,
        face="",
    )


def preview(work: "Work") -> HttpResponse:
    """The part beside the form. Raises ValueError or RecursionError where the form sent no object."""
    return render.page(work.request, "resources/_form_preview.html", {"preview": read_preview(work)})


def read_preview(work: "Work") -> PreviewPart:
    """Asks the API server by a dry run. Raises ValueError or RecursionError where the form sent no object."""
    written = submission.of_form(work.request.POST)
    if written.unread:
        messages = tuple(form_page.unread_words(problem) for problem in written.unread[:_SHOWN])
        return _refused(written, save_messages.invalid_fields(), messages)
    try:
        outcome = work.outcome(written, dry_run=True)
    except Clashing:
        return _refused(written, save_messages.conflict(), (save_messages.conflict_hint(),))
    except ObjectGone as error:
        return _refused(written, save_messages.gone(work.place, error))
    except KubeError as refused:
        causes = tuple(
            f"{cause.field}: {form_page.plain_refusal(cause.message)}" for cause in refusal_causes(refused)[:_SHOWN]
        )
        return _refused(written, save_messages.refused(refused), causes)
    found = reviewed(outcome.live or None, outcome.sent, outcome.result, whole=True)
    return PreviewPart(found=found)


def _refused(written: Draft, problem: Problem, causes: tuple[str, ...] = ()) -> PreviewPart:
    """With the YAML of what was typed, to which no defaults are added."""
    asked = draft.own(written.obj)
    found = reviewed(written.original or None, asked, asked, whole=True)
    return PreviewPart(found=found, refusal=problem.title, causes=causes)


def note(work: "Work") -> str:
    """A note on the kind, shown before editing."""
    if work.schema.root:
        if work.editing or not work.offer.problem:
            return ""
        return _("The operator's examples can't be read: %(detail)s") % {"detail": work.offer.problem}
    if work.schema_problem:
        return _(
            "The schema of this resource type can't be read, so your input can't be checked before you save it:"
            " %(detail)s"
        ) % {"detail": work.schema_problem}
    return _(
        "The cluster publishes no schema for this resource type, so your input can't be checked before you save it."
    )


def _dirty(work: "Work", written: Draft) -> bool:
    return work.request.method == "POST" and written.dirty


def _answer(
    work: "Work", template: str, part: bool, context: dict[str, object], problem: Problem | None, face: str
) -> HttpResponse:
    status = problem.status if problem else 200
    response = render.page(work.request, template, context, part=part, status=status)
    if face and "~switch" in work.request.POST:
        response.set_cookie(VIEW_COOKIE, face, max_age=_COOKIE_SECONDS, samesite="Lax", httponly=True)
    return response
