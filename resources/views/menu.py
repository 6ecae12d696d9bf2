"""…/<object>/menu/: the actions of one object as a list, for a menu that is filled when it is opened (a row of a
list, the palette).
"""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from console.web import render
from console.web.request import ConsoleRequest
from resources.acting.actions import actions
from resources.place import place_of


@require_safe
def menu(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """Without script it is a page of its own, with nothing but the list."""
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    found = actions(request.cluster, place, place.get(request.cluster))
    context = {"place": place, "actions": found}
    return render.page(request, "resources/menu.html", context, fragment="resources/_action_list.html")
