"""/operators/: what is installed, in the picked namespace or in all."""

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.errors import explain
from console.web.request import ConsoleRequest
from kube.errors import BadRequest, Forbidden
from operatorhub import olm
from operatorhub.running import installed_filter
from operatorhub.running import installed_operators as subject


def _wish(request: ConsoleRequest) -> installed_filter.OperatorFilter:
    get = request.GET
    page = get.get("page", "1")
    return installed_filter.OperatorFilter(
        q=get.get("q", "").strip()[:200],
        labels=get.get("labels", "").strip()[:500],
        status=tuple(value for value in get.getlist("status") if value in installed_filter.status_labels()),
        places=tuple(dict.fromkeys(get.getlist("in")))[:50] if not request.namespace else (),
        page=int(page) if page.isascii() and page.isdecimal() and len(page) < 7 else 1,
    )


@require_safe
def installed(request: ConsoleRequest) -> HttpResponse:
    """`?q=`, `labels`, `status`, `in` (namespaces) and `page`."""
    client, namespace = request.cluster, request.namespace
    if not olm.served(client):
        return render.page(request, "operatorhub/no_olm.html", {})
    wish, found, status, problem, label_error = _wish(request), subject.Listed(()), 200, None, ""
    try:
        found = subject.listed(client, namespace, wish.labels)
    except BadRequest as error:
        if not wish.labels:
            raise
        status, label_error = 422, str(error)
    except Forbidden as error:
        status, problem = 403, explain(error)
    result = installed_filter.apply(found.rows, wish)
    plurals = (olm.CSVS, olm.SUBSCRIPTIONS) if status == 200 else ()
    context = {
        "result": result,
        "wish": wish,
        "gaps": found.gaps,
        "namespace": namespace,
        "problem": problem,
        "label_error": label_error,
        "advice": _(
            "Select one of your namespaces above, or ask an administrator for permission to list"
            " ClusterServiceVersions."
        ),
        "topics": " ".join(olm.topic(client, plural, namespace) for plural in plurals),
        "previous": wish.url(result.page - 1),
        "next": wish.url(result.page + 1),
    }
    return render.page(request, "operatorhub/installed.html", context, part=True, status=status)
