"""Beside the form: what it says now, as YAML, and what the API server would answer. Nothing is saved, noted or kept."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from console.web.errors import explain
from kube.errors import KubeError
from resources.views import form_page, refusal_words, submission
from resources.views.submission import Draft
from resources.writing import draft
from resources.writing.draft import Clashing, ObjectGone, refusal_causes
from resources.writing.review import Review
from resources.writing.review import review as reviewed

if TYPE_CHECKING:
    from resources.views.work import Work

#: More mistakes than these are at their fields.
_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewPart:
    """`refusal`: why it can't be saved as it is, '' where the API server would take it; `causes`: field by field."""

    found: Review | None = None
    refusal: str = ""
    causes: tuple[str, ...] = ()


def preview(work: "Work") -> PreviewPart:
    """Asks the API server by a dry run. Raises ValueError or RecursionError where the form sent no object."""
    written = submission.of_form(work.request.POST)
    if written.unread:
        messages = tuple(form_page.unread_words(problem) for problem in written.unread[:_SHOWN])
        return _refused(written, _("Some fields can't be read."), messages)
    try:
        outcome = work.outcome(written, dry_run=True)
    except Clashing:
        return _refused(written, _("Another user changed the same fields. Save to resolve the conflict."))
    except ObjectGone:
        return _refused(written, _("The object has been deleted in the meantime."))
    except KubeError as refused:
        causes = tuple(
            f"{cause.field}: {refusal_words.plain(cause.message)}" for cause in refusal_causes(refused)[:_SHOWN]
        )
        return _refused(written, explain(refused).title, causes)
    found = reviewed(outcome.live or None, outcome.sent, outcome.result, whole=True)
    return PreviewPart(found=found)


def _refused(written: Draft, refusal: str, causes: tuple[str, ...] = ()) -> PreviewPart:
    """With the YAML of what was typed, to which no defaults are added."""
    asked = draft.own(written.obj)
    found = reviewed(written.original or None, asked, asked, whole=True)
    return PreviewPart(found=found, refusal=refusal, causes=causes)
