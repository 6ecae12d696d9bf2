"""`{% load favourites %}`: the star of an object or a kind, and the favourites in the navigation."""

from typing import Any

from django import template
from django.db import DatabaseError

from kube.errors import KubeError
from resources import favourites
from resources.place import Place

register = template.Library()
_IN_NAVIGATION = 4


@register.inclusion_tag("resources/_star.html", takes_context=True)
def star(context: Any, place: Place) -> dict[str, Any]:
    """Pressed where the place is a favourite of this user."""
    request = context.get("request")
    try:
        on = bool(request) and favourites.is_favourite(request.cluster, place)
    except (KubeError, DatabaseError):
        return {"place": None}
    return {"place": place, "on": on, "request": request, "csrf_token": context.get("csrf_token")}


@register.inclusion_tag("resources/_favourites_navigation.html", takes_context=True)
def favourites_navigation(context: Any) -> dict[str, Any]:
    """The newest favourites, without asking the cluster for them. A frame is drawn whatever fails."""
    request = context.get("request")
    try:
        found = favourites.favourites(request.cluster) if request else ()
    except (KubeError, DatabaseError, AttributeError):
        found = ()
    return {"marks": [marked for marked in found if marked.url][:_IN_NAVIGATION], "request": request}
