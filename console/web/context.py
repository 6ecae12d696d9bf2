"""What base.html prints on every page: navigation, cluster, namespace picker, language, theme."""

from django.conf import settings
from django.http import HttpRequest

from console.prefer import store, times
from console.web import clusters
from console.web.csp import nonce
from console.web.frame import Frame


def console(request: HttpRequest) -> dict[str, object]:
    """`frame` is lazy: a fragment that does not print the frame costs no request to the cluster."""
    chosen = store.preferences_of(request)
    return {
        "csp_nonce": nonce(request),
        "frame": Frame(request),
        "clusters_several": clusters.several(),
        # Who is signed in, where people sign in.
        "person": getattr(request, "person", None),
        # As whom they act, where it is not themselves.
        "acting": getattr(request, "acting", None),
        "product": settings.PRODUCT_NAME,
        "version": settings.VERSION,
        # Read where the page ends: what the API server has warned of by then.
        "cluster_warnings": getattr(request, "cluster_warnings", ()),
        "theme": chosen.theme,
        "preferences": chosen,
        # Headings of moments that are shown as in UTC say so.
        "times_in_utc": times.in_utc(),
        "times_relative": times.relative(),
    }
