"""/resources/<group>/<version>/<plural>/download/: the whole list as a file, with the list's own filters."""

from collections.abc import Iterator
from itertools import chain

from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from console.web import audit, render
from console.web.request import ConsoleRequest
from kube.errors import BadRequest
from resources.lists import download as subject
from resources.place import Place, place_of
from resources.views.columns import ColumnChoice
from resources.views.filter import Filter


@require_safe
def download(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponseBase:
    """`?format=` csv, json or yaml; `clean=1`: objects to be applied elsewhere (kube/clean.py).

    Values of Secrets are left out but for `reveal=1`, which is written to the audit log.
    """
    place = place_of(request, group, version, plural, request.namespace or "-")
    format_ = request.GET.get("format", "csv")
    if format_ not in subject.FORMATS:
        raise BadRequest(_("The format “%(name)s” doesn't exist. Use csv, json or yaml.") % {"name": format_[:40]})
    if request.method == "HEAD":
        return HttpResponse(content_type=subject.FORMATS[format_])
    parts = _parts(request, place, format_)
    # The first part is made before the answer begins, so that errors get the usual error page.
    first = next(parts, "")
    answer = StreamingHttpResponse(subject.whole(chain([first], parts)), content_type=subject.FORMATS[format_])
    name = "-".join(filter(None, (place.type.plural, place.type.group, place.namespace)))
    return render.as_file(answer, f"{name}.{format_}")


def _parts(request: ConsoleRequest, place: Place, format_: str) -> Iterator[str]:
    query, client, type_ = Filter.from_query(request.GET).query(), request.cluster, place.type
    if format_ == "csv":
        return subject.rows(
            client, type_, place.namespace, query, ColumnChoice.from_request(request, type_.qualified).keys
        )
    masked = place.secret and request.GET.get("reveal") != "1"
    if place.secret and not masked:
        audit.record(request, "download", place.ref, "ok")
    neat = request.GET.get("clean") == "1"
    found = subject.objects(client, type_, place.namespace, query, masked=masked, neat=neat)
    return subject.as_json(found) if format_ == "json" else subject.as_yaml(found)
