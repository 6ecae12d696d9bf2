"""The results of objects that were sent together, as lines of a page."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from console.web.errors import explain
from kube.errors import Conflict
from kube.objects import name_of
from resources.applying import imports, undo_steps
from resources.applying.imports import Result
from resources.place import Place
from resources.writing.review import Review
from resources.writing.save import causes_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRow:
    """One document's line.

    `state` colours it: success, danger, info, muted. `key`: names it where its fields are others' and may be taken
    over; `review`: what changes in it.
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


def rows_of(results: tuple[Result, ...], checked: bool) -> tuple[ImportRow, ...]:
    """The results as lines of resources/import.html; `checked`: of a dry run."""
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
        review=undo_steps.difference(result),
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
            f"{cause.field}: {cause.message}" if cause.field else cause.message for cause in causes_of(result.error)
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
