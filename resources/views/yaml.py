"""An object as YAML, to read, to change and to create. What was typed stays typed, whatever the cluster says to it."""

from django.http import HttpResponse
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.access import can
from console.web.request import ConsoleRequest
from kube.objects import clean
from resources.place import place_of
from resources.views.shell import YAML, preserves_input
from resources.views.submission import Draft, carried
from resources.views.work import Work
from resources.views.yaml_page import YamlPage, readable
from resources.writing import draft


@require_http_methods(["GET", "HEAD", "POST"])
@preserves_input
def edit(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """The object; a POST sends what the text changed of what was opened.

    `?clean=1`: to be applied elsewhere; with `download=1` as a file.
    """
    place = place_of(request=request, group=group, version=version, plural=plural, namespace=namespace, name=name)
    work = Work(request, place, YAML, editing=True)
    if request.method == "POST":
        return work.post()
    obj = place.get(request.cluster)
    masked = place.secret and "reveal" not in request.GET
    if place.secret and not masked:
        audit.record(request, "reveal", place.ref, "ok")
    neat = request.GET.get("clean") == "1"
    if neat and request.GET.get("download") == "1":
        text = readable(clean(obj), masked)
        return render.as_file(HttpResponse(text, content_type="application/yaml; charset=utf-8"), f"{place.name}.yaml")
    writable = (
        not masked and not neat and can(request.cluster, "patch", place.type, place.namespace, place.name).allowed
    )
    original = draft.editable(obj)
    page = YamlPage(
        shell=work.shell(Draft(obj=original, original=original)),
        text=readable(clean(obj) if neat else obj, masked),
        original=carried(original) if writable else "",
        writable=writable,
        masked=masked,
        clean=neat,
    )
    return render.page(request, "resources/yaml.html", {"yaml": page})


@require_http_methods(["GET", "HEAD", "POST"])
@preserves_input
def new(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """A new object, beginning as the form does."""
    place = place_of(request, group, version, plural, request.GET.get("namespace") or request.namespace or "-")
    work = Work(request, place, YAML)
    return work.post() if request.method == "POST" else work.begin()
