"""What the object editor says when it saves: one message for each outcome, in the form, the YAML view and the preview.

A Problem is shown above what was typed; the preview shows its title only. The words at the choices of a conflict are in
templates/resources/_editor_messages.html, with the buttons for a deleted object.
"""

from dataclasses import replace

from django.utils.translation import gettext as _

from console.web.errors import Problem, explain
from kube.errors import Conflict, Invalid, KubeError, StatusCause
from resources.place import Place
from resources.writing.draft import ObjectGone
from resources.yamltext import YamlProblem


def saved(place: Place) -> str:
    return _("%(kind)s “%(name)s” saved.") % _names(place)


def created(place: Place) -> str:
    return _("%(kind)s “%(name)s” created.") % _names(place)


def no_changes(place: Place) -> str:
    return _("No changes to save in %(kind)s “%(name)s”.") % _names(place)


def merged() -> str:
    return _("The changes from the cluster were merged into your draft. Nothing is saved yet.")


def conflict() -> Problem:
    """The same fields were changed in the cluster: the user chooses a value for each."""
    return Problem(
        status=409,
        title=_("Another user changed the same fields"),
        advice=_("Nothing was saved. Choose which value to keep for each field; your other changes are kept."),
        detail="",
    )


def conflict_hint() -> str:
    """In the preview, which offers no choices."""
    return _("Save to resolve the conflict.")


def gone(place: Place, error: ObjectGone) -> Problem:
    """The opened object was deleted, or replaced by another of its name."""
    if error.again:
        title = _("%(kind)s “%(name)s” has been deleted, and a new object with the same name exists")
        advice = _("Nothing was saved. Load the new object to edit it, or create another from what you typed.")
    else:
        title = _("%(kind)s “%(name)s” has been deleted in the meantime")
        advice = _("Nothing was saved. You can create the object again from what you typed.")
    return Problem(status=409, title=title % _names(place), advice=advice, detail="", reason="Gone")


def refused(error: KubeError) -> Problem:
    """The API server refused the object.

    A Conflict here has no fields to choose for: the object changed again during each of draft.update()'s tries. What
    was typed is still on the page, so the advice isn't to reload it.
    """
    problem = explain(error)
    if isinstance(error, Conflict):
        return replace(problem, advice=_("Nothing was saved, and your changes are kept. Save again."))
    return problem


def invalid_fields() -> Problem:
    """The console can't read some fields, so the API server wasn't asked."""
    return Problem(
        status=422,
        title=_("Not saved yet: some fields are invalid"),
        advice=_("Correct the fields listed below."),
        detail="",
    )


def invalid_yaml(problem: YamlProblem) -> Problem:
    where = (
        _("Line %(line)d, column %(column)d: ") % {"line": problem.line, "column": problem.column}
        if problem.line
        else ""
    )
    return Problem(
        status=422, title=_("The YAML isn't valid"), advice=f"{where}{problem.message}", detail="", reason="YamlProblem"
    )


def empty_form() -> str:
    return _("The form was empty. Reload the page.")


def missing_namespace() -> Invalid:
    """Worded by the console, in the shape of an API server's refusal so that it is shown at its field."""
    cause = StatusCause("metadata.namespace", "FieldValueRequired", _("Choose a namespace for the object."))
    return Invalid(_("No namespace selected."), causes=(cause,))


def _names(place: Place) -> dict[str, str]:
    return {"kind": place.type.kind, "name": place.name}
