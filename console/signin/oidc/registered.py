"""The addresses that are registered at the provider: two, of the default cluster, whichever one somebody signs in to.

A `state` that comes back with them ends with the mark of the cluster for which it was made, and leads on to the same
page there. Who changes the mark is led to a cluster for which this browser began nothing: what a sign-in has to prove
is in the cookie of that cluster's own address (going.py).
"""

import hashlib

from django.conf import settings
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse

from console.web import clusters
from console.web.clusters import Offered
from console.web.front import addresses_of, place_of


def address(request: HttpRequest, name: str) -> str:
    """Of one of our pages, as the provider knows it."""
    with addresses_of(clusters.default()):
        path = reverse(name)
    return f"{settings.CONSOLE_URL}{path}" if settings.CONSOLE_URL else request.build_absolute_uri(path)


def mark(place: Offered) -> str:
    """'' of the default one. A digest: what a context is called is not the provider's business."""
    return f".{hashlib.sha256(place.context.encode()).hexdigest()[:16]}" if place.prefix else ""


def onward(request: HttpRequest, name: str) -> HttpResponseRedirect | None:
    """To the cluster of this answer's state, with all that came; None where it is the one of this address, or none
    that is offered.
    """
    if "state" not in request.GET:
        return None
    _word, dot, told = request.GET["state"].rpartition(".")
    place = next((offered for offered in clusters.offered() if mark(offered) == (f".{told}" if dot else "")), None)
    if place is None or place == place_of(request):
        return None
    with addresses_of(place):
        return HttpResponseRedirect(f"{reverse(name)}?{request.META.get('QUERY_STRING', '')}")
