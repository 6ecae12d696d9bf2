"""/resources/owner/: to the page of an object that an ownerReference names.

Rows know the owner's kind, and not what it is called in addresses.
"""

from django.http import HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_safe

from console.web.request import ConsoleRequest
from resources.place import CLUSTER_SCOPE, Place


@require_safe
def owner(request: ConsoleRequest) -> HttpResponse:
    """`of` (apiVersion), `kind`, `name`, `namespace` of what it owns. Raises NotFound for a kind that is not served."""
    group, _slash, version = request.GET.get("of", "").rpartition("/")
    type_ = request.cluster.find_kind(group, request.GET.get("kind", ""), version)
    namespace = request.GET.get("namespace", "")
    inside = type_.namespaced and namespace not in ("", CLUSTER_SCOPE)
    name = request.GET.get("name", "")
    if not name or (type_.namespaced and not inside):
        return HttpResponseRedirect(Place(type_).list_url)
    return HttpResponseRedirect(Place(type_, namespace if inside else "", name).detail_url)
