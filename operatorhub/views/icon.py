"""An icon's bytes.

The address holds its digest, so browsers keep it for a year; a package whose icon is not fetched yet is asked for by
its number.

The response's policy forbids scripts, so that an icon is harmless even if opened directly.
"""

from django.http import HttpResponse, HttpResponseNotModified
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web.errors import Problem, problem_response
from console.web.request import ConsoleRequest
from kube.errors import Forbidden
from operatorhub.bundle import bundles
from operatorhub.indexing.index import NO_ICON, fetch_icon
from operatorhub.models import Icon, Package

POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


@require_safe
def icon(request: ConsoleRequest, digest: str) -> HttpResponse:
    """`digest`: of the icon, or p-<number> of a package."""
    by_content = not digest.startswith("p-")
    if by_content and request.headers.get("If-None-Match") == f'"{digest}"':
        return HttpResponseNotModified()
    found = get_object_or_404(Icon, digest=digest) if by_content else _of_package(request, digest.removeprefix("p-"))
    if found is None:
        return problem_response(
            request,
            Problem(status=404, title=_("Icon not found"), advice=_("This package has no icon."), detail=request.path),
        )
    response = HttpResponse(bytes(found.data), content_type=found.media_type)
    response["Content-Security-Policy"] = POLICY
    response["X-Content-Type-Options"] = "nosniff"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    response["Cache-Control"] = "public, max-age=31536000, immutable" if by_content else "private, max-age=300"
    response["ETag"] = f'"{found.digest}"'
    return response


def _of_package(request: ConsoleRequest, number: str) -> Icon | None:
    package = get_object_or_404(
        Package, pk=int(number) if number.isascii() and number.isdigit() and len(number) < 19 else 0
    )
    hidden = request.cluster.config.session and not bundles.visible(
        request.cluster, package.namespace, request.namespace
    )
    if package.cluster != request.cluster.name or package.icon == NO_ICON or hidden:
        return None
    if package.icon:
        return Icon.objects.filter(digest=package.icon).first()
    try:
        return fetch_icon(request.cluster, package)
    except Forbidden:
        # Of a namespace that is not theirs: the worker fetches it. What their own namespace calls so may be another's
        # icon, and this one is kept for all.
        return None
