"""/…/namespaces/-/<name>/contents/: what is in a namespace, which takes a question for each kind and so comes after
its page.
"""

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest
from kube.errors import NotFound
from resources.page.contents import contents as contents_of
from resources.place import place_of


@require_safe
def contents(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """The part for htmx; for readers without script a page of its own."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    if (place.type.group, place.type.kind) != ("", "Namespace"):
        raise NotFound(_("Only namespaces contain other objects; %(kind)s doesn't.") % {"kind": place.type.kind})
    place.get(request.cluster)
    found = contents_of(request.cluster, name)
    names = {
        "place": place,
        "data": found,
        "title": _("Contents of %(name)s") % {"name": name},
        "last": _("Contents"),
        "part": "resources/kinds/_contents.html",
    }
    return render.page(request, "resources/single.html", names, fragment="resources/kinds/_contents.html")
