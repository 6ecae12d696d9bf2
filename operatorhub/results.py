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
        "namespace": _("Its namespace is made before it."),
        "kind": _("Its kind is made before it."),
        "operator": _("Its kind comes with the operator; it is sent when the cluster serves it."),
    }
    found = zip(importing.rows_of(results, checked), results, strict=True)
    return tuple(
        replace(row, detail=words.get(result.detail, row.detail)) if result.outcome == "waits" else row
        for row, result in found
    )
