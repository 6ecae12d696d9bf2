"""Settings of the provider, validated at start.

console/settings.py imports it, so it doesn't import Django.

The redirect addresses that are registered at the provider: two, of the default cluster, for sign-in to any cluster.

A `state` ends with the mark of its cluster, and the response is redirected to the same page there. A changed mark leads
to a cluster with no pending sign-in of this browser: the proof is in the cookie of that cluster's own address
(pending_sign_ins.py).
"""

import hashlib
import ssl
from collections.abc import Sequence
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse

from console.web import clusters
from console.web.clusters import Offered
from console.web.front import addresses_of, place_of
from kube.tls import client_context

_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def trouble(issuer: str, client: str, scopes: Sequence[str], authority: str, console: str) -> str:
    """What is wrong with them, in one sentence that names the setting; ''."""
    if not issuer or not client:
        missing = "OIDC_ISSUER" if not issuer else "OIDC_CLIENT_ID"
        return f"SIGN_IN=oidc needs {missing}: the provider's issuer URL and the id of this console there"
    if not safe(issuer) or "?" in issuer or "#" in issuer:
        return f"OIDC_ISSUER={issuer!r} is not an https:// URL without query (http:// only on this machine)"
    if scopes and "openid" not in scopes:
        return f"OIDC_SCOPES={' '.join(scopes)!r} lacks openid, without which no provider gives an ID token"
    if authority:
        try:
            client_context(authority_file=authority)
        except (OSError, ssl.SSLError) as error:
            return f"OIDC_CA_FILE={authority!r} can't be used: {error}"
    if console and (not safe(console) or urlsplit(console).path or "?" in console or "#" in console):
        return (
            f"CONSOLE_URL={console!r} is not an address like https://console.example.com (http:// only on this machine)"
        )
    return ""


def safe(url: str) -> bool:
    """Whether requests can't be intercepted: https, or the loopback address."""
    try:
        parts = urlsplit(url)
        host = parts.hostname
    except ValueError:
        return False
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK))


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
