"""…/<plural>/served/: a region of the pages of a custom kind that says when the kind itself goes."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from console.web.request import ConsoleRequest
from resources.types.kindstate import read_kind_state


@require_safe
def served(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """Asked for when the kind's definition changed; an empty region as long as all is well."""
    found = read_kind_state(request.cluster, group, version, plural)
    context = {"kind_state": found, "group": group, "version": version, "plural": plural}
    response = render(request, "resources/_kind_state.html", context)
    response["Cache-Control"] = "no-cache, private"
    return response
