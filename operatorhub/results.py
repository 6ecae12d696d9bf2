"""Results of objects that were sent together, as lines of operatorhub/_results.html: as in resources.imports, but for
generated objects.
"""

from dataclasses import replace

from django.utils.translation import gettext as _

from resources.applying.imports import Result
from resources.views import importing
from resources.views.importing import ImportRow


def rows(results: tuple[Result, ...], checked: bool) -> tuple[ImportRow, ...]:
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
