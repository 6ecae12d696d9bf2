"""The redirect addresses that are registered at the provider: two, of the default cluster, for sign-in to any cluster.

A `state` ends with the mark of its cluster, and the response is redirected to the same page there. A changed mark leads
to a cluster with no pending sign-in of this browser: the proof is in the cookie of that cluster's own address
(PendingSignIn in views.py).
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
    """Redirect to the cluster of this response's state, with the whole query; None if it is the cluster of this address
    or unknown.
    """
    if "state" not in request.GET:
        return None
    _word, dot, segment = request.GET["state"].rpartition(".")
    place = next((offered for offered in clusters.offered() if mark(offered) == (f".{segment}" if dot else "")), None)
    if place is None or place == place_of(request):
        return None
    with addresses_of(place):
        return HttpResponseRedirect(f"{reverse(name)}?{request.META.get('QUERY_STRING', '')}")
