"""An object as YAML, to read, to change and to create. What was typed stays typed, whatever the cluster says to it."""

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from console.web import audit, render
from console.web.access import can
from console.web.errors import Problem, explain
from console.web.request import ConsoleRequest
from kube.errors import Cause, Conflict, KubeError
from kube.objects import KubeObject
from resources import yamltext
from resources.examples import examples
from resources.place import Place, place_of
from resources.save import causes_of
from resources.yamltext import YamlProblem

MASK = "••••••"


@dataclass(frozen=True, slots=True)
class YamlPage:
    """`problem`: why the text could not be saved; `line`: where in it, 0 if that is not known. `masked`: values of a Secret are hidden."""

    place: Place
    title: str
    text: str
    writable: bool = True
    masked: bool = False
    creating: bool = False
    problem: Problem | None = None
    causes: tuple[Cause, ...] = ()
    line: int = 0
    conflict: bool = False
    form_url: str = ""


def show(request: ConsoleRequest, page: YamlPage) -> HttpResponse:
    status = page.problem.status if page.problem else 200
    return render.page(request, "resources/yaml.html", {"yaml": page}, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: ConsoleRequest, group: str, version: str, plural: str, namespace: str, name: str) -> HttpResponse:
    """The object; a POST replaces it. 409 when somebody else changed it meanwhile."""
    place = place_of(request, group, version, plural, namespace, name)
    if request.method == "POST":
        return _replace(request, place)
    obj = place.get(request.cluster)
    masked = place.type.kind == "Secret" and "reveal" not in request.GET
    if place.type.kind == "Secret" and not masked:
        audit.record(request, "reveal", place.ref, "ok")
    writable = can(request.cluster, "update", place.type, place.namespace, place.name).allowed
    return show(request, YamlPage(place, name, readable(obj, masked), writable and not masked, masked))


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: ConsoleRequest, group: str, version: str, plural: str) -> HttpResponse:
    """A new object, beginning with an example of its operator, the form's values, or the least that every object has."""
    place = place_of(request, group, version, plural, request.GET.get("namespace") or request.namespace or "-")
    title = _("Create %(kind)s") % {"kind": place.type.kind}
    form_url = place.kind_url("new", **({"namespace": place.namespace} if place.namespace else {}))
    if request.method == "POST":
        return _create(request, place, title, form_url)
    text = yamltext.dump(beginning(request, place))
    return show(request, YamlPage(place, title, text, creating=True, form_url=form_url))


def readable(obj: KubeObject, masked: bool) -> str:
    """As people read it: without managedFields; with `masked`, a Secret's values are dots."""
    metadata = {key: value for key, value in obj["metadata"].items() if key != "managedFields"}
    shown: dict[str, Any] = {**obj, "metadata": metadata}
    if masked:
        for part in ("data", "stringData"):
            if isinstance(shown.get(part), dict):
                shown[part] = dict.fromkeys(shown[part], MASK)
        # kubectl apply keeps the whole object, values and all, in this annotation.
        notes = dict(metadata.get("annotations") or {})
        if notes.pop("kubectl.kubernetes.io/last-applied-configuration", None):
            shown["metadata"] = {**metadata, "annotations": notes}
    return yamltext.dump(shown)


def beginning(request: ConsoleRequest, place: Place) -> KubeObject:
    """What a new object's text begins with."""
    wanted = request.GET.get("example", "")
    for example in examples(request.cluster, place.type, place.namespace):
        if not wanted or example.name == wanted:
            obj = dict(example.object)
            metadata = {key: value for key, value in (obj.get("metadata") or {}).items() if key != "namespace"}
            return {**obj, "metadata": _with_namespace(place, metadata)}
    first: KubeObject = {"apiVersion": place.type.api_version, "kind": place.type.kind}
    return {**first, "metadata": _with_namespace(place, {"name": "example"}), "spec": {}}


def _with_namespace(place: Place, metadata: dict[str, Any]) -> dict[str, Any]:
    return {**metadata, "namespace": place.namespace} if place.namespace else metadata


def _parse(text: str, place: Place) -> KubeObject:
    """Raises YamlProblem, also when the text is another kind, or another object, than the page is about."""
    obj = yamltext.load_object(text)
    found = (obj["apiVersion"], obj["kind"])
    if found != (place.type.api_version, place.type.kind):
        raise YamlProblem(
            _("this page is about %(wanted)s, but the text says %(found)s")
            % {"wanted": f"{place.type.api_version} {place.type.kind}", "found": " ".join(found)}
        )
    metadata = obj.get("metadata") or {}
    for key, wanted in (("name", place.name), ("namespace", place.namespace)):
        if place.name and str(metadata.get(key) or "") != wanted:
            raise YamlProblem(
                _("metadata.%(key)s can't be changed: it is “%(wanted)s”. Create a new object instead.")
                % {"key": key, "wanted": wanted}
            )
    return obj


def _unreadable(error: YamlProblem) -> Problem:
    where = _("Line %(line)d: ") % {"line": error.line} if error.line else ""
    return Problem(422, _("This is not yet a valid object"), f"{where}{error.message}", "", "YamlProblem")


def _replace(request: ConsoleRequest, place: Place) -> HttpResponse:
    text = request.POST.get("text", "")
    try:
        obj = _parse(text, place)
        if "overwrite" in request.POST:
            obj["metadata"]["resourceVersion"] = place.get(request.cluster)["metadata"]["resourceVersion"]
        request.cluster.replace(place.type, obj, place.namespace)
    except YamlProblem as error:
        return show(request, YamlPage(place, place.name, text, problem=_unreadable(error), line=error.line))
    except KubeError as error:
        audit.record(request, "update", place.ref, error.reason)
        page = YamlPage(
            place,
            place.name,
            text,
            problem=explain(error),
            causes=causes_of(error),
            conflict=isinstance(error, Conflict),
        )
        return show(request, page)
    audit.record(request, "update", place.ref, "ok")
    messages.success(request, _("%(kind)s “%(name)s” saved.") % {"kind": place.type.kind, "name": place.name})
    return HttpResponseRedirect(place.url())


def _create(request: ConsoleRequest, place: Place, title: str, form_url: str) -> HttpResponse:
    text = request.POST.get("text", "")
    try:
        obj = _parse(text, place)
        namespace = str((obj.get("metadata") or {}).get("namespace") or place.namespace)
        if place.type.namespaced and not namespace:
            raise YamlProblem(_("metadata.namespace is missing: name the namespace to create it in"))
        made = request.cluster.create(place.type, obj, namespace)
    except YamlProblem as error:
        page = YamlPage(
            place, title, text, creating=True, problem=_unreadable(error), line=error.line, form_url=form_url
        )
        return show(request, page)
    except KubeError as error:
        audit.record(request, "create", place.ref, error.reason)
        page = YamlPage(
            place, title, text, creating=True, problem=explain(error), causes=causes_of(error), form_url=form_url
        )
        return show(request, page)
    result = Place(place.type, namespace if place.type.namespaced else "", str(made["metadata"]["name"]))
    audit.record(request, "create", result.ref, "ok")
    messages.success(request, _("%(kind)s “%(name)s” created.") % {"kind": place.type.kind, "name": result.name})
    return HttpResponseRedirect(result.url())
