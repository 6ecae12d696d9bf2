"""What a picker of a form offers: names, or keys, with a link that makes a new object of that kind."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web.access import can
from console.web.request import ConsoleRequest
from kube.errors import Forbidden, KubeError, NotFound
from resources.place import Place
from resources.writing import pickers
from resources.writing.pickers import Names


@require_safe
def names(request: ConsoleRequest) -> HttpResponse:
    """?group=&kind=&namespace=&selector=&q=: a datalist of names; with &keys=NAME of that object's keys.

    Where nothing can be offered, why.
    """
    asked = request.GET
    kind, namespace = asked.get("kind", ""), asked.get("namespace", "")
    found, note, create = Names((), whole=False), "", ""
    try:
        type_ = pickers.type_of(request.cluster, asked.get("group", ""), kind)
        place = Place(type_, namespace if type_.namespaced else "")
        if type_.namespaced and not namespace:
            note = _("Choose a namespace first to see the available names.")
        elif name := asked.get("keys"):
            found = pickers.keys(request.cluster, type_, place.namespace, name)
        else:
            create = _create(request, place)
            found = pickers.names(
                request.cluster,
                type_,
                place.namespace,
                wanted=asked.get("q", ""),
                selector=asked.get("selector", ""),
            )
            note = "" if found.names or asked.get("q") else _("No %(kind)s exists yet.") % {"kind": kind}
    except KubeError as error:
        note = _words(error, kind)
    context = {"found": found, "note": note, "create": create, "kind": kind}
    return render(request, "resources/form/names.html", context)


def _create(request: ConsoleRequest, place: Place) -> str:
    """Where a new one is created; '' for users who can't."""
    if not can(request.cluster, "create", place.type, place.namespace).allowed:
        return ""
    return place.kind_url("new", **({"namespace": place.namespace} if place.namespace else {}))


def _words(error: KubeError, kind: str) -> str:
    if isinstance(error, Forbidden):
        return _("You don't have permission to list these. Enter the name of the %(kind)s.") % {"kind": kind}
    if isinstance(error, NotFound):
        return _("The cluster has no such %(kind)s yet. Enter the name that it will have.") % {"kind": kind}
    return _("The cluster isn't responding. Enter the name of the %(kind)s.") % {"kind": kind}
