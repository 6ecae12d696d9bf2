"""/operatorhub/compare/: packages side by side."""

from urllib.parse import urlencode

from django.http import HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest
from operatorhub.find import compare as subject
from operatorhub.find.facets import MOST_COMPARED


@require_safe
def compare(request: ConsoleRequest) -> HttpResponse:
    """`?package=<namespace>/<catalog>/<name>`, two to four of them; with one the page says how to pick another.

    `?differences=1`: only what differs.
    """
    keys = subject.keys(request.GET.getlist("package"))
    columns = subject.columns(request.cluster, keys, request.namespace)
    without = {key: urlencode([("package", other) for other in keys if other != key]) for key in keys}
    others = f"{reverse('operatorhub:catalog')}?{urlencode([('compare', key) for key in keys])}"
    rows = subject.rows(columns)
    differing = request.GET.get("differences") == "1"
    context = {
        "columns": [(column, without[column.key]) for column in columns],
        "rows": [row for row in rows if not row.same] if differing else rows,
        "differing": differing,
        "here": urlencode([("package", key) for key in keys]),
        "few": len(keys) < subject.LEAST,
        "full": len(keys) >= MOST_COMPARED,
        "most": MOST_COMPARED,
        "others_url": others.rstrip("?"),
    }
    return render.page(request, "operatorhub/compare.html", context)
