"""/…/nodes/-/<name>/cordon/: whether the scheduler may put new Pods on a node.

As `kubectl cordon` and `kubectl uncordon`.
"""

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from console.web import audit
from console.web.request import ConsoleRequest
from kube.errors import NotFound
from resources.place import place_of


@require_POST
def cordon(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """`closed` is true or false; back to the node's page. Raises what the API server refuses with."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if (place.type.group, place.type.kind) != ("", "Node"):
        raise NotFound(_("Only nodes can be cordoned; %(kind)s can't.") % {"kind": place.type.kind})
    closed = request.POST.get("closed") == "true"
    verb = "cordon" if closed else "uncordon"
    with audit.recorded(request, verb, place.ref):
        request.cluster.patch(place.type, name, {"spec": {"unschedulable": closed or None}})
    words = (
        _("No new Pods are scheduled on “%(name)s”.") if closed else _("New Pods can be scheduled on “%(name)s” again.")
    )
    messages.success(request, words % {"name": name})
    return HttpResponseRedirect(place.url())
